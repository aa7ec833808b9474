// Passes over arrays of float64 as the memory indicator has them: each thread moves 16 bytes at a time, and
// neighbouring threads neighbouring bytes. Either as many threads as the device holds go over the arrays in
// turns, four times 16 bytes on their way at once; or each moves 16 bytes or some more once, and the device
// hands the blocks to whichever multiprocessor is free: none is left to wait for those that are farther from
// the memory.
//
// Written over instructions.h, or a model of it, which has to be included before.
#pragma once

#include <bit>
#include <cstdint>

#include "arguments.h"
#include "contract.h"

namespace pibench::kernels::cuda {

// As kernels/cpu/memory/memory_kernels.h, whose data these are.
inline constexpr double kScaleFactor = 3.0;
inline constexpr double kWrittenValue = 1.25;

inline constexpr std::uint64_t kPassThreads =
    512;  // of a block; a constant, so that offsets need no registers

struct alignas(16) Pair {
  double first, second;
};

template <bool streaming>
PIBENCH_DEVICE Pair load_pair(const double* array, std::uint64_t pair) {
  const auto* from = reinterpret_cast<const Words*>(array) + pair;
  return std::bit_cast<Pair>(streaming ? load_streaming(from) : *from);
}
template <bool streaming>
PIBENCH_DEVICE void store_pair(double* array, std::uint64_t pair, const Pair& value) {
  auto* to = reinterpret_cast<Words*>(array) + pair;
  if constexpr (streaming)
    store_streaming(to, std::bit_cast<Words>(value));
  else
    *to = std::bit_cast<Words>(value);
}

// What an operation makes of one element of each input.
template <Operation operation>
PIBENCH_DEVICE double made_of(double a, double b) {
  switch (operation) {
    case Operation::write:
      return kWrittenValue;
    case Operation::scale:
      return kScaleFactor * a;
    case Operation::add:
      return a + b;
    case Operation::triad:
      return a + kScaleFactor * b;
    default:
      return a;
  }
}

PIBENCH_DEVICE std::uint64_t bits_of(const Pair& pair) {
  return std::bit_cast<std::uint64_t>(pair.first) + std::bit_cast<std::uint64_t>(pair.second);
}

// Calls `four(at)` for pairs at, at + kPassThreads, ..., four of them, and `one(at)` for what is left of the
// last four.
template <typename Fours, typename One>
PIBENCH_DEVICE void over_pairs(std::uint64_t pairs, const Fours& four, const One& one) {
  const std::uint64_t step = kPassThreads * 4 * blocks_of_grid();
  std::uint64_t at = kPassThreads * 4 * block_index() + thread_index();
  for (; at + 3 * kPassThreads < pairs; at += step) four(at);
  // A later group begins beyond the end.
  for (int i = 0; i < 4; ++i, at += kPassThreads)
    if (at < pairs) one(at);
}

// One operation on some of its elements, by blocks of so many threads.
template <Operation operation, bool streaming, std::uint32_t threads>
struct Pass {
  static constexpr bool kReadsA = operation != Operation::write;
  static constexpr bool kReadsB = operation == Operation::add || operation == Operation::triad;
  const MemoryArguments& arguments;

  // `count` pairs, a block's threads apart from each other: all are read before the first is written.
  template <std::uint32_t count>
  PIBENCH_DEVICE void pairs(std::uint64_t at) const {
    Pair a[count] = {};
    Pair b[count] = {};
    PIBENCH_UNROLL
    for (std::uint32_t i = 0; i < count; ++i) {
      if constexpr (kReadsA) a[i] = load_pair<streaming>(arguments.a, at + i * threads);
      if constexpr (kReadsB) b[i] = load_pair<streaming>(arguments.b, at + i * threads);
    }
    PIBENCH_UNROLL
    for (std::uint32_t i = 0; i < count; ++i)
      store_pair<streaming>(
          arguments.out, at + i * threads,
          {made_of<operation>(a[i].first, b[i].first), made_of<operation>(a[i].second, b[i].second)});
  }
  // The last element of an odd number of them; one thread of all does it.
  PIBENCH_DEVICE void odd_end() const {
    if (arguments.elements % 2 == 0 || block_index() != 0 || thread_index() != 0) return;
    const std::uint64_t last = arguments.elements - 1;
    arguments.out[last] =
        made_of<operation>(kReadsA ? arguments.a[last] : 0, kReadsB ? arguments.b[last] : 0);
  }
};

template <Operation operation, bool streaming>
PIBENCH_DEVICE void memory_pass(const MemoryArguments& arguments) {
  const Pass<operation, streaming, kPassThreads> pass{arguments};
  over_pairs(
      arguments.elements / 2, [&](std::uint64_t at) { pass.template pairs<4>(at); },
      [&](std::uint64_t at) { pass.template pairs<1>(at); });
  pass.odd_end();
}

// Each thread `count` times 16 bytes, and no more.
template <Operation operation, bool streaming, std::uint32_t threads, std::uint32_t count>
PIBENCH_DEVICE void once_pass(const MemoryArguments& arguments) {
  const Pass<operation, streaming, threads> pass{arguments};
  const std::uint64_t pairs = arguments.elements / 2;
  const std::uint64_t first = std::uint64_t{block_index()} * threads * count + thread_index();
  if (first + (count - 1) * threads < pairs) {
    pass.template pairs<count>(first);
  } else {
    // The end of an array: unrolled it would take registers from all that comes before.
    PIBENCH_ROLLED
    for (std::uint64_t at = first; at < pairs; at += threads) pass.template pairs<1>(at);
  }
  pass.odd_end();
}

template <bool streaming>
PIBENCH_DEVICE void read_pass(const MemoryArguments& arguments) {
  std::uint64_t sum = 0;
  over_pairs(
      arguments.elements / 2,
      [&](std::uint64_t at) {
        Pair a[4];
        PIBENCH_UNROLL
        for (std::uint32_t i = 0; i < 4; ++i) a[i] = load_pair<streaming>(arguments.a, at + i * kPassThreads);
        PIBENCH_UNROLL
        for (const Pair& pair : a) sum += bits_of(pair);
      },
      [&](std::uint64_t at) { sum += bits_of(load_pair<streaming>(arguments.a, at)); });
  if (arguments.elements % 2 != 0 && block_index() == 0 && thread_index() == 0)
    sum += std::bit_cast<std::uint64_t>(arguments.a[arguments.elements - 1]);
  sum = sum_of_warp(sum);
  if (thread_index() % 32 == 0) add_atomically(arguments.sum, sum);
}

}  // namespace pibench::kernels::cuda
