// Tiles of two vectors of columns, of operands where they lie, that ask for nothing, and those beside and
// below them, panel by panel in one call. What is written to the stack between two tiles seems to wait behind
// the burst of stores with which a tile ends, and the next one's multiplications behind that: the
// fewer stores, the faster tiles follow each other on Zen 4. Here there are next to none. Nor is a sum set to
// zero first: the first step multiplies only. Everything is in an unnamed namespace, as in avx512_tile.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "avx512_tile.h"
#include "instruction_set.h"

namespace pibench::kernels {
namespace {

// Half of the rows go by multiply_add_from (kReadsFactor, in avx512_tile.h).
template <typename Arithmetic, int rows>
[[gnu::always_inline]] inline void compute_plain_tile(const Tile& tile, const typename Arithmetic::Unit* a,
                                                      const typename Arithmetic::Unit* b,
                                                      typename Arithmetic::Result* c) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Vector = typename Arithmetic::Vector;
  static_assert(rows <= kWideRows && Arithmetic::kUnit == 1 && Arithmetic::kReadsFactor);
  static_assert(kFewestPlainSteps == std::int64_t{2} * kStepsOfBases);
  constexpr int kLanes = Arithmetic::kLanes;
  constexpr int kBases = (rows + kRowsPerBaseRead - 1) / kRowsPerBaseRead;
  const std::int64_t a_row = tile.a_row;
  const std::int64_t b_step = tile.b_step;

  const Unit* bases[kBases];
#pragma GCC unroll 8
  for (int i = 0; i < kBases; ++i) bases[i] = a + a_row * i * kRowsPerBaseRead;
  Vector sums[rows][kWide];

  // `on`: so many steps after the bases were moved.
  const auto step = [&](auto first, auto on) __attribute__((always_inline)) {
    Vector columns[kWide];
    on_vectors<kWide>([&](int j)
                          __attribute__((always_inline)) { columns[j] = Arithmetic::load(b + j * kLanes); });
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const Unit* const base = bases[i / kRowsPerBaseRead] + on.value;
      if constexpr (!first.value) {
        if (i % kRowsPerBaseRead == 0) {
          on_vectors<kWide>([&](int j) __attribute__((always_inline)) {
            Arithmetic::multiply_add_from(base, columns[j], sums[i][j]);
          });
          continue;
        }
      }
      const auto factor = Arithmetic::broadcast(base + (i % kRowsPerBaseRead) * a_row);
      on_vectors<kWide>([&](int j) __attribute__((always_inline)) {
        if constexpr (first.value)
          sums[i][j] = Arithmetic::multiply(factor, columns[j]);
        else
          sums[i][j] = Arithmetic::multiply_add(factor, columns[j], sums[i][j]);
      });
    }
    b += b_step;
  };
  const auto move_bases = [&](auto steps) __attribute__((always_inline)) {
#pragma GCC unroll 8
    for (int i = 0; i < kBases; ++i) {
      bases[i] += steps.value;
      if constexpr (steps.value > 1) asm("" : "+r"(bases[i]));
    }
  };
  constexpr std::integral_constant<int, 0> none;
  constexpr std::integral_constant<int, 1> one;
  constexpr std::integral_constant<int, kStepsOfBases> two;
  step(std::true_type{}, none);
  step(std::false_type{}, one);
  move_bases(two);
  // Without the last two.
  std::int64_t left = tile.depth - kFewestPlainSteps;
  for (; left >= kStepsOfBases; left -= kStepsOfBases) {
    step(std::false_type{}, none);
    step(std::false_type{}, one);
    move_bases(two);
  }
  if (left > 0) {
    step(std::false_type{}, none);
    move_bases(one);
  }

  // The last two steps row by row, each row's stores behind it.
  Vector columns[kWide];
  Vector next_columns[kWide];
  on_vectors<kWide>([&](int j) __attribute__((always_inline)) {
    columns[j] = Arithmetic::load(b + j * kLanes);
    next_columns[j] = Arithmetic::load(b + b_step + j * kLanes);
  });
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
    const Unit* const row = bases[i / kRowsPerBaseRead] + (i % kRowsPerBaseRead) * a_row;
    const auto factor = Arithmetic::broadcast(row);
    const auto next_factor = Arithmetic::broadcast(row + 1);
    on_vectors<kWide>([&](int j) __attribute__((always_inline)) {
      const Vector sum = Arithmetic::multiply_add(factor, columns[j], sums[i][j]);
      Arithmetic::write(c + j * kLanes, Arithmetic::multiply_add(next_factor, next_columns[j], sum));
    });
    c = next_row(c, tile.ldc);
  }
}

// All tiles below and beside the first.
template <typename Arithmetic, int rows>
void compute_plain(const Tile& tile) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  const auto* b = static_cast<const std::byte*>(tile.b);
  auto* c_of_panel = static_cast<std::byte*>(tile.c);
  for (std::int64_t panels = tile.more + 1; panels > 0; --panels) {
    const auto* a = static_cast<const std::byte*>(tile.a);
    std::byte* c = c_of_panel;
    for (std::int64_t strips = tile.below + 1; strips > 0; --strips) {
      compute_plain_tile<Arithmetic, rows>(tile, reinterpret_cast<const Unit*>(a),
                                           reinterpret_cast<const Unit*>(b), reinterpret_cast<Result*>(c));
      a += tile.a_strip;
      c += tile.c_strip;
    }
    b += tile.b_panel;
    c_of_panel += std::int64_t{kWide} * Arithmetic::kLanes * std::int64_t{sizeof(Result)};
  }
}

}  // namespace
}  // namespace pibench::kernels
