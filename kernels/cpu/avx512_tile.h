// The micro-kernel of every AVX-512 instruction set: 14 rows of two vectors of 512 bits. What one step of the
// depth does, the template's Arithmetic says.
//
// Everything is in an unnamed namespace: each file that includes this gets code of its own, compiled with its
// own flags.
#pragma once

#include <immintrin.h>

#include "instruction_set.h"

namespace pibench::kernels {
namespace {

constexpr int kTileRows = 14;  // 14 x 2 accumulators, 2 vectors of B, one element of A: 31 of 32 registers
constexpr int kTileVectors = 2;

// Rows of A where they lie are addressed from a few bases, so that the addresses fit into the scalar
// registers.
constexpr int kRowsPerBase = 5;

// Arithmetic:
//   Unit         what is read of one lane at a time: one element, or the pair or quadruple of a dot product
//   Result       element of C
//   Vector       accumulators; kLanes of them
//   broadcast(const Unit*), load(const Unit*), multiply_add(a, b, sum)
//   start(const void* trailer, vector)  what the sums begin with; the trailer is what follows the panel of B
//   read(const Result*), write(Result*, Vector), add(a, b)
template <typename Arithmetic, int rows, bool in_place>
void compute_tile(const Tile& tile) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  using Vector = typename Arithmetic::Vector;
  constexpr int kLanes = Arithmetic::kLanes;

  const auto* a = static_cast<const Unit*>(tile.a);
  const auto* b = static_cast<const Unit*>(tile.b);
  auto* c = static_cast<Result*>(tile.c);
  const std::int64_t ldc = tile.ldc;
  const std::int64_t units = tile.depth / Arithmetic::kUnit;
  const std::int64_t a_step = tile.a_step / Arithmetic::kUnit;
  const std::int64_t b_step = tile.b_step / Arithmetic::kUnit;
  const std::int64_t a_row = tile.a_row;
  const Unit* bases[3] = {a, a + kRowsPerBase * a_row, a + 2 * kRowsPerBase * a_row};

  Vector sums[rows][kTileVectors];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < kTileVectors; ++j) {
      sums[i][j] = Arithmetic::start(b + units * b_step, j);
      // The tile of C is needed at the end: ask for it now. Into L2, because A and B fill L1 until then.
      _mm_prefetch(reinterpret_cast<const char*>(c + i * ldc + j * kLanes), _MM_HINT_T1);
    }
  }
  for (std::int64_t p = 0; p < units; ++p) {
    const auto b0 = Arithmetic::load(b);
    const auto b1 = Arithmetic::load(b + kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const auto element = in_place
                               ? Arithmetic::broadcast(bases[i / kRowsPerBase] + (i % kRowsPerBase) * a_row)
                               : Arithmetic::broadcast(a + i);
      sums[i][0] = Arithmetic::multiply_add(element, b0, sums[i][0]);
      sums[i][1] = Arithmetic::multiply_add(element, b1, sums[i][1]);
    }
    if constexpr (in_place) {
      ++bases[0];
      ++bases[1];
      ++bases[2];
    } else {
      a += a_step;
    }
    b += b_step;
  }
#pragma GCC unroll 16
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
    compute_tile<Arithmetic, 11, in_place>, compute_tile<Arithmetic, 12, in_place>,
    compute_tile<Arithmetic, 13, in_place>, compute_tile<Arithmetic, 14, in_place>};

}  // namespace
}  // namespace pibench::kernels
