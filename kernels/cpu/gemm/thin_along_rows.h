// Products of a matrix with one to four vectors that lie as its rows do: inner products, several rows at a
// time.
#pragma once

#include <cstdint>
#include <type_traits>

#include "thin_arithmetic.h"

namespace pibench::kernels {
namespace {

// Sums of integers wrap around.
template <typename Result>
inline Result sum_of(Result a, Result b) noexcept {
  if constexpr (std::is_integral_v<Result>) {
    using Unsigned = std::make_unsigned_t<Result>;
    return static_cast<Result>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    return a + b;
  }
}

// As many sums of a row and a vector as keep the multiply-adds from waiting for each other.
constexpr int kFewestSums = 8;
constexpr int chains_of(int rows, int vectors) {
  return rows * vectors >= kFewestSums ? 1 : kFewestSums / (rows * vectors);
}

// Inner products of `rows` rows with the vectors. `ahead`: asks for the rows after these.
template <typename Arithmetic>
[[gnu::always_inline]] inline void dots_of_rows(const ThinPart& part, std::int64_t first, const int vectors,
                                                const int rows, const bool ahead) noexcept {
  using Element = typename Arithmetic::Element;
  using Result = typename Arithmetic::Result;
  using Vector = typename Arithmetic::Vector;
  constexpr int kColumns = Arithmetic::kLanes * Arithmetic::kDepth;  // at a time
  constexpr int kLine = kLineElements<Arithmetic> / kColumns;
  constexpr int kMostSums = Arithmetic::kThinSums;
  static_assert(kMostSums >= kFewestSums);
  const int chains = chains_of(rows, vectors);
  const int step = chains > kLine ? chains : kLine;
  const std::int64_t step_columns = std::int64_t{step} * kColumns;
  const std::int64_t row = part.row;
  const std::int64_t columns = part.columns;
  const std::int64_t next_vector = part.vector;
  const std::int64_t next_rows = ahead || !Arithmetic::kCompact ? rows * row : 0;
  const auto* matrix = static_cast<const Element*>(part.matrix) + first * row;
  const auto* given = static_cast<const Element*>(part.vectors);

  // Those of row i and vector t from (i * vectors + t) * chains on.
  Vector sums[kMostSums] = {};
  Vector biases[kThinVectors] = {};
  const std::int64_t whole = columns & -step_columns;  // a power of two
  const auto whole_steps = [&](auto asks) __attribute__((always_inline)) {
    for (std::int64_t j = 0; j < whole; j += step_columns) {
#pragma GCC unroll 8
      for (int s = 0; s < step; ++s) {
        Vector elements[kThinVectors];
#pragma GCC unroll 4
        for (int t = 0; t < vectors; ++t) {
          elements[t] = Arithmetic::factors(given + t * next_vector + j + s * kColumns);
          if constexpr (Arithmetic::kBiased) biases[t] = Arithmetic::bias(elements[t], biases[t]);
        }
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
          const Element* at = matrix + i * row + j + s * kColumns;
          if (asks.value && s % kLine == 0) ask_for(at + next_rows);
          const Vector of_row = Arithmetic::row(at);
#pragma GCC unroll 4
          for (int t = 0; t < vectors; ++t) {
            Vector& sum = sums[(i * vectors + t) * chains + s % chains];
            sum = Arithmetic::multiply_add(of_row, elements[t], sum);
          }
        }
      }
    }
  };
  if (Arithmetic::kCompact || ahead)
    whole_steps(std::true_type{});
  else
    whole_steps(std::false_type{});
  for (std::int64_t j = whole; j < columns; j += kColumns) {
    const auto count = static_cast<int>(columns - j < kColumns ? columns - j : kColumns);
    Vector elements[kThinVectors];
#pragma GCC unroll 4
    for (int t = 0; t < vectors; ++t) {
      elements[t] = Arithmetic::factors(given + t * next_vector + j, count);
      if constexpr (Arithmetic::kBiased) biases[t] = Arithmetic::bias(elements[t], biases[t]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const Vector of_row = Arithmetic::row(matrix + i * row + j, count);
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
    if constexpr (Arithmetic::kBiased) flat[at] = Arithmetic::subtract(flat[at], biases[at % vectors]);
  }
  auto* result = static_cast<Result*>(part.result) + first * part.result_row;
#pragma GCC unroll 8
  for (int at = 0; at < all; at += kAtATime) {
    Result totals[kAtATime];
    Arithmetic::totals(flat + at, totals);
#pragma GCC unroll 4
    for (int s = 0; s < kAtATime; ++s) {
      if (at + s >= all) continue;
      Result* to = result + (at + s) / vectors * part.result_row + (at + s) % vectors * part.result_vector;
      *to = part.accumulate ? sum_of(*to, totals[s]) : totals[s];
    }
  }
}

// Rows that come from memory are asked for by the group before them. The last ones, and those that lie in a
// near cache, take the same code without asking.
template <typename Arithmetic, int vectors>
void multiply_along_rows(const ThinPart& part) noexcept {
  constexpr int kMost = rows_at_a_time(Arithmetic::kThinSums, vectors);
  if constexpr (Arithmetic::kCompact) {
    in_groups_or_one<kMost>(
        part.rows, [&](const int rows, std::int64_t at) __attribute__((always_inline)) {
          dots_of_rows<Arithmetic>(part, at, vectors, rows, part.ahead);
        });
    return;
  }
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

}  // namespace
}  // namespace pibench::kernels
