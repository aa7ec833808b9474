// The micro-kernel of the NEON instruction sets that multiply vectors by an element: 12 rows of two vectors
// of 128 bits. What one step of the depth does, the template's Arithmetic says.
//
// Everything is in an unnamed namespace: each file that includes this gets code of its own, compiled with its
// own flags.
#pragma once

#include <arm_neon.h>

#include "instruction_set.h"

namespace pibench::kernels {
namespace {

constexpr int kTileRows = 12;  // 12 x 2 accumulators, 2 vectors of B, 12 elements of A: 29 of 32 registers
constexpr int kTileVectors = 2;

// Arithmetic:
//   Unit     what is read of one lane at a time: one element, or the quadruple of a dot product
//   Result   element of C
//   Vector   accumulators; kLanes of them
//   Columns  kLanes units of B; load_columns(const Unit*)
//   Group    kGroup units of A, of as many rows; load_group(const Unit*)
//   kUnit    elements in a unit
//   kAlwaysPacked  whether A is never read where it lies
//   multiply_add<lane>(Group, Columns, sum), and, unless always packed, multiply_add(Unit, Columns, sum)
//   zero(), read(const Result*), write(Result*, Vector), add(a, b)

// Multiplies the rows from `row` on by element `lane` and those after it of a group.
template <typename Arithmetic, int row, int lane, int rows>
[[gnu::always_inline]] inline void multiply_group(
    const typename Arithmetic::Group& group, const typename Arithmetic::Columns (&b)[kTileVectors],
    typename Arithmetic::Vector (&sums)[rows][kTileVectors]) noexcept {
  sums[row][0] = Arithmetic::template multiply_add<lane>(group, b[0], sums[row][0]);
  sums[row][1] = Arithmetic::template multiply_add<lane>(group, b[1], sums[row][1]);
  if constexpr (lane + 1 < Arithmetic::kGroup && row + 1 < rows) {
    multiply_group<Arithmetic, row + 1, lane + 1>(group, b, sums);
  }
}

// Whether a row and those after it are read as a group, which takes fewer loads. A group that hangs over the
// last row reads beyond it: after packed A there is room (kPackingSlack), after a matrix there is not.
template <typename Arithmetic, bool in_place, int rows_left>
constexpr bool kInGroup = !in_place && (rows_left >= Arithmetic::kGroup || Arithmetic::kAlwaysPacked);

// One step of the depth for the rows from `row` on.
template <typename Arithmetic, bool in_place, int row, int rows>
[[gnu::always_inline]] inline void multiply_rows(
    const typename Arithmetic::Unit* a, std::int64_t a_row,
    const typename Arithmetic::Columns (&b)[kTileVectors],
    typename Arithmetic::Vector (&sums)[rows][kTileVectors]) noexcept {
  if constexpr (row < rows) {
    if constexpr (kInGroup<Arithmetic, in_place, rows - row>) {
      multiply_group<Arithmetic, row, 0>(Arithmetic::load_group(a + row), b, sums);
      multiply_rows<Arithmetic, in_place, row + Arithmetic::kGroup>(a, a_row, b, sums);
    } else {
      const typename Arithmetic::Unit unit = a[in_place ? row * a_row : row];
      sums[row][0] = Arithmetic::multiply_add(unit, b[0], sums[row][0]);
      sums[row][1] = Arithmetic::multiply_add(unit, b[1], sums[row][1]);
      multiply_rows<Arithmetic, in_place, row + 1>(a, a_row, b, sums);
    }
  }
}

template <typename Arithmetic, int rows, bool in_place>
void compute_tile(const Tile& tile) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  constexpr int kLanes = Arithmetic::kLanes;

  const auto* a = static_cast<const Unit*>(tile.a);
  const auto* b = static_cast<const Unit*>(tile.b);
  auto* c = static_cast<Result*>(tile.c);
  const std::int64_t ldc = tile.ldc;
  const std::int64_t units = tile.depth / Arithmetic::kUnit;
  const std::int64_t a_step = tile.a_step / Arithmetic::kUnit;
  const std::int64_t b_step = tile.b_step / Arithmetic::kUnit;
  const std::int64_t a_row = tile.a_row;

  typename Arithmetic::Vector sums[rows][kTileVectors];
#pragma GCC unroll 12
  for (int i = 0; i < rows; ++i) {
    sums[i][0] = Arithmetic::zero();
    sums[i][1] = Arithmetic::zero();
    // The tile of C is needed at the end: ask for it now, to write. Into L2, because A and B fill L1 until
    // then.
    __builtin_prefetch(c + i * ldc, 1, 2);
  }
  for (std::int64_t p = 0; p < units; ++p) {
    const typename Arithmetic::Columns columns[kTileVectors] = {Arithmetic::load_columns(b),
                                                                Arithmetic::load_columns(b + kLanes)};
    multiply_rows<Arithmetic, in_place, 0>(a, a_row, columns, sums);
    a += a_step;
    b += b_step;
  }
#pragma GCC unroll 12
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < kTileVectors; ++j) {
      Result* at = c + i * ldc + j * kLanes;
      Arithmetic::write(at, tile.accumulate ? Arithmetic::add(sums[i][j], Arithmetic::read(at)) : sums[i][j]);
    }
  }
}

template <typename Arithmetic, bool in_place>
constexpr ComputeTile kTileByRows[kTileRows] = {
    compute_tile<Arithmetic, 1, in_place>,  compute_tile<Arithmetic, 2, in_place>,
    compute_tile<Arithmetic, 3, in_place>,  compute_tile<Arithmetic, 4, in_place>,
    compute_tile<Arithmetic, 5, in_place>,  compute_tile<Arithmetic, 6, in_place>,
    compute_tile<Arithmetic, 7, in_place>,  compute_tile<Arithmetic, 8, in_place>,
    compute_tile<Arithmetic, 9, in_place>,  compute_tile<Arithmetic, 10, in_place>,
    compute_tile<Arithmetic, 11, in_place>, compute_tile<Arithmetic, 12, in_place>};

}  // namespace
}  // namespace pibench::kernels
