// The data of the memory indicator and what each operation makes of them.
//
// Elements are multiples of 2^-40 in [-1, 1): every sum and product below is exact in float64, so a result is
// right or wrong, whatever the order and whether or not a multiply-add is fused.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../kernels/cpu/memory/memory_kernels.h"
#include "../random.h"

namespace pibench::memory {

inline double element(std::uint64_t stream, std::uint64_t i) noexcept {
  return static_cast<double>(draw(stream, i) >> 23) * 0x1p-40 - 1.0;
}

// The streams of the two inputs.
struct Seeds {
  explicit Seeds(std::uint64_t seed) noexcept : a(draw(0x0a, seed)), b(draw(0x0b, seed)) {}
  std::uint64_t a, b;
};

// Element i of the output.
inline double expected(kernels::memory::Operation operation, const Seeds& seeds, std::uint64_t i) noexcept {
  using kernels::memory::kFactor;
  using kernels::memory::Operation;
  switch (operation) {
    case Operation::read:
    case Operation::copy:
      return element(seeds.a, i);
    case Operation::write:
      return kernels::memory::kWritten;
    case Operation::scale:
      return kFactor * element(seeds.a, i);
    case Operation::add:
      return element(seeds.a, i) + element(seeds.b, i);
    case Operation::triad:
      return element(seeds.a, i) + kFactor * element(seeds.b, i);
  }
  return 0;
}

// What reading must find.
inline std::uint64_t sum_of_words(std::uint64_t stream, std::uint64_t first, std::size_t count) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += std::bit_cast<std::uint64_t>(element(stream, first + i));
  return sum;
}

}  // namespace pibench::memory
