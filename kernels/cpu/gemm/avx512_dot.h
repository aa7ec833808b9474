// The micro-kernel of products of at most four columns: each element of C is an inner product along the
// depth, sixteen or eight elements at a time, because vectors across so few columns would be mostly empty.
// Everything is in an unnamed namespace, as in avx512_tile.h.
#pragma once

#include <immintrin.h>

#include <utility>

#include "instruction_set.h"

namespace pibench::kernels {
namespace {

constexpr int kDotRows = 6;
constexpr int kDotColumns = 4;  // 24 accumulators, 4 vectors of B, one of A

// Packed operands are [depth / kLanes][lane][kLanes]: unit = kLanes. In place, a row of A lies like that.
template <typename Arithmetic, int rows, bool in_place>
void compute_dots(const Tile& tile) noexcept {
  using Element = typename Arithmetic::Unit;
  using Vector = typename Arithmetic::Vector;
  constexpr int kLanes = Arithmetic::kLanes;
  const auto* a = static_cast<const Element*>(tile.a);
  const auto* b = static_cast<const Element*>(tile.b);
  auto* c = static_cast<typename Arithmetic::Result*>(tile.c);
  const std::int64_t a_row = in_place ? tile.a_row : kLanes;
  const std::int64_t a_step = in_place ? kLanes : tile.a_step;

  Vector sums[rows][kDotColumns];
#pragma GCC unroll 8
  for (auto& row : sums) {
#pragma GCC unroll 4
    for (Vector& sum : row) sum = Arithmetic::start(nullptr, 0);
  }
  const auto step = [&](const auto& load_a) __attribute__((always_inline)) {
    Vector columns[kDotColumns];
#pragma GCC unroll 4
    for (int j = 0; j < kDotColumns; ++j) columns[j] = Arithmetic::load(b + j * kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const Vector elements = load_a(a + i * a_row);
#pragma GCC unroll 4
      for (int j = 0; j < kDotColumns; ++j) {
        sums[i][j] = Arithmetic::multiply_add(elements, columns[j], sums[i][j]);
      }
    }
    a += a_step;
    b += kDotColumns * kLanes;
  };
  std::int64_t p = 0;
  for (; p + kLanes <= tile.depth; p += kLanes) {
    step([](const Element* from) __attribute__((always_inline)) { return Arithmetic::load(from); });
  }
  if (p < tile.depth) {
    // B is filled up with zeros; A, in place, ends.
    const auto rest =
        static_cast<typename Arithmetic::Mask>((1U << static_cast<unsigned>(tile.depth - p)) - 1U);
    step([rest](const Element* from) __attribute__((always_inline)) { return Arithmetic::load(rest, from); });
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kDotColumns; ++j) {
      if (j >= tile.columns) continue;
      auto* at = c + i * tile.ldc + j;
      const auto sum = Arithmetic::total(sums[i][j]);
      *at = tile.accumulate ? *at + sum : sum;
    }
  }
}

template <typename Arithmetic, bool in_place, int... below>
constexpr auto dot_functions(std::integer_sequence<int, below...>) {
  struct Functions {
    ComputeTile by_rows[kDotRows];
  };
  return Functions{{compute_dots<Arithmetic, below + 1, in_place>...}};
}
template <typename Arithmetic, bool in_place>
constexpr auto kDots = dot_functions<Arithmetic, in_place>(std::make_integer_sequence<int, kDotRows>{});

template <typename Arithmetic>
constexpr MicroKernel dot_kernel(DataType type, const Packing* packing) {
  MicroKernel kernel{type,
                     packing,
                     sizeof(typename Arithmetic::Result),
                     kDotRows,
                     kDotColumns,
                     kDots<Arithmetic, false>.by_rows,
                     kDots<Arithmetic, true>.by_rows};
  kernel.any_columns = true;
  kernel.any_depth = true;
  return kernel;
}

}  // namespace
}  // namespace pibench::kernels
