// The micro-kernels of AVX2: 6 rows of two vectors of 256 bits. What one step of the depth does, the
// template's Arithmetic says. Everything is in an unnamed namespace, as in avx512_tile.h.
#pragma once

#include <immintrin.h>

#include "instruction_set.h"

namespace pibench::kernels {
namespace {

constexpr int kRows = 6;  // 6 x 2 accumulators, 2 vectors of B, one element of A: 15 of 16 registers
constexpr int kVectors = 2;

// Rows of A where they lie are addressed from every third: base, base + row, base + 2 * row.
constexpr int kRowsPerBase = 3;

// Lower tiles do not pack the B that they read. So many rows before they do the others ask for it.
constexpr int kRowsToCopyFrom = 4;
constexpr std::int64_t kCopyAhead = 16;

// So many steps have one loop's instructions between them: a core whose other hyperthread is at work, too, is
// given half of what it can decode, and then each instruction counts (measured on Zen 3: 1.1 beside one; 8
// steps no better).
constexpr int kStepsAtOnce = 4;

// Arithmetic:
//   Unit         what is read of one lane at a time: one element, or the pair of a dot product
//   kUnit        elements of a Unit
//   Result       element of C
//   Vector       accumulators; kLanes of them
//   Mask         which lanes of a vector exist: first_lanes(count)
//   kCopies      whether tiles can pack the B that they read
//   zero(), broadcast(const Unit*), load(const Unit*), load(Mask, const Unit*)
//   accumulate(a, b, sum)  multiplies and adds, by an instruction that is written as one: the compiler would
//                let sums move from register to register, and to memory, over several steps
//   read(const Result*), write(Result*, Vector), stream(Result*, Vector), add(a, b)
//   read_first(const Result*, count), write_first(Result*, count, Vector)  of the first lanes only

// A tile while it is computed. `whole`: every lane exists.
template <typename Arithmetic, int rows, bool in_place, bool whole>
struct Steps {
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  using Vector = typename Arithmetic::Vector;
  static constexpr int kLanes = Arithmetic::kLanes;
  static constexpr int kColumns = kVectors * kLanes;

  const Unit* a;
  const Unit* upper_a;  // of row kRowsPerBase
  const Unit* b;
  Result* copy;
  std::int64_t a_step, a_row, b_step;
  typename Arithmetic::Mask masks[kVectors];
  Vector sums[rows][kVectors];

  [[gnu::always_inline]] Vector load(const Unit* row, int j) const noexcept {
    if constexpr (whole)
      return Arithmetic::load(row + j * kLanes);
    else
      return Arithmetic::load(masks[j], row + j * kLanes);
  }
  // Element of A of row i, so many steps further on.
  [[gnu::always_inline]] Vector factor(int i, int on) const noexcept {
    if constexpr (!in_place) return Arithmetic::broadcast(a + on * rows + i);
    return Arithmetic::broadcast((i < kRowsPerBase ? a : upper_a) + (i % kRowsPerBase) * a_row + on);
  }
  // One step, of this row of B.
  template <bool copying>
  [[gnu::always_inline]] void multiply(const Unit* row, int on) noexcept {
    const Vector b0 = load(row, 0);
    const Vector b1 = load(row, 1);
    if constexpr (copying) {
      _mm_prefetch(reinterpret_cast<const char*>(row + kCopyAhead * b_step) + kEndOfLine, _MM_HINT_T0);
      Arithmetic::write(copy, b0);
      Arithmetic::write(copy + kLanes, b1);
      copy += kColumns;
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const Vector element = factor(i, on);
      sums[i][0] = Arithmetic::accumulate(element, b0, sums[i][0]);
      sums[i][1] = Arithmetic::accumulate(element, b1, sums[i][1]);
    }
  }
  [[gnu::always_inline]] void further(std::int64_t a_by, std::int64_t b_by) noexcept {
    a += a_by;
    b += b_by;
    asm("" : "+r"(a), "+r"(b));
    if constexpr (in_place && rows > kRowsPerBase) {
      upper_a += a_by;
      asm("" : "+r"(upper_a));
    }
  }
  template <bool copying>
  [[gnu::always_inline]] void step() noexcept {
    multiply<copying>(b, 0);
    further(in_place ? 1 : a_step, b_step);
  }
  // The last step row by row, each row's stores behind it. `counts`: of the columns of each vector.
  template <bool accumulate, bool stream>
  [[gnu::always_inline]] void finish(Result* c, std::int64_t ldc, const int* counts) noexcept {
    const Vector b0 = load(b, 0);
    const Vector b1 = load(b, 1);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const Vector element = factor(i, 0);
      const Vector row[kVectors] = {Arithmetic::multiply_add(element, b0, sums[i][0]),
                                    Arithmetic::multiply_add(element, b1, sums[i][1])};
#pragma GCC unroll 2
      for (int j = 0; j < kVectors; ++j) {
        Result* at = c + j * kLanes;
        if constexpr (stream) {
          Arithmetic::stream(at, row[j]);
        } else if constexpr (whole) {
          Arithmetic::write(at, accumulate ? Arithmetic::add(row[j], Arithmetic::read(at)) : row[j]);
        } else if (counts[j] > 0) {
          Arithmetic::write_first(
              at, counts[j],
              accumulate ? Arithmetic::add(row[j], Arithmetic::read_first(at, counts[j])) : row[j]);
        }
      }
      c += ldc;
      asm("" : "+r"(c));
    }
  }
};

// A tile of one step of the depth or more.
template <typename Arithmetic, int rows, bool in_place, bool whole>
[[gnu::always_inline]] inline void compute_steps(const Tile& tile) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  constexpr int kLanes = Arithmetic::kLanes;
  constexpr bool can_copy = Arithmetic::kCopies && !in_place && whole && rows >= kRowsToCopyFrom;

  auto* c = static_cast<Result*>(tile.c);
  // The rows of C are needed at the end. Into L2, because A and B fill L1 until then.
  if (tile.prefetch_c && !tile.stream_c) {
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
      _mm_prefetch(reinterpret_cast<const char*>(c + i * tile.ldc) + kEndOfLine, _MM_HINT_T1);
  }
  Steps<Arithmetic, rows, in_place, whole> steps;
  steps.a = static_cast<const Unit*>(tile.a);
  steps.b = static_cast<const Unit*>(tile.b);
  steps.copy = static_cast<Result*>(tile.copy);
  steps.a_step = tile.a_step / Arithmetic::kUnit;
  steps.b_step = tile.b_step / Arithmetic::kUnit;
  steps.a_row = tile.a_row;
  steps.upper_a = steps.a + kRowsPerBase * steps.a_row;
  int counts[kVectors];
  if constexpr (!whole) {
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      const auto left = static_cast<int>(tile.columns) - j * kLanes;
      counts[j] = left < 0 ? 0 : left > kLanes ? kLanes : left;
      steps.masks[j] = Arithmetic::first_lanes(counts[j]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) steps.sums[i][0] = steps.sums[i][1] = Arithmetic::zero();

  // The last step is of another kind.
  std::int64_t left = tile.depth / Arithmetic::kUnit - 1;
  const bool copying = can_copy && tile.copy != nullptr;
  if (tile.asked_units > 0) {
    const auto* asked = static_cast<const char*>(tile.asked) + kEndOfLine;
    const std::int64_t asked_step =
        tile.asked_step / Arithmetic::kUnit * static_cast<std::int64_t>(sizeof(Unit));
    std::int64_t asking = tile.asked_units < left ? tile.asked_units : left;
    left -= asking;
    if (copying) {
      for (; asking > 0; --asking) {
        _mm_prefetch(asked, _MM_HINT_T1);
        asked += asked_step;
        steps.template step<can_copy>();
      }
    }
    for (; asking > 0; --asking) {
      _mm_prefetch(asked, _MM_HINT_T1);
      asked += asked_step;
      steps.template step<false>();
    }
  }
  if (copying) {
    for (; left > 0; --left) steps.template step<can_copy>();
    if constexpr (can_copy) {
      Arithmetic::write(steps.copy, steps.load(steps.b, 0));
      Arithmetic::write(steps.copy + kLanes, steps.load(steps.b, 1));
    }
  } else if (in_place) {
    for (; left >= kStepsAtOnce; left -= kStepsAtOnce) {
#pragma GCC unroll 8
      for (int on = 0; on < kStepsAtOnce; ++on) {
        steps.template multiply<false>(steps.b, on);
        steps.further(0, steps.b_step);
      }
      steps.further(kStepsAtOnce, 0);
    }
  } else if (steps.a_step == rows && steps.b_step == kVectors * kLanes) {
    for (; left >= kStepsAtOnce; left -= kStepsAtOnce) {
#pragma GCC unroll 8
      for (int on = 0; on < kStepsAtOnce; ++on)
        steps.template multiply<false>(steps.b + on * kVectors * kLanes, on);
      steps.further(kStepsAtOnce * rows, kStepsAtOnce * kVectors * kLanes);
    }
  }
  for (; left > 0; --left) steps.template step<false>();

  if (tile.accumulate) return steps.template finish<true, false>(c, tile.ldc, counts);
  if (whole && tile.stream_c) return steps.template finish<false, whole>(c, tile.ldc, counts);
  steps.template finish<false, false>(c, tile.ldc, counts);
}

template <typename Arithmetic, int rows, bool in_place>
void compute_tile(const Tile& tile) noexcept {
  if (tile.columns < kVectors * Arithmetic::kLanes) {
    compute_steps<Arithmetic, rows, in_place, false>(tile);
    return;
  }
  compute_steps<Arithmetic, rows, in_place, true>(tile);
}

}  // namespace
}  // namespace pibench::kernels
