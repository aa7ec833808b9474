// Memory for packed blocks: aligned to pages, a large one in huge pages where the system has them to give,
// untouched until first use so that it comes from the memory node of the thread that uses it.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace pibench::kernels {

class Buffer {
 public:
  // Throws std::bad_alloc.
  explicit Buffer(std::size_t bytes)
      : alignment_(bytes >= kLeastOnHugePage ? kHugePage : kPage),
        bytes_((bytes + alignment_ - 1) / alignment_ * alignment_),
        memory_(static_cast<std::byte*>(::operator new(bytes_, std::align_val_t(alignment_))),
                Free{alignment_}) {
#if defined(__linux__)
    // Advice only: the copy works without.
    if (alignment_ == kHugePage) madvise(memory_.get(), bytes_, MADV_HUGEPAGE);
#endif
  }

  [[nodiscard]] std::byte* data() const noexcept { return memory_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }

 private:
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kHugePage = std::size_t{2} << 20U;
  // A block of A takes a good part of L2, whose sets go by the address: on small pages it is luck how many of
  // its lines meet in one. (Measured on Zen 5, 4096 cubed in float32: seven processes had 224 to 249 GFLOP/s
  // on small pages, six had 244 to 249 on a huge one.)
  static constexpr std::size_t kLeastOnHugePage = std::size_t{128} << 10U;

  struct Free {
    std::size_t alignment;
    void operator()(std::byte* memory) const noexcept {
      ::operator delete(memory, std::align_val_t(alignment));
    }
  };

  std::size_t alignment_;
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace pibench::kernels
