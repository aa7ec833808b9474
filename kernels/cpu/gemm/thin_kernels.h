// Products of a matrix with one to four vectors, which are bound by reading the matrix: it is read once,
// where it lies, and nothing is packed. Written once for every instruction set, over the template's
// Arithmetic.
//
// Everything is in an unnamed namespace: each file that includes this gets code of its own, compiled with its
// own flags.
#pragma once

#include <cstdint>
#include <type_traits>

#include "instruction_set.h"

namespace pibench::kernels {
namespace {

// Arithmetic:
//   Unit, Vector  an element, and kLanes of them
//   kThinSums     how many sums, or factors, are kept in registers
//   load(const Unit*), broadcast(const Unit*), write(Unit*, Vector), multiply_add(a, b, sum), add(a, b)
//   load_first(const Unit*, count), write_first(Unit*, count, Vector)  the first lanes only, the others being
//   0 total(Vector)  the sum of the lanes

// How many rows are taken at a time.
constexpr int kMostThinRows = 8;
constexpr int rows_at_a_time(int sums, int vectors) {
  return sums / vectors < kMostThinRows ? sums / vectors : kMostThinRows;
}

// Asks for what will be read in the next group of rows. Into L2, because it is a whole group away: several
// rows are then read as fast as a single stream; into L1, or further along the same rows, no faster than
// without asking.
inline void ask_for(const void* address) noexcept { __builtin_prefetch(address, 0, 2); }

// Vectors in a cache line.
template <typename Arithmetic>
constexpr int kLineVectors = 64 / static_cast<int>(sizeof(typename Arithmetic::Vector));

// Calls body(group, first) with groups of `most` rows and, for the rest, of a half, a quarter and so on.
template <int most, typename Body>
[[gnu::always_inline]] inline void in_groups(std::int64_t rows, std::int64_t first, const Body& body) {
  for (; first + most <= rows; first += most) body(most, first);
  if constexpr (most > 1) {
    if (first < rows) in_groups<most / 2>(rows, first, body);
  }
}

// In the next two `vectors` and `rows` are constants of the callers, into which they are put. As parameters
// of the template they would have the compiler make all that is in them once more for each.

// As many sums of a row and a vector as keep the multiply-adds from waiting for each other.
constexpr int kFewestSums = 8;
constexpr int chains_of(int rows, int vectors) {
  return rows * vectors >= kFewestSums ? 1 : kFewestSums / (rows * vectors);
}

// Inner products of `rows` rows with the vectors. `ahead`: asks for the rows after these.
template <typename Arithmetic>
[[gnu::always_inline]] inline void dots_of_rows(const ThinPart& part, std::int64_t first, const int vectors,
                                                const int rows, const bool ahead) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Vector = typename Arithmetic::Vector;
  constexpr int kLanes = Arithmetic::kLanes;
  constexpr int kLine = kLineVectors<Arithmetic>;
  constexpr int kMostSums = Arithmetic::kThinSums;
  static_assert(kMostSums >= kFewestSums);
  const int chains = chains_of(rows, vectors);
  const int step = chains > kLine ? chains : kLine;
  const std::int64_t step_columns = std::int64_t{step} * kLanes;
  const std::int64_t row = part.row;
  const std::int64_t columns = part.columns;
  const std::int64_t next_vector = part.vector;
  const auto* matrix = static_cast<const Unit*>(part.matrix) + first * row;
  const auto* given = static_cast<const Unit*>(part.vectors);

  // Those of row i and vector t from (i * vectors + t) * chains on.
  Vector sums[kMostSums] = {};
  const std::int64_t whole = columns & -step_columns;  // a power of two
  const auto whole_steps = [&](auto asks) __attribute__((always_inline)) {
    for (std::int64_t j = 0; j < whole; j += step_columns) {
#pragma GCC unroll 8
      for (int s = 0; s < step; ++s) {
        Vector elements[kThinVectors];
#pragma GCC unroll 4
        for (int t = 0; t < vectors; ++t)
          elements[t] = Arithmetic::load(given + t * next_vector + j + s * kLanes);
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
          const Unit* at = matrix + i * row + j + s * kLanes;
          if (asks.value && s % kLine == 0) ask_for(at + rows * row);
          const Vector of_row = Arithmetic::load(at);
#pragma GCC unroll 4
          for (int t = 0; t < vectors; ++t) {
            Vector& sum = sums[(i * vectors + t) * chains + s % chains];
            sum = Arithmetic::multiply_add(of_row, elements[t], sum);
          }
        }
      }
    }
  };
  if (ahead)
    whole_steps(std::true_type{});
  else
    whole_steps(std::false_type{});
  for (std::int64_t j = whole; j < columns; j += kLanes) {
    const auto count = static_cast<int>(columns - j < kLanes ? columns - j : kLanes);
    Vector elements[kThinVectors];
#pragma GCC unroll 4
    for (int t = 0; t < vectors; ++t)
      elements[t] = Arithmetic::load_first(given + t * next_vector + j, count);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const Vector of_row = Arithmetic::load_first(matrix + i * row + j, count);
#pragma GCC unroll 4
      for (int t = 0; t < vectors; ++t) {
        Vector& sum = sums[(i * vectors + t) * chains];
        sum = Arithmetic::multiply_add(of_row, elements[t], sum);
      }
    }
  }
  // Four totals at a time, which is half the work.
  constexpr int kAtATime = 4;
  const int all = rows * vectors;
  Vector flat[(kMostSums + kAtATime - 1) / kAtATime * kAtATime] = {};
#pragma GCC unroll 32
  for (int at = 0; at < all; ++at) {
    flat[at] = sums[at * chains];
#pragma GCC unroll 8
    for (int c = 1; c < chains; ++c) flat[at] = Arithmetic::add(flat[at], sums[at * chains + c]);
  }
  auto* result = static_cast<Unit*>(part.result) + first * part.result_row;
#pragma GCC unroll 8
  for (int at = 0; at < all; at += kAtATime) {
    Unit totals[kAtATime];
    Arithmetic::totals(flat + at, totals);
#pragma GCC unroll 4
    for (int s = 0; s < kAtATime; ++s) {
      if (at + s >= all) continue;
      Unit* to = result + (at + s) / vectors * part.result_row + (at + s) % vectors * part.result_vector;
      *to = part.accumulate ? *to + totals[s] : totals[s];
    }
  }
}

// Rows that come from memory are asked for by the group before them. The last ones, and those that lie in a
// near cache, take the same code without asking.
template <typename Arithmetic, int vectors>
void multiply_along_rows(const ThinPart& part) noexcept {
  constexpr int kMost = rows_at_a_time(Arithmetic::kThinSums, vectors);
  // From a near cache fewer rows are faster: their addresses fit into the scalar registers.
  constexpr int kFewer = kMost < 4 ? kMost : 4;
  std::int64_t first = 0;
  if constexpr (kMost > kFewer) {
    if (part.ahead) {
      for (; first + kMost <= part.rows; first += kMost)
        dots_of_rows<Arithmetic>(part, first, vectors, kMost, true);
    }
  }
  in_groups<kFewer>(
      part.rows, first, [&](const int rows, std::int64_t at) __attribute__((always_inline)) {
        dots_of_rows<Arithmetic>(part, at, vectors, rows, rows == kMost && part.ahead);
      });
}

// Adds `rows` rows, each times its element of a vector, to the result of that vector, or makes them the
// result. `ahead`: asks for the rows after these.
template <typename Arithmetic>
[[gnu::always_inline]] inline void add_rows(const ThinPart& part, std::int64_t first, const int vectors,
                                            const int rows, const bool accumulate,
                                            const bool ahead) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Vector = typename Arithmetic::Vector;
  constexpr int kLanes = Arithmetic::kLanes;
  constexpr int kStep = kLineVectors<Arithmetic>;
  constexpr std::int64_t kStepColumns = std::int64_t{kStep} * kLanes;
  const std::int64_t row = part.row;
  const std::int64_t columns = part.columns;
  const std::int64_t next_result = part.result_vector;
  const auto* matrix = static_cast<const Unit*>(part.matrix) + first * row;
  const auto* given = static_cast<const Unit*>(part.vectors) + first * part.element;
  auto* result = static_cast<Unit*>(part.result);

  Vector factors[kThinVectors][kMostThinRows];
#pragma GCC unroll 4
  for (int t = 0; t < vectors; ++t) {
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      factors[t][i] = Arithmetic::broadcast(given + t * part.vector + i * part.element);
    }
  }
  const std::int64_t whole = columns & -kStepColumns;  // a power of two
  const auto whole_steps = [&](auto reads, auto asks) __attribute__((always_inline)) {
    for (std::int64_t j = 0; j < whole; j += kStepColumns) {
#pragma GCC unroll 4
      for (int s = 0; s < kStep; ++s) {
        Vector sums[kThinVectors] = {};
        if constexpr (reads.value) {
#pragma GCC unroll 4
          for (int t = 0; t < vectors; ++t)
            sums[t] = Arithmetic::load(result + t * next_result + j + s * kLanes);
        }
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
          const Unit* at = matrix + i * row + j + s * kLanes;
          if (asks.value && s == 0) ask_for(at + rows * row);
          const Vector of_row = Arithmetic::load(at);
#pragma GCC unroll 4
          for (int t = 0; t < vectors; ++t)
            sums[t] = Arithmetic::multiply_add(of_row, factors[t][i], sums[t]);
        }
#pragma GCC unroll 4
        for (int t = 0; t < vectors; ++t)
          Arithmetic::write(result + t * next_result + j + s * kLanes, sums[t]);
      }
    }
  };
  if (ahead) {
    if (accumulate)
      whole_steps(std::true_type{}, std::true_type{});
    else
      whole_steps(std::false_type{}, std::true_type{});
  } else {
    if (accumulate)
      whole_steps(std::true_type{}, std::false_type{});
    else
      whole_steps(std::false_type{}, std::false_type{});
  }
  // What is left of a row: once for all of these.
  for (std::int64_t j = whole; j < columns; j += kLanes) {
    const auto count = static_cast<int>(columns - j < kLanes ? columns - j : kLanes);
    Vector sums[kThinVectors] = {};
    if (accumulate) {
#pragma GCC unroll 4
      for (int t = 0; t < vectors; ++t) sums[t] = Arithmetic::load_first(result + t * next_result + j, count);
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const Vector of_row = Arithmetic::load_first(matrix + i * row + j, count);
#pragma GCC unroll 4
      for (int t = 0; t < vectors; ++t) sums[t] = Arithmetic::multiply_add(of_row, factors[t][i], sums[t]);
    }
#pragma GCC unroll 4
    for (int t = 0; t < vectors; ++t) Arithmetic::write_first(result + t * next_result + j, count, sums[t]);
  }
}

template <typename Arithmetic, int vectors>
void multiply_across_rows(const ThinPart& part) noexcept {
  constexpr int kMost = rows_at_a_time(Arithmetic::kThinSums, vectors);
  in_groups<kMost>(
      part.rows, 0, [&](const int rows, std::int64_t at) __attribute__((always_inline)) {
        add_rows<Arithmetic>(part, at, vectors, rows, at > 0, rows == kMost && part.ahead);
      });
}

template <typename Arithmetic>
constexpr ThinKernel kThin = {{multiply_along_rows<Arithmetic, 1>, multiply_along_rows<Arithmetic, 2>,
                               multiply_along_rows<Arithmetic, 3>, multiply_along_rows<Arithmetic, 4>},
                              {multiply_across_rows<Arithmetic, 1>, multiply_across_rows<Arithmetic, 2>,
                               multiply_across_rows<Arithmetic, 3>, multiply_across_rows<Arithmetic, 4>}};

}  // namespace
}  // namespace pibench::kernels
