// Up to six rows of two tiles that lie beside each other, four vectors wide, of operands where they lie. 24
// sums take ten loads in each step, where the 28 of a tile of 14 rows and two vectors take 23 (every other
// row reads its factor twice); A passes half as often, and so few of its rows find room in L1 however far
// apart they lie. B passes twice as often: for where it is in L2. Everything is in an unnamed namespace, as
// in avx512_tile.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "avx512_requests.h"
#include "avx512_tile.h"
#include "instruction_set.h"

namespace pibench::kernels {
namespace {

constexpr int kFlatRows = 6;
constexpr int kFlatVectors = static_cast<int>(kTilesOfPair) * kWide;
// Rows of A that are addressed from one base.
constexpr int kRowsPerFlatBase = 3;

template <typename Arithmetic, int rows>
[[gnu::always_inline]] inline void compute_pair(const Tile& tile, const typename Arithmetic::Unit* a,
                                                const typename Arithmetic::Unit* b,
                                                typename Arithmetic::Result* c) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  using Vector = typename Arithmetic::Vector;
  static_assert(rows <= kFlatRows && Arithmetic::kUnit == 1);
  constexpr int kLanes = Arithmetic::kLanes;
  constexpr int kBases = (rows + kRowsPerFlatBase - 1) / kRowsPerFlatBase;
  const std::int64_t a_row = tile.a_row;
  const std::int64_t beside = tile.b_panel / static_cast<std::int64_t>(sizeof(Unit));

  if (tile.prefetch_c) {
    const Result* row = c;
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i, row += tile.ldc) {
#pragma GCC unroll 4
      for (int j = 0; j < kFlatVectors; ++j)
        _mm_prefetch(reinterpret_cast<const char*>(row + j * kLanes) + kEndOfLine, _MM_HINT_T0);
    }
  }

  Vector sums[rows][kFlatVectors];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kFlatVectors; ++j) sums[i][j] = zeros<Vector>();
  }
  const Unit* bases[kBases];
#pragma GCC unroll 2
  for (int i = 0; i < kBases; ++i) bases[i] = a + std::int64_t{i} * kRowsPerFlatBase * a_row;
  for (std::int64_t p = 0; p < tile.depth; ++p) {
    Vector columns[kFlatVectors];
#pragma GCC unroll 4
    for (int j = 0; j < kFlatVectors; ++j)
      columns[j] = Arithmetic::load(b + (j / kWide) * beside + (j % kWide) * kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      Vector factor = Arithmetic::broadcast(bases[i / kRowsPerFlatBase] + (i % kRowsPerFlatBase) * a_row);
      // Else the compiler would have each multiplication read and spread it anew.
      asm("" : "+v"(factor));
#pragma GCC unroll 4
      for (int j = 0; j < kFlatVectors; ++j)
        sums[i][j] = Arithmetic::multiply_add(factor, columns[j], sums[i][j]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < kBases; ++i) ++bases[i];
    b += tile.b_step;
  }

  const auto finish = [&](auto accumulate) __attribute__((always_inline)) {
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kFlatVectors; ++j) {
        Result* const to = c + j * kLanes;
        if constexpr (accumulate.value) sums[i][j] = Arithmetic::add(sums[i][j], Arithmetic::read(to));
        Arithmetic::write(to, sums[i][j]);
      }
      c = next_row(c, tile.ldc);
    }
  };
  if (tile.accumulate)
    finish(std::true_type{});
  else
    finish(std::false_type{});
}

// All pairs of tiles beside and below the first.
template <typename Arithmetic, int rows>
void compute_flat(const Tile& tile) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  const auto* a = static_cast<const std::byte*>(tile.a);
  auto* c_of_strip = static_cast<std::byte*>(tile.c);
  for (std::int64_t strips = tile.below + 1; strips > 0; --strips) {
    const auto* b = static_cast<const std::byte*>(tile.b);
    auto* c = reinterpret_cast<Result*>(c_of_strip);
    for (std::int64_t pairs = (tile.more + 1) / kTilesOfPair; pairs > 0; --pairs) {
      compute_pair<Arithmetic, rows>(tile, reinterpret_cast<const Unit*>(a), reinterpret_cast<const Unit*>(b),
                                     c);
      b += kTilesOfPair * tile.b_panel;
      c += std::int64_t{kFlatVectors} * Arithmetic::kLanes;
    }
    a += tile.a_strip;
    c_of_strip += tile.c_strip;
  }
}

}  // namespace
}  // namespace pibench::kernels
