// Products of one to four vectors with a matrix across its rows: whole rows are added up, each times its
// element of a vector, several at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "thin_arithmetic.h"

namespace pibench::kernels {
namespace {

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
  constexpr std::int64_t kDepth = Arithmetic::kDepth;
  constexpr int kMost = rows_at_a_time(Arithmetic::kThinSums, vectors);
  const std::int64_t all = part.rows / kDepth;
  if constexpr (Arithmetic::kCompact) {
    if (!part.accumulate) clear<Arithmetic>(part, vectors);
    const auto add = [&](auto most) __attribute__((always_inline)) {
      in_groups_or_one<most.value>(
          all, [&](const int groups, std::int64_t at) __attribute__((always_inline)) {
            add_rows<Arithmetic>(part, at * kDepth, vectors, groups, true, part.ahead);
          });
    };
    // Rows that are a multiple of 4 KiB apart meet in one set of L1, which has 8 ways or more: no more rows
    // than these at a time (in turns on Zen 4: int8 1x4096x4096 4.9, 3x4096x1024 3.1). Fewer are no slower
    // elsewhere, but for four vectors (1x1000x1000 1.2, 3x512x512 1.6, 4x512x512 0.89).
    constexpr int kWays = kMostThinRows / static_cast<int>(kDepth);
    constexpr int kMeeting = kMost < kWays ? kMost : kWays;
    constexpr std::int64_t kSets = 4 << 10;  // bytes
    constexpr auto kElement = static_cast<std::int64_t>(sizeof(typename Arithmetic::Element));
    if constexpr (vectors == kThinVectors && kMost > kMeeting) {
      if (part.row * kElement % kSets == 0)
        add(std::integral_constant<int, kMeeting>{});
      else
        add(std::integral_constant<int, kMost>{});
    } else {
      add(std::integral_constant<int, kMeeting>{});
    }
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

}  // namespace
}  // namespace pibench::kernels
