// A small square block of a matrix, transposed in registers that every CPU has.
#pragma once

#include <cstdint>
#include <cstring>

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

// Columns of a square block whose rows are `ld` apart -> rows that are `step` apart. `load(from, group)`
// reads a group of a row.
template <typename T, typename Source, typename Load>
inline void transpose_block(const Source* from, std::int64_t ld, T* to, std::int64_t step,
                            const Load& load) noexcept {
  using Vector = typename Group<T>::Type;
  Vector r0;
  Vector r1;
  load(from, r0);
  load(from + ld, r1);
#if defined(__has_builtin) && __has_builtin(__builtin_shufflevector)
  const auto put = [&](std::int64_t row, const Vector& column) {
    std::memcpy(to + row * step, &column, sizeof(column));
  };
  if constexpr (kStep<T> == 2) {
    put(0, __builtin_shufflevector(r0, r1, 0, 2));
    put(1, __builtin_shufflevector(r0, r1, 1, 3));
  } else {
    Vector r2;
    Vector r3;
    load(from + 2 * ld, r2);
    load(from + 3 * ld, r3);
    const auto low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
    const auto low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
    const auto high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
    const auto high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
    put(0, __builtin_shufflevector(low01, low23, 0, 1, 4, 5));
    put(1, __builtin_shufflevector(low01, low23, 2, 3, 6, 7));
    put(2, __builtin_shufflevector(high01, high23, 0, 1, 4, 5));
    put(3, __builtin_shufflevector(high01, high23, 2, 3, 6, 7));
  }
#else
  const auto scatter = [&](std::int64_t column, const Vector& row) {
    for (std::int64_t p = 0; p < kStep<T>; ++p) to[p * step + column] = row[p];
  };
  scatter(0, r0);
  scatter(1, r1);
  for (std::int64_t i = 2; i < kStep<T>; ++i) {
    load(from + i * ld, r0);
    scatter(i, r0);
  }
#endif
}

}  // namespace
}  // namespace pibench::kernels
