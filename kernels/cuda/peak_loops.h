// Arithmetic that never waits for memory, as much as the device can do of it: the ceiling for an element
// type. Operands are random, as those of a product are, because zeros need less power and so run at a higher
// clock.
//
// Written over instructions.h, or a model of it, which has to be included before; peak_wgmma.h has the loop
// for wgmma.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "arguments.h"
#include "arithmetic.h"
#include "types.h"

namespace pibench::kernels::cuda {

inline constexpr std::uint64_t kPeakStream = 0x70656b;
inline constexpr std::uint32_t kPeakChains = 8;    // independent of each other, in each thread or warp
inline constexpr std::uint32_t kScalarSteps = 16;  // of each chain in one iteration

// 32 bits full of random elements.
PIBENCH_DEVICE std::uint32_t random_word(Element element, std::uint64_t index) {
  const std::uint32_t each = bytes_of(element);
  std::uint32_t word = 0;
  for (std::uint32_t i = 0; i < 4 / each; ++i)
    word |= bits_in(element, drawn_value(kPeakStream, index * 4 + i, element, Values::real, 0))
            << (i * each * 8);
  return word;
}

template <typename T>
PIBENCH_DEVICE std::uint64_t whole_bits(T value) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<std::uint64_t>(value);
  else
    return std::bit_cast<std::uint32_t>(value);
}

// Adds what all threads of a block found to the block's sum.
PIBENCH_DEVICE void report_sum(const PeakArguments& arguments, std::uint64_t sum) {
  sum = sum_of_warp(sum);
  if (thread_index() % 32 == 0) add_atomically(arguments.sums + block_index(), sum);
}

// One multiply-add of each chain. Two of them go round each other, as the place and the speed of a weight on
// a spring: they neither grow nor come to rest, so that to the end every instruction is given numbers that it
// was not given before. (A chain x = x a + b has come to its fixed point after some thousand steps in
// float32, and then the same bits go in and out.) `ahead` and `back`: of different signs, and less than 1.
// Not one number and its negative: the compiler would make a product and a difference of the second half.
template <typename T>
PIBENCH_DEVICE void scalar_step(T (&chains)[kPeakChains], T ahead, T back) {
  constexpr std::uint32_t kPairs = kPeakChains / 2;
  PIBENCH_UNROLL
  for (std::uint32_t i = 0; i < kPairs; ++i) chains[i] = chains[i] + chains[i + kPairs] * ahead;
  PIBENCH_UNROLL
  for (std::uint32_t i = 0; i < kPairs; ++i) chains[i + kPairs] = chains[i + kPairs] + chains[i] * back;
}

template <typename T>
PIBENCH_DEVICE void peak_scalar(const PeakArguments& arguments) {
  const auto number = [](std::uint32_t index) {
    return static_cast<T>(
        drawn_value(kPeakStream, thread_index() * 16 + index, Element::float64, Values::real, 0));
  };
  const T ahead = T{1} / 2 + number(0) / 4;
  const T back = number(1) / 4 - T{1} / 2;
  T chains[kPeakChains];
  PIBENCH_UNROLL
  for (std::uint32_t i = 0; i < kPeakChains; ++i) chains[i] = number(2 + i);
  for (std::uint32_t round = 0; round < arguments.iterations; ++round) {
    PIBENCH_UNROLL
    for (std::uint32_t step = 0; step < kScalarSteps; ++step) scalar_step(chains, ahead, back);
  }
  std::uint64_t sum = 0;
  PIBENCH_UNROLL
  for (const T chain : chains) sum += whole_bits(chain);
  report_sum(arguments, sum);
}

template <Element element>
PIBENCH_DEVICE void peak_mma(const PeakArguments& arguments) {
  using Sum = std::conditional_t<element == Element::int8, std::int32_t, float>;
  std::uint32_t a[4];
  std::uint32_t b[2];
  PIBENCH_UNROLL
  for (std::uint32_t i = 0; i < 4; ++i) a[i] = random_word(element, thread_index() * 8 + i);
  PIBENCH_UNROLL
  for (std::uint32_t i = 0; i < 2; ++i) b[i] = random_word(element, thread_index() * 8 + 4 + i);
  Sum sums[kPeakChains][4] = {};
  for (std::uint32_t round = 0; round < arguments.iterations; ++round) {
    PIBENCH_UNROLL
    for (Sum(&chain)[4] : sums) multiply_add<element>(chain, a, b[0], b[1]);
  }
  std::uint64_t sum = 0;
  PIBENCH_UNROLL
  for (std::uint32_t i = 0; i < kPeakChains * 4; ++i) sum += whole_bits(sums[i / 4][i % 4]);
  report_sum(arguments, sum);
}

PIBENCH_DEVICE void peak_mma_double(const PeakArguments& arguments) {
  const auto number = [](std::uint32_t index) {
    return drawn_value(kPeakStream, thread_index() * 16 + index, Element::float64, Values::real, 0);
  };
  double a[8];
  double b[4];
  PIBENCH_UNROLL
  for (std::uint32_t i = 0; i < 8; ++i) a[i] = number(i);
  PIBENCH_UNROLL
  for (std::uint32_t i = 0; i < 4; ++i) b[i] = number(8 + i);
  double sums[kPeakChains][4] = {};
  for (std::uint32_t round = 0; round < arguments.iterations; ++round) {
    PIBENCH_UNROLL
    for (double(&chain)[4] : sums) multiply_add_double(chain, a, b);
  }
  std::uint64_t sum = 0;
  PIBENCH_UNROLL
  for (std::uint32_t i = 0; i < kPeakChains * 4; ++i) sum += whole_bits(sums[i / 4][i % 4]);
  report_sum(arguments, sum);
}

}  // namespace pibench::kernels::cuda
