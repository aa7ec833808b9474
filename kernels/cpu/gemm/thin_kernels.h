// Products of a matrix with one to four vectors, which are bound by reading the matrix: it is read once,
// where it lies, and nothing is packed. Written once for every instruction set, over the template's
// Arithmetic.
//
// Everything is in an unnamed namespace: each file that includes this gets code of its own, compiled with its
// own flags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "instruction_set.h"

namespace pibench::kernels {
namespace {

// Arithmetic:
//   Element         of the matrix and the vectors
//   Result, Vector  an element of the result, and kLanes of them
//   kDepth          elements of the depth that one multiplication takes: one, or those of a dot product
//   kThinSums       how many sums, or factors, are kept in registers
//   row(const Element*), factors(const Element*)
//                   kLanes * kDepth neighbours of a row, and as many of a vector
//   columns(const Element*, to the next row), factor(const Element*, to the next element)
//                   kLanes columns of kDepth rows, and so many elements of a vector for all lanes
//   multiply_add(of the matrix, of a vector, sum), add(a, b)
//   read(const Result*), write(Result*, Vector)
//   totals(const Vector*, Result*)  the sums of the lanes of four
// The same with a count: the first elements, columns or lanes only, the others being 0; and, last, with a
// depth: fewer rows than kDepth.
//   kCompact        few variants are made of what is here: they take long to compile
//   kBiased         multiply_add() multiplies what is more than the matrix, each element by the same; then
//                   bias(of a vector, sum) adds what that makes too much, and subtract(a, b) takes it away

// One element of the depth at a time: what is read is the same along rows and across them. Of an Arithmetic
// that has load(const Element*), load_first(const Element*, count) and broadcast(const Element*).
template <typename Arithmetic>
struct Singles : Arithmetic {
  using Element = typename Arithmetic::Element;
  using Result = typename Arithmetic::Result;
  using Vector = typename Arithmetic::Vector;
  static constexpr int kDepth = 1;
  static constexpr bool kCompact = sizeof(Element) < sizeof(Result);
  static constexpr bool kBiased = false;
  static Vector row(const Element* from) noexcept { return Arithmetic::load(from); }
  static Vector row(const Element* from, int count) noexcept { return Arithmetic::load_first(from, count); }
  static Vector factors(const Element* from) noexcept { return row(from); }
  static Vector factors(const Element* from, int count) noexcept { return row(from, count); }
  static Vector columns(const Element* from, std::int64_t) noexcept { return row(from); }
  static Vector columns(const Element* from, std::int64_t, int count, int) noexcept {
    return row(from, count);
  }
  static Vector factor(const Element* from, std::int64_t) noexcept { return Arithmetic::broadcast(from); }
  static Vector read_first(const Result* from, int count) noexcept {
    return Arithmetic::load_first(from, count);
  }
};

// How many rows are taken at a time.
constexpr int kMostThinRows = 8;
constexpr int rows_at_a_time(int sums, int vectors) {
  return sums / vectors < kMostThinRows ? sums / vectors : kMostThinRows;
}

// Calls body(group, first) with groups of `most` rows and, for the rest, of one.
template <int most, typename Body>
[[gnu::always_inline]] inline void in_groups_or_one(std::int64_t rows, const Body& body) {
  std::int64_t first = 0;
  for (; first + most <= rows; first += most) body(most, first);
  if constexpr (most > 1) {
    for (; first < rows; ++first) body(1, first);
  }
}

// Asks for what will be read in the next group of rows. Into L2, because it is a whole group away: several
// rows are then read as fast as a single stream; into L1, or further along the same rows, no faster than
// without asking.
inline void ask_for(const void* address) noexcept { __builtin_prefetch(address, 0, 2); }

// So many elements of a row in a cache line.
template <typename Arithmetic>
constexpr int kLineElements = 64 / static_cast<int>(sizeof(typename Arithmetic::Element));

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

// Adds `groups` groups of kDepth rows, each row times its element of a vector, to the result of that vector,
// or makes them the result. `ahead`: asks for the rows after these.
template <typename Arithmetic>
[[gnu::always_inline]] inline void add_rows(const ThinPart& part, std::int64_t first, const int vectors,
                                            const int groups, const bool accumulate,
                                            const bool ahead) noexcept {
  using Element = typename Arithmetic::Element;
  using Result = typename Arithmetic::Result;
  using Vector = typename Arithmetic::Vector;
  constexpr int kLanes = Arithmetic::kLanes;
  constexpr std::int64_t kDepth = Arithmetic::kDepth;
  constexpr int kStep = kLineElements<Arithmetic> / kLanes;
  constexpr std::int64_t kStepColumns = kLineElements<Arithmetic>;
  const std::int64_t row = part.row;
  const std::int64_t columns = part.columns;
  const std::int64_t next_result = part.result_vector;
  const std::int64_t next_rows = ahead || !Arithmetic::kCompact ? groups * kDepth * row : 0;
  const auto* matrix = static_cast<const Element*>(part.matrix) + first * row;
  const auto* given = static_cast<const Element*>(part.vectors) + first * part.element;
  auto* result = static_cast<Result*>(part.result);

  Vector factors[kThinVectors][kMostThinRows];
  Vector biases[kThinVectors] = {};
#pragma GCC unroll 4
  for (int t = 0; t < vectors; ++t) {
#pragma GCC unroll 8
    for (int i = 0; i < groups; ++i) {
      const Element* at = given + t * part.vector + i * kDepth * part.element;
      factors[t][i] = Arithmetic::factor(at, part.element);
      if constexpr (Arithmetic::kBiased) biases[t] = Arithmetic::bias(factors[t][i], biases[t]);
    }
  }
  // What the sums begin with: `from` as it was read, or nothing.
  const auto start = [&](int t, Vector from) __attribute__((always_inline)) {
    if constexpr (Arithmetic::kBiased)
      return Arithmetic::subtract(from, biases[t]);
    else
      return from;
  };
  const std::int64_t whole = columns & -kStepColumns;  // a power of two
  const auto whole_steps = [&](auto reads, auto asks) __attribute__((always_inline)) {
    for (std::int64_t j = 0; j < whole; j += kStepColumns) {
#pragma GCC unroll 2
      for (int s = 0; s < kStep; ++s) {
        Vector sums[kThinVectors];
#pragma GCC unroll 4
        for (int t = 0; t < vectors; ++t) {
          if constexpr (reads.value)
            sums[t] = start(t, Arithmetic::read(result + t * next_result + j + s * kLanes));
          else
            sums[t] = start(t, Vector{});
        }
#pragma GCC unroll 8
        for (int i = 0; i < groups; ++i) {
          const Element* at = matrix + i * kDepth * row + j + s * kLanes;
          if (asks.value && s == 0) {
#pragma GCC unroll 4
            for (int r = 0; r < Arithmetic::kDepth; ++r) ask_for(at + next_rows + r * row);
          }
          const Vector of_rows = Arithmetic::columns(at, row);
#pragma GCC unroll 4
          for (int t = 0; t < vectors; ++t)
            sums[t] = Arithmetic::multiply_add(of_rows, factors[t][i], sums[t]);
        }
#pragma GCC unroll 4
        for (int t = 0; t < vectors; ++t)
          Arithmetic::write(result + t * next_result + j + s * kLanes, sums[t]);
      }
    }
  };
  if constexpr (Arithmetic::kCompact) {
    whole_steps(std::true_type{}, std::true_type{});
  } else if (ahead) {
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
    Vector sums[kThinVectors];
#pragma GCC unroll 4
    for (int t = 0; t < vectors; ++t) {
      const Vector zero{};
      sums[t] = start(t, accumulate ? Arithmetic::read_first(result + t * next_result + j, count) : zero);
    }
#pragma GCC unroll 8
    for (int i = 0; i < groups; ++i) {
      const Vector of_rows =
          Arithmetic::columns(matrix + i * kDepth * row + j, row, count, Arithmetic::kDepth);
#pragma GCC unroll 4
      for (int t = 0; t < vectors; ++t) sums[t] = Arithmetic::multiply_add(of_rows, factors[t][i], sums[t]);
    }
#pragma GCC unroll 4
    for (int t = 0; t < vectors; ++t) Arithmetic::write_first(result + t * next_result + j, count, sums[t]);
  }
}

// Nothing is added up yet.
template <typename Arithmetic>
[[gnu::noinline]] void clear(const ThinPart& part, int vectors) noexcept {
  using Result = typename Arithmetic::Result;
  for (int t = 0; t < vectors; ++t) {
    __builtin_memset(static_cast<Result*>(part.result) + t * part.result_vector, 0,
                     static_cast<std::size_t>(part.columns) * sizeof(Result));
  }
}

// Adds the last rows, fewer than kDepth, of any number of vectors.
template <typename Arithmetic>
[[gnu::noinline]] void add_last_rows(const ThinPart& part, std::int64_t first, int vectors) noexcept {
  using Element = typename Arithmetic::Element;
  using Result = typename Arithmetic::Result;
  using Vector = typename Arithmetic::Vector;
  constexpr int kLanes = Arithmetic::kLanes;
  const auto depth = static_cast<int>(part.rows - first);
  const auto* matrix = static_cast<const Element*>(part.matrix) + first * part.row;
  for (int t = 0; t < vectors; ++t) {
    const auto* given = static_cast<const Element*>(part.vectors) + t * part.vector + first * part.element;
    auto* result = static_cast<Result*>(part.result) + t * part.result_vector;
    const Vector factor = Arithmetic::factor(given, part.element, depth);
    for (std::int64_t j = 0; j < part.columns; j += kLanes) {
      const auto count = static_cast<int>(part.columns - j < kLanes ? part.columns - j : kLanes);
      Vector sum = Arithmetic::read_first(result + j, count);
      if constexpr (Arithmetic::kBiased) sum = Arithmetic::subtract(sum, Arithmetic::bias(factor, Vector{}));
      sum = Arithmetic::multiply_add(Arithmetic::columns(matrix + j, part.row, count, depth), factor, sum);
      Arithmetic::write_first(result + j, count, sum);
    }
  }
}

template <typename Arithmetic, int vectors>
void multiply_across_rows(const ThinPart& part) noexcept {
  constexpr int kMost = rows_at_a_time(Arithmetic::kThinSums, vectors);
  constexpr std::int64_t kDepth = Arithmetic::kDepth;
  const std::int64_t all = part.rows / kDepth;
  if constexpr (Arithmetic::kCompact) {
    if (!part.accumulate) clear<Arithmetic>(part, vectors);
    in_groups_or_one<kMost>(
        all, [&](const int groups, std::int64_t at) __attribute__((always_inline)) {
          add_rows<Arithmetic>(part, at * kDepth, vectors, groups, true, part.ahead);
        });
    if constexpr (kDepth > 1) {
      if (all * kDepth < part.rows) add_last_rows<Arithmetic>(part, all * kDepth, vectors);
    }
  } else {
    in_groups<kMost>(
        all, 0, [&](const int groups, std::int64_t at) __attribute__((always_inline)) {
          add_rows<Arithmetic>(part, at, vectors, groups, at > 0 || part.accumulate,
                               groups == kMost && part.ahead);
        });
  }
}

template <typename Arithmetic>
constexpr ThinKernel kThin = {{multiply_along_rows<Arithmetic, 1>, multiply_along_rows<Arithmetic, 2>,
                               multiply_along_rows<Arithmetic, 3>, multiply_along_rows<Arithmetic, 4>},
                              {multiply_across_rows<Arithmetic, 1>, multiply_across_rows<Arithmetic, 2>,
                               multiply_across_rows<Arithmetic, 3>, multiply_across_rows<Arithmetic, 4>}};

}  // namespace
}  // namespace pibench::kernels
