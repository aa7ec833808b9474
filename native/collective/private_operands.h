// A rank's operands in memory of its own, as any program has it: nobody else reaches it, and nobody asks for
// huge pages.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "problem.h"
#include "transport.h"

namespace pibench::collective {

class PrivateOperands {
 public:
  // Throws std::bad_alloc.
  PrivateOperands(const Problem& problem, int rank)
      : element_(bytes_of(problem.element)),
        given_(given(problem, rank)),
        gotten_(gotten(problem, rank)),
        layout_(layout_of(problem, rank)),
        memory_(allocate(layout_.bytes)) {}

  [[nodiscard]] std::byte* input() const noexcept { return memory_.get() + layout_.input; }
  [[nodiscard]] std::byte* output() const noexcept { return memory_.get() + layout_.output; }
  [[nodiscard]] Operands operands() const noexcept {
    return {part(input(), given_), part(output(), gotten_)};
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };

  static std::byte* allocate(std::size_t bytes) {
    constexpr std::size_t kPage = 4096;
    const std::size_t pages = bytes / kPage + 1;
    auto* const memory = static_cast<std::byte*>(std::aligned_alloc(kPage, pages * kPage));
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  [[nodiscard]] std::span<std::byte> part(std::byte* at, std::size_t elements) const noexcept {
    return elements == 0 ? std::span<std::byte>() : std::span(at, elements * element_);
  }

  std::size_t element_, given_, gotten_;
  Layout layout_;
  std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace pibench::collective
