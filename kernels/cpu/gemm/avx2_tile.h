// The micro-kernels of AVX2: 6 rows of two vectors of 256 bits, or, where C is narrow, 12 rows of one (and 3
// rows of four, where two tiles are computed as one). What
// one step of the depth does, the template's Arithmetic says. Everything is in an unnamed namespace, as in
// avx512_tile.h.
#pragma once

#include <immintrin.h>

#include "avx2_flat_tile.h"
#include "avx2_narrow_tile.h"
#include "avx2_whole_tile.h"
#include "instruction_set.h"
#include "tiles_beside.h"

namespace pibench::kernels {
namespace {

constexpr int kWide = 2;  // vectors
constexpr int kNarrow = 1;

// Rows of A where they lie are addressed from every third: base, base + row, base + 2 * row.
constexpr int kRowsPerBase = 3;

// Lower tiles do not pack the B that they read. So many rows before they do the others ask for it.
constexpr int kRowsToCopyFrom = 4;
constexpr std::int64_t kCopyAhead = 16;

// Arithmetic:
//   Unit         what is read of one lane at a time: one element, or the pair of a dot product; by it
//                avx2_whole_tile.h chooses its instructions
//   kUnit        elements of a Unit
//   Result       element of C
//   Vector       accumulators; kLanes of them
//   kCopies      whether tiles can pack the B that they read
//   zero(), broadcast(const Unit*), load(const Unit*), load_first(const Unit*, count)
//   multiply_add(a, b, sum)
//   accumulate(a, b, sum)  multiplies and adds, by an instruction that is written as one: the compiler would
//                let sums move from register to register, and to memory, over several steps
//   read(const Result*), write(Result*, Vector), stream(Result*, Vector), add(a, b)
//   read_first(const Result*, count), write_first(Result*, count, Vector)  of the first lanes only

// A tile while it is computed.
template <typename Arithmetic, int vectors, int rows, bool in_place>
struct Steps {
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  using Vector = typename Arithmetic::Vector;
  static constexpr int kLanes = Arithmetic::kLanes;
  static constexpr int kBases = in_place ? (rows + kRowsPerBase - 1) / kRowsPerBase : 1;

  const Unit* a[kBases];
  const Unit* b;
  Result* copy;
  std::int64_t a_step, a_row, b_step;
  // Of a wide tile, where its second vector begins: it ends with the tile, and so has some columns of the
  // first one again where the tile hangs over the edge. Of a narrow one, how many columns there are.
  std::int64_t second, count;
  Vector sums[rows][vectors];

  template <bool all_lanes = vectors == kWide>
  [[nodiscard, gnu::always_inline]] Vector load(const Unit* row, int j) const noexcept {
    if constexpr (all_lanes) return Arithmetic::load(row + (j == 0 ? 0 : second));
    return Arithmetic::load_first(row, static_cast<int>(count));
  }
  // Element of A of row i, so many steps further on.
  [[nodiscard, gnu::always_inline]] Vector factor(int i, int on) const noexcept {
    if constexpr (in_place)
      return Arithmetic::broadcast(a[i / kRowsPerBase] + (i % kRowsPerBase) * a_row + on);
    else
      return Arithmetic::broadcast(a[0] + on * rows + i);
  }
  // One step, of this row of B.
  template <bool copying, bool all_lanes = vectors == kWide>
  [[gnu::always_inline]] void multiply(const Unit* row, int on) noexcept {
    Vector columns[vectors];
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j) {
      columns[j] = load<all_lanes>(row, j);
      if constexpr (copying) Arithmetic::write(copy + j * kLanes, columns[j]);
    }
    if constexpr (copying) {
      _mm_prefetch(reinterpret_cast<const char*>(row + kCopyAhead * b_step) + kEndOfLine, _MM_HINT_T0);
      copy += vectors * kLanes;
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const Vector element = factor(i, on);
#pragma GCC unroll 2
      for (int j = 0; j < vectors; ++j) sums[i][j] = Arithmetic::accumulate(element, columns[j], sums[i][j]);
    }
  }
  [[gnu::always_inline]] void further(std::int64_t a_by, std::int64_t b_by) noexcept {
    b += b_by;
    asm("" : "+r"(b));
#pragma GCC unroll 4
    for (int i = 0; i < kBases; ++i) {
      a[i] += a_by;
      asm("" : "+r"(a[i]));
    }
  }
  template <bool copying, bool all_lanes = vectors == kWide>
  [[gnu::always_inline]] void step() noexcept {
    multiply<copying, all_lanes>(b, 0);
    further(in_place ? 1 : a_step, b_step);
  }
  // How many steps may read a whole vector of B, which where the tile has fewer columns ends in the rows
  // after its own: those of which the vector ends with the last row's columns or before them.
  [[nodiscard]] std::int64_t of_all_lanes(std::int64_t depth) const noexcept {
    const std::int64_t beyond = kLanes - count;
    return beyond > 0 ? depth - (beyond + b_step - 1) / b_step : depth;
  }
  // kStepsAtOnce steps of a wide tile of an A in place.
  [[gnu::always_inline]] void steps_at_once() noexcept {
#pragma GCC unroll 4
    for (int on = 0; on < kStepsAtOnce; ++on) {
      multiply<false>(b, on);
      further(0, b_step);
    }
    further(kStepsAtOnce, 0);
  }
  // The last step row by row, each row's stores behind it.
  template <bool accumulate, bool stream>
  [[gnu::always_inline]] void finish(Result* c, std::int64_t ldc) noexcept {
    Vector columns[vectors];
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j) columns[j] = load(b, j);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const Vector element = factor(i, 0);
      Vector row[vectors];
#pragma GCC unroll 2
      for (int j = 0; j < vectors; ++j) row[j] = Arithmetic::multiply_add(element, columns[j], sums[i][j]);
      if constexpr (vectors == kNarrow) {
        const auto lanes = static_cast<int>(count);
        Arithmetic::write_first(
            c, lanes, accumulate ? Arithmetic::add(row[0], Arithmetic::read_first(c, lanes)) : row[0]);
      } else if constexpr (stream) {
        Arithmetic::stream(c, row[0]);
        Arithmetic::stream(c + kLanes, row[1]);
      } else {
        // Both are read before either is written: they may have columns in common.
        if constexpr (accumulate) {
          row[0] = Arithmetic::add(row[0], Arithmetic::read(c));
          row[1] = Arithmetic::add(row[1], Arithmetic::read(c + second));
        }
        Arithmetic::write(c, row[0]);
        Arithmetic::write(c + second, row[1]);
      }
      c += ldc;
      asm("" : "+r"(c));
    }
  }
};

// A tile of one step of the depth or more.
template <typename Arithmetic, int vectors, int rows, bool in_place>
void compute_any(const Tile& tile) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  constexpr int kLanes = Arithmetic::kLanes;
  constexpr int kColumns = vectors * kLanes;
  constexpr bool can_copy = Arithmetic::kCopies && vectors == kWide && rows >= kRowsToCopyFrom;

  auto* c = static_cast<Result*>(tile.c);
  if (tile.prefetch_c && !tile.stream_c) ask_for_rows<rows>(c, tile.ldc);
  Steps<Arithmetic, vectors, rows, in_place> steps;
  steps.b = static_cast<const Unit*>(tile.b);
  steps.copy = static_cast<Result*>(tile.copy);
  steps.a_step = tile.a_step / Arithmetic::kUnit;
  steps.b_step = tile.b_step / Arithmetic::kUnit;
  steps.a_row = tile.a_row;
  steps.second = tile.columns - kLanes;
  steps.count = tile.columns;
#pragma GCC unroll 4
  for (int i = 0; i < steps.kBases; ++i)
    steps.a[i] = static_cast<const Unit*>(tile.a) + tile.a_row * kRowsPerBase * i;
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j) steps.sums[i][j] = Arithmetic::zero();
  }

  // The last step is of another kind.
  std::int64_t left = tile.depth / Arithmetic::kUnit - 1;
  const bool copying = can_copy && tile.copy != nullptr;
  const bool at_once = vectors == kWide && in_place && !copying;
  if (tile.asked_units > 0) {
    const auto* asked = static_cast<const char*>(tile.asked) + kEndOfLine;
    const std::int64_t asked_step =
        tile.asked_step / Arithmetic::kUnit * static_cast<std::int64_t>(sizeof(Unit));
    std::int64_t asking = tile.asked_units < left ? tile.asked_units : left;
    left -= asking;
    if (copying) {
      for (; asking > 0; --asking, asked += asked_step) {
        _mm_prefetch(asked, _MM_HINT_T1);
        steps.template step<can_copy>();
      }
    }
    if constexpr (vectors == kWide && in_place) {
      for (; at_once && asking >= kStepsAtOnce; asking -= kStepsAtOnce) {
#pragma GCC unroll 4
        for (int i = 0; i < kStepsAtOnce; ++i, asked += asked_step) _mm_prefetch(asked, _MM_HINT_T1);
        steps.steps_at_once();
      }
    }
    for (; asking > 0; --asking, asked += asked_step) {
      _mm_prefetch(asked, _MM_HINT_T1);
      steps.template step<false>();
    }
  }
  if (copying) {
    for (; left > 0; --left) steps.template step<can_copy>();
    if constexpr (can_copy) {
      Arithmetic::write(steps.copy, steps.load(steps.b, 0));
      Arithmetic::write(steps.copy + kLanes, steps.load(steps.b, 1));
    }
  }
  if constexpr (vectors == kWide && in_place) {
    for (; at_once && left >= kStepsAtOnce; left -= kStepsAtOnce) steps.steps_at_once();
  }
  if constexpr (vectors == kNarrow) {
    std::int64_t of_all_lanes = steps.of_all_lanes(left + 1);
    if (of_all_lanes > left) of_all_lanes = left;
    for (; of_all_lanes > 0; --of_all_lanes, --left) steps.template step<false, true>();
  }
  for (; left > 0; --left) steps.template step<false>();

  if (tile.accumulate) return steps.template finish<true, false>(c, tile.ldc);
  if (vectors == kWide && tile.stream_c && tile.columns == kColumns)
    return steps.template finish<false, vectors == kWide>(c, tile.ldc);
  steps.template finish<false, false>(c, tile.ldc);
}

// Whether it is one of those that avx2_whole_tile.h computes: in place one of all columns.
template <typename Arithmetic, int rows, bool in_place>
bool is_whole(const Tile& tile) noexcept {
  constexpr std::int64_t kColumns = kWide * Arithmetic::kLanes;
  if (tile.copy != nullptr) return false;
  if (in_place) return tile.columns == kColumns;
  return tile.a_step == rows * Arithmetic::kUnit && tile.b_step == kColumns * Arithmetic::kUnit &&
         (tile.columns == kColumns || !tile.stream_c);
}

// A tile of one step of the depth or more, and those beside and below it.
template <typename Arithmetic, int vectors, int rows, bool in_place>
void compute_tile(const Tile& tile) noexcept {
  if constexpr (vectors == kWide && !kIsWatched) {
    if constexpr (in_place && rows <= kFlatRows) {
      if (tile.more > 0) return compute_flat<Arithmetic, rows>(tile);
    }
    if (is_whole<Arithmetic, rows, in_place>(tile)) return compute_whole<Arithmetic, rows, in_place>(tile);
  }
  if constexpr (vectors == kNarrow && in_place && !kIsWatched) {
    if (tile.columns == Arithmetic::kLanes && tile.asked_units == 0 && tile.more == 0)
      return compute_narrow<Arithmetic, rows>(tile);
  }
  compute_each<vectors * Arithmetic::kLanes, typename Arithmetic::Result>(
      tile, compute_any<Arithmetic, vectors, rows, in_place>);
}

}  // namespace
}  // namespace pibench::kernels
