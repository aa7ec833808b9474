// A small square block of a matrix, transposed in registers that every CPU has.
#pragma once

#include <cstdint>
#include <cstring>

#include "vector_lanes.h"

namespace pibench::kernels {
namespace {

// So many elements at a time as one register holds on every CPU, 128 bits, and no more than four: beyond that
// the compiler goes through memory, which makes packing doubles many times as slow.
template <typename T>
constexpr std::int64_t kStep = sizeof(T) <= 4 ? 4 : 2;

template <typename T>
struct Group {
  using Type __attribute__((vector_size(kStep<T> * sizeof(T)))) = T;
};

// Columns of a block of so many rows, at most as many as a group has elements, whose rows are `ld` apart ->
// rows that are `step` apart. `load(from, group)` reads a group of a row.
template <typename T, int rows = kStep<T>, typename Source, typename Load>
inline void transpose_block(const Source* from, std::int64_t ld, T* to, std::int64_t step,
                            const Load& load) noexcept {
  using Vector = typename Group<T>::Type;
  static_assert(rows >= 1 && rows <= kStep<T>);
  // Rows that are not there take no part: of a column only the first elements are written.
  Vector r[kStep<T>] = {};
  for (int i = 0; i < rows; ++i) load(from + i * ld, r[i]);
  const auto put = [&](std::int64_t row, const Vector& column) {
    std::memcpy(to + row * step, &column, rows * sizeof(T));
  };
  if constexpr (kStep<T> == 2) {
    put(0, shuffled<0, 2>(r[0], r[1]));
    put(1, shuffled<1, 3>(r[0], r[1]));
  } else {
    const auto low01 = shuffled<0, 4, 1, 5>(r[0], r[1]);
    const auto low23 = shuffled<0, 4, 1, 5>(r[2], r[3]);
    const auto high01 = shuffled<2, 6, 3, 7>(r[0], r[1]);
    const auto high23 = shuffled<2, 6, 3, 7>(r[2], r[3]);
    put(0, shuffled<0, 1, 4, 5>(low01, low23));
    put(1, shuffled<2, 3, 6, 7>(low01, low23));
    put(2, shuffled<0, 1, 4, 5>(high01, high23));
    put(3, shuffled<2, 3, 6, 7>(high01, high23));
  }
}

}  // namespace
}  // namespace pibench::kernels
