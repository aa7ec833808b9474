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
constexpr int rows_at_a_time(int sums, int vectors) { return sums / vectors < 8 ? sums / vectors : 8; }

// Asks for what will be read in the next group of rows. Into L2, because it is a whole group away. Measured
// with one vector: several rows are then read as fast as a single stream, without it a quarter slower; into
// L1, or further along the same rows, no faster than without.
inline void ask_for(const void* address) noexcept { __builtin_prefetch(address, 0, 2); }

// Vectors in a cache line.
template <typename Arithmetic>
constexpr int kLineVectors = 64 / static_cast<int>(sizeof(typename Arithmetic::Vector));

// Calls body(group, first) with groups of `most` rows and, for the rest, of a half, a quarter and so on.
template <int most, typename Body>
[[gnu::always_inline]] inline void in_groups(std::int64_t rows, std::int64_t first, const Body& body) {
  for (; first + most <= rows; first += most) body(std::integral_constant<int, most>{}, first);
  if constexpr (most > 1) {
    if (first < rows) in_groups<most / 2>(rows, first, body);
  }
}

// Inner products of `rows` rows with the vectors.
template <typename Arithmetic, int vectors, int rows, bool ahead>
[[gnu::always_inline]] inline void dots_of_rows(const ThinPart& part, std::int64_t first) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Vector = typename Arithmetic::Vector;
  constexpr int kLanes = Arithmetic::kLanes;
  // As many sums as keep the multiply-adds from waiting for each other.
  constexpr int kChains = rows * vectors >= 8 ? 1 : 8 / (rows * vectors);
  constexpr int kStep = kChains > kLineVectors<Arithmetic> ? kChains : kLineVectors<Arithmetic>;
  constexpr std::int64_t kStepColumns = std::int64_t{kStep} * kLanes;
  const std::int64_t row = part.row;
  const std::int64_t columns = part.columns;
  const std::int64_t next_vector = part.vector;
  const auto* matrix = static_cast<const Unit*>(part.matrix) + first * row;
  const auto* given = static_cast<const Unit*>(part.vectors);

  Vector sums[rows][vectors][kChains] = {};
  std::int64_t j = 0;
  for (; j + kStepColumns <= columns; j += kStepColumns) {
#pragma GCC unroll 8
    for (int s = 0; s < kStep; ++s) {
      Vector elements[vectors];
#pragma GCC unroll 4
      for (int t = 0; t < vectors; ++t)
        elements[t] = Arithmetic::load(given + t * next_vector + j + s * kLanes);
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        const Unit* at = matrix + i * row + j + s * kLanes;
        if (ahead && s % kLineVectors<Arithmetic> == 0) ask_for(at + rows * row);
        const Vector of_row = Arithmetic::load(at);
#pragma GCC unroll 4
        for (int t = 0; t < vectors; ++t) {
          Vector& sum = sums[i][t][s % kChains];
          sum = Arithmetic::multiply_add(of_row, elements[t], sum);
        }
      }
    }
  }
  for (; j < columns; j += kLanes) {
    const auto count = static_cast<int>(columns - j < kLanes ? columns - j : kLanes);
    Vector elements[vectors];
#pragma GCC unroll 4
    for (int t = 0; t < vectors; ++t)
      elements[t] = Arithmetic::load_first(given + t * next_vector + j, count);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const Vector of_row = Arithmetic::load_first(matrix + i * row + j, count);
#pragma GCC unroll 4
      for (int t = 0; t < vectors; ++t) {
        sums[i][t][0] = Arithmetic::multiply_add(of_row, elements[t], sums[i][t][0]);
      }
    }
  }
  // Four totals at a time, which is half the work.
  constexpr int kSums = rows * vectors;
  constexpr int kAtATime = 4;
  Vector flat[(kSums + kAtATime - 1) / kAtATime * kAtATime] = {};
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int t = 0; t < vectors; ++t) {
#pragma GCC unroll 8
      for (int c = 1; c < kChains; ++c) sums[i][t][0] = Arithmetic::add(sums[i][t][0], sums[i][t][c]);
      flat[i * vectors + t] = sums[i][t][0];
    }
  }
  auto* result = static_cast<Unit*>(part.result) + first * part.result_row;
#pragma GCC unroll 8
  for (int at = 0; at < kSums; at += kAtATime) {
    Unit totals[kAtATime];
    Arithmetic::totals(flat + at, totals);
#pragma GCC unroll 4
    for (int s = 0; s < kAtATime; ++s) {
      if (at + s >= kSums) continue;
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
  std::int64_t first = 0;
  if (part.ahead) {
    for (; first + kMost <= part.rows; first += kMost)
      dots_of_rows<Arithmetic, vectors, kMost, true>(part, first);
  }
  // From a near cache fewer rows are faster: their addresses fit into the scalar registers.
  constexpr int kFewer = kMost < 4 ? kMost : 4;
  in_groups<kFewer>(
      part.rows, first, [&](auto rows, std::int64_t at) __attribute__((always_inline)) {
        dots_of_rows<Arithmetic, vectors, rows.value, false>(part, at);
      });
}

// Adds `rows` rows, each times its element of a vector, to the result of that vector.
template <typename Arithmetic, int vectors, int rows, bool ahead>
[[gnu::always_inline]] inline void add_rows(const ThinPart& part, std::int64_t first,
                                            bool accumulate) noexcept {
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

  Vector factors[vectors][rows];
#pragma GCC unroll 4
  for (int t = 0; t < vectors; ++t) {
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      factors[t][i] = Arithmetic::broadcast(given + t * part.vector + i * part.element);
    }
  }
  const auto add_to = [&](auto reads) __attribute__((always_inline)) {
    std::int64_t j = 0;
    for (; j + kStepColumns <= columns; j += kStepColumns) {
#pragma GCC unroll 4
      for (int s = 0; s < kStep; ++s) {
        Vector sums[vectors] = {};
        if constexpr (reads.value) {
#pragma GCC unroll 4
          for (int t = 0; t < vectors; ++t)
            sums[t] = Arithmetic::load(result + t * next_result + j + s * kLanes);
        }
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
          const Unit* at = matrix + i * row + j + s * kLanes;
          if (ahead && s == 0) ask_for(at + rows * row);
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
    for (; j < columns; j += kLanes) {
      const auto count = static_cast<int>(columns - j < kLanes ? columns - j : kLanes);
      Vector sums[vectors] = {};
      if constexpr (reads.value) {
#pragma GCC unroll 4
        for (int t = 0; t < vectors; ++t)
          sums[t] = Arithmetic::load_first(result + t * next_result + j, count);
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
  };
  if (accumulate)
    add_to(std::true_type{});
  else
    add_to(std::false_type{});
}

template <typename Arithmetic, int vectors>
void multiply_across_rows(const ThinPart& part) noexcept {
  constexpr int kMost = rows_at_a_time(Arithmetic::kThinSums, vectors);
  std::int64_t first = 0;
  if (part.ahead) {
    for (; first + kMost <= part.rows; first += kMost)
      add_rows<Arithmetic, vectors, kMost, true>(part, first, first > 0);
  }
  in_groups<kMost>(
      part.rows, first, [&](auto rows, std::int64_t at) __attribute__((always_inline)) {
        add_rows<Arithmetic, vectors, rows.value, false>(part, at, at > 0);
      });
}

template <typename Arithmetic>
constexpr ThinKernel kThin = {{multiply_along_rows<Arithmetic, 1>, multiply_along_rows<Arithmetic, 2>,
                               multiply_along_rows<Arithmetic, 3>, multiply_along_rows<Arithmetic, 4>},
                              {multiply_across_rows<Arithmetic, 1>, multiply_across_rows<Arithmetic, 2>,
                               multiply_across_rows<Arithmetic, 3>, multiply_across_rows<Arithmetic, 4>}};

}  // namespace
}  // namespace pibench::kernels
