// Memory that ranks share: of this process alone, or of its children too. Untouched until first use, so that
// it comes from the memory node of the rank that uses it; in huge pages where the system has them to give.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace pibench::collective {

class SharedMemory {
 public:
  SharedMemory() = default;
  // Throws std::bad_alloc.
  SharedMemory(std::size_t bytes, bool with_children)
      : mapped_(((bytes + kHugePage - 1) / kHugePage + 1) * kHugePage) {
    const int kind = with_children ? MAP_SHARED : MAP_PRIVATE;
    void* const at =
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(at);
    // Advice only. No more than is used: what is advised is a mapping of its own, of which the kernel tells
    // how much lies on huge pages and not where.
    madvise(data(), mapped_ - kHugePage, MADV_HUGEPAGE);
  }
  ~SharedMemory() {
    if (memory_ != nullptr) munmap(memory_, mapped_);
  }
  SharedMemory(SharedMemory&& other) noexcept
      : mapped_(std::exchange(other.mapped_, 0)), memory_(std::exchange(other.memory_, nullptr)) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    std::swap(mapped_, other.mapped_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // Begins at a huge page, however small it is: where small pages lie decides which of them meet in the
  // caches' sets.
  [[nodiscard]] std::byte* data() const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(memory_);
    return memory_ + ((kHugePage - at % kHugePage) % kHugePage);
  }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20U;
  std::size_t mapped_ = 0;
  std::byte* memory_ = nullptr;
};

}  // namespace pibench::collective
