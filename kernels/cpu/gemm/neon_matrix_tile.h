// The micro-kernel of the NEON instruction sets that multiply small matrices: 12 rows of 8 columns, in blocks
// of 2 x 2. One instruction multiplies two rows of A, 8 bytes deep, by two columns of B, so a unit of the
// depth is 8 bytes: 8 int8 or 4 bfloat16.
//
// Everything is in an unnamed namespace, as in neon_tile.h.
#pragma once

#include <arm_neon.h>

#include "instruction_set.h"

namespace pibench::kernels {
namespace {

constexpr int kMatrixRows = 12;    // 6 x 4 accumulators, 4 vectors of B, two of A: 30 of 32 registers
constexpr int kMatrixColumns = 8;  // two vectors of C
constexpr int kColumnPairs = kMatrixColumns / 2;
constexpr std::int64_t kUnitBytes = 8;

// The units of two rows. Of the last of an odd number of rows there is only its own: packed A may end there,
// and what follows it is not ours to read.
template <bool both>
[[gnu::always_inline]] inline uint8x16_t load_rows(const std::uint8_t* from) noexcept {
  if constexpr (both) {
    return vld1q_u8(from);
  } else {
    return vcombine_u8(vld1_u8(from), vdup_n_u8(0));
  }
}

template <typename Arithmetic, int rows, int row>
[[gnu::always_inline]] inline void multiply_row_pairs(
    const std::uint8_t* a, const uint8x16_t (&b)[kColumnPairs],
    typename Arithmetic::Vector (&sums)[(rows + 1) / 2][kColumnPairs]) noexcept {
  // At most two pairs of A in registers: a compiler that loads them all at once runs out and spills sums.
  if constexpr (row % 4 == 0) asm volatile("" ::: "memory");
  const uint8x16_t pair = load_rows<(row + 1 < rows)>(a + row * kUnitBytes);
#pragma GCC unroll 4
  for (int j = 0; j < kColumnPairs; ++j) {
    sums[row / 2][j] = Arithmetic::multiply_add(pair, b[j], sums[row / 2][j]);
  }
  if constexpr (row + 2 < rows) multiply_row_pairs<Arithmetic, rows, row + 2>(a, b, sums);
}

// Arithmetic:
//   Result, Vector  element of C, and a block of 2 x 2 of them: row by row
//   kUnit           elements in 8 bytes
//   multiply_add(two rows of A, two columns of B, sum)
//   zero(), read(const Result*), write(Result*, Vector), add(a, b)
//   upper(left, right), lower(left, right)  the first, and the second row of two blocks side by side
template <typename Arithmetic, int rows>
void compute_matrix_tile(const Tile& tile) noexcept {
  using Result = typename Arithmetic::Result;
  using Vector = typename Arithmetic::Vector;
  constexpr int kPairs = (rows + 1) / 2;

  const auto* a = static_cast<const std::uint8_t*>(tile.a);
  const auto* b = static_cast<const std::uint8_t*>(tile.b);
  auto* c = static_cast<Result*>(tile.c);
  const std::int64_t ldc = tile.ldc;
  const std::int64_t units = tile.depth / Arithmetic::kUnit;

  Vector sums[kPairs][kColumnPairs];
#pragma GCC unroll 6
  for (int i = 0; i < kPairs; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kColumnPairs; ++j) sums[i][j] = Arithmetic::zero();
  }
  // The tile of C is needed at the end: ask for it now, to write. Into L2, because A and B fill L1 until
  // then.
#pragma GCC unroll 12
  for (int i = 0; i < rows; ++i) __builtin_prefetch(c + i * ldc, 1, 2);

  for (std::int64_t p = 0; p < units; ++p) {
    const uint8x16_t columns[kColumnPairs] = {vld1q_u8(b), vld1q_u8(b + 16), vld1q_u8(b + 32),
                                              vld1q_u8(b + 48)};
    multiply_row_pairs<Arithmetic, rows, 0>(a, columns, sums);
    a += rows * kUnitBytes;
    b += kMatrixColumns * kUnitBytes;
  }
#pragma GCC unroll 12
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < kColumnPairs; j += 2) {
      const Vector left = sums[i / 2][j];
      const Vector right = sums[i / 2][j + 1];
      const Vector row = i % 2 == 0 ? Arithmetic::upper(left, right) : Arithmetic::lower(left, right);
      Result* at = c + i * ldc + 2 * j;
      Arithmetic::write(at, tile.accumulate ? Arithmetic::add(row, Arithmetic::read(at)) : row);
    }
  }
}

template <typename Arithmetic>
constexpr ComputeTile kMatrixByRows[kMatrixRows] = {
    compute_matrix_tile<Arithmetic, 1>,  compute_matrix_tile<Arithmetic, 2>,
    compute_matrix_tile<Arithmetic, 3>,  compute_matrix_tile<Arithmetic, 4>,
    compute_matrix_tile<Arithmetic, 5>,  compute_matrix_tile<Arithmetic, 6>,
    compute_matrix_tile<Arithmetic, 7>,  compute_matrix_tile<Arithmetic, 8>,
    compute_matrix_tile<Arithmetic, 9>,  compute_matrix_tile<Arithmetic, 10>,
    compute_matrix_tile<Arithmetic, 11>, compute_matrix_tile<Arithmetic, 12>};

}  // namespace
}  // namespace pibench::kernels
