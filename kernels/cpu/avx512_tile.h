// The micro-kernel of every AVX-512 instruction set: 14 rows of two vectors of 512 bits. What one step of the
// depth does, the template's Arithmetic says.
//
// Everything is in an unnamed namespace: each file that includes this gets code of its own, compiled with its
// own flags.
#pragma once

#include <immintrin.h>

#include <type_traits>

#include "instruction_set.h"

namespace pibench::kernels {
namespace {

constexpr int kTileRows = 14;  // 14 x 2 accumulators, 2 vectors of B, one element of A: 31 of 32 registers
constexpr int kTileVectors = 2;

// Rows of A where they lie are addressed from a few bases, so that the addresses fit into the scalar
// registers.
constexpr int kRowsPerBase = 5;

// A register of zeros of its own: the compiler would make one and copy it, which takes an execution slot each.
template <typename Vector>
inline Vector zeros() noexcept {
  Vector zero;
  asm("vpxord %0, %0, %0" : "=v"(zero));
  return zero;
}

// Keeps the compiler from computing the addresses of all rows before the loop and spilling them.
template <typename T>
inline T* next_row(T* row, std::int64_t ld) noexcept {
  row += ld;
  asm("" : "+r"(row));
  return row;
}

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

  if (tile.prefetch_c) {
    // It is needed at the end: ask for it now. Into L2, because A and B fill L1 until then.
    const Result* row = c;
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
      for (int j = 0; j < kTileVectors; ++j) {
        _mm_prefetch(reinterpret_cast<const char*>(row + j * kLanes), _MM_HINT_T1);
      }
      row = next_row(row, ldc);
    }
  }
  Vector sums[rows][kTileVectors];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < kTileVectors; ++j) sums[i][j] = Arithmetic::start(b + units * b_step, j);
  }
  // Element of A of row i, `ahead` units further down the depth.
  const auto element = [&](int i, std::int64_t ahead) __attribute__((always_inline)) {
    return in_place ? Arithmetic::broadcast(bases[i / kRowsPerBase] + (i % kRowsPerBase) * a_row + ahead)
                    : Arithmetic::broadcast(a + ahead * a_step + i);
  };
  const auto advance = [&]() __attribute__((always_inline)) {
    if constexpr (in_place) {
      ++bases[0];
      ++bases[1];
      ++bases[2];
    } else {
      a += a_step;
    }
    b += b_step;
  };
  const auto step = [&]() __attribute__((always_inline)) {
    const auto b0 = Arithmetic::load(b);
    const auto b1 = Arithmetic::load(b + kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const auto factor = element(i, 0);
      sums[i][0] = Arithmetic::multiply_add(factor, b0, sums[i][0]);
      sums[i][1] = Arithmetic::multiply_add(factor, b1, sums[i][1]);
    }
    advance();
  };
  for (std::int64_t p = 2; p < units; ++p) step();
  // Stores one row, to which C's is added where the tile accumulates.
  const auto finish = [&](auto accumulate, Vector sum0, Vector sum1) __attribute__((always_inline)) {
    if constexpr (accumulate.value) {
      sum0 = Arithmetic::add(sum0, Arithmetic::read(c));
      sum1 = Arithmetic::add(sum1, Arithmetic::read(c + kLanes));
    }
    Arithmetic::write(c, sum0);
    Arithmetic::write(c + kLanes, sum1);
    c = next_row(c, ldc);
  };
  // The last two steps row by row, each row's stores behind it: one burst of stores at the end would keep the
  // next tile's multiplications waiting.
  const auto finish_all = [&](auto accumulate) __attribute__((always_inline)) {
    if (units < 2) {
      step();
#pragma GCC unroll 16
      for (int i = 0; i < rows; ++i) finish(accumulate, sums[i][0], sums[i][1]);
      return;
    }
    const auto b0 = Arithmetic::load(b);
    const auto b1 = Arithmetic::load(b + kLanes);
    const auto next_b0 = Arithmetic::load(b + b_step);
    const auto next_b1 = Arithmetic::load(b + b_step + kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const auto factor = element(i, 0);
      const auto next_factor = element(i, 1);
      const Vector sum0 = Arithmetic::multiply_add(factor, b0, sums[i][0]);
      const Vector sum1 = Arithmetic::multiply_add(factor, b1, sums[i][1]);
      finish(accumulate, Arithmetic::multiply_add(next_factor, next_b0, sum0),
             Arithmetic::multiply_add(next_factor, next_b1, sum1));
    }
  };
  if (tile.accumulate) {
    finish_all(std::true_type{});
  } else {
    finish_all(std::false_type{});
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
