// What measuring needs beside what is measured: filling operands, poison, fingerprints, comparing, and the
// gate behind which work is queued.
//
// Written over instructions.h, or a model of it, which has to be included before.
#pragma once

#include <bit>
#include <cstdint>

#include "arguments.h"
#include "arithmetic.h"
#include "types.h"

namespace pibench::kernels::cuda {

// Calls `body(i)` for each i below `count`, all threads of the grid together.
template <typename Body>
PIBENCH_DEVICE void over_all(std::uint64_t count, const Body& body) {
  const std::uint64_t threads = static_cast<std::uint64_t>(threads_of_block()) * blocks_of_grid();
  for (std::uint64_t i = static_cast<std::uint64_t>(threads_of_block()) * block_index() + thread_index();
       i < count; i += threads)
    body(i);
}

PIBENCH_DEVICE void fill(const FillArguments& arguments) {
  const auto element = static_cast<Element>(arguments.element);
  const auto rows = static_cast<std::uint64_t>(arguments.rows);
  const auto columns = static_cast<std::uint64_t>(arguments.columns);
  over_all(static_cast<std::uint64_t>(arguments.matrices) * rows * columns, [&](std::uint64_t i) {
    std::uint64_t number = i;
    if (arguments.transposed != 0) {
      // The place i is element (row, column) of its matrix.
      const std::uint64_t matrix = i / (rows * columns);
      const std::uint64_t column = i % (rows * columns) / rows;
      const std::uint64_t row = i % rows;
      number = (matrix * rows + row) * columns + column;
    }
    const double value = drawn_value(arguments.stream, number, element, arguments.values, arguments.limit);
    switch (bytes_of(element)) {
      case 8:
        static_cast<double*>(arguments.data)[i] = value;
        break;
      case 4:
        static_cast<std::uint32_t*>(arguments.data)[i] = bits_in(element, value);
        break;
      case 2:
        static_cast<std::uint16_t*>(arguments.data)[i] = static_cast<std::uint16_t>(bits_in(element, value));
        break;
      default:
        static_cast<std::uint8_t*>(arguments.data)[i] = static_cast<std::uint8_t>(bits_in(element, value));
    }
  });
}

PIBENCH_DEVICE void pattern(const PatternArguments& arguments) {
  over_all(arguments.words, [&](std::uint64_t i) { arguments.data[i] = arguments.value; });
}

PIBENCH_DEVICE void fingerprint(const FingerprintArguments& arguments) {
  std::uint64_t sum = 0;
  over_all(arguments.words, [&](std::uint64_t i) { sum += fingerprint_of(i, arguments.data[i]); });
  sum = sum_of_warp(sum);
  if (thread_index() % 32 == 0) add_atomically(arguments.sum, sum);
}

PIBENCH_DEVICE void compare(const CompareArguments& arguments) {
  std::uint64_t different = 0;
  over_all(arguments.words, [&](std::uint64_t i) {
    if (arguments.left[i] == arguments.right[i]) return;
    if (different++ == 0) lower_atomically(arguments.first, i);
  });
  different = sum_of_warp(different);
  if (thread_index() % 32 == 0 && different != 0) add_atomically(arguments.different, different);
}

PIBENCH_DEVICE void spin_gate(const SpinGateArguments& arguments) {
  const std::uint64_t begin = nanoseconds();
  while (load_from_host(arguments.flag) == 0) {
    if (nanoseconds() - begin < arguments.limit_ns) continue;
    store_to_host(arguments.gave_up, 1);
    return;
  }
}

}  // namespace pibench::kernels::cuda
