// Matrices of one size, one behind the other, in memory of their own: page-aligned, on huge pages where the
// system gives them, released with the object.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>

namespace pibench::matmul {

template <typename T>
class Operand {
 public:
  Operand() = default;
  // Throws std::bad_alloc, also where the elements are too many to be counted. The memory is not touched.
  Operand(std::int64_t matrices, std::int64_t rows, std::int64_t columns)
      : count_(product(static_cast<std::int64_t>(product(matrices, rows)), columns)) {
    constexpr std::size_t kPage = 2U << 20U;
    const std::size_t size = (count_ * sizeof(T) + 4095) / 4096 * 4096;
    void* memory = std::aligned_alloc(size >= kPage ? kPage : 4096,
                                      size >= kPage ? (size + kPage - 1) / kPage * kPage : size);
    if (memory == nullptr) throw std::bad_alloc();
    if (size >= kPage) madvise(memory, size, MADV_HUGEPAGE);
    memory_.reset(static_cast<T*>(memory));
  }
  [[nodiscard]] T* data() noexcept { return memory_.get(); }
  [[nodiscard]] const T* data() const noexcept { return memory_.get(); }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return count_ * sizeof(T); }

 private:
  // Half of what an integer holds leaves room for rounding the bytes up to pages.
  static std::size_t product(std::int64_t count, std::int64_t each) {
    constexpr std::int64_t kMost =
        std::numeric_limits<std::int64_t>::max() / 2 / static_cast<std::int64_t>(sizeof(T));
    if (count < 0 || each < 1 || count > kMost / each) throw std::bad_alloc();
    return static_cast<std::size_t>(count * each);
  }

  struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<T, Free> memory_;
  std::size_t count_ = 0;
};

}  // namespace pibench::matmul
