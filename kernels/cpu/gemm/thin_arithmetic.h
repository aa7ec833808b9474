// What products with thin operands are made of on each instruction set: the Arithmetic of which the loops
// along rows and across them consist, groups of rows, and asking ahead.
//
// Everything is in an unnamed namespace: each file that includes this gets code of its own, compiled with its
// own flags.
#pragma once

#include <cstddef>
#include <cstdint>

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

// Integers by a dot product of kDepth of them, likewise: what is left of a row, of columns or of the depth is
// a whole one, filled up with zeros. Of an Arithmetic that has row(), columns(), factor(), multiply_add(),
// add(), read(), write() and totals() of whole ones.
template <typename Arithmetic>
struct Dots : Arithmetic {
  using Element = typename Arithmetic::Element;
  using Result = typename Arithmetic::Result;
  using Vector = typename Arithmetic::Vector;
  using Arithmetic::columns;
  using Arithmetic::kDepth;
  using Arithmetic::kLanes;
  using Arithmetic::row;
  static constexpr bool kCompact = true;
  static constexpr bool kBiased = false;

  static Vector row(const Element* from, int count) noexcept {
    Element elements[kLanes * kDepth] = {};
    __builtin_memcpy(elements, from, static_cast<std::size_t>(count));
    return row(elements);
  }
  static Vector factors(const Element* from) noexcept { return row(from); }
  static Vector factors(const Element* from, int count) noexcept { return row(from, count); }
  static Vector columns(const Element* from, std::int64_t row, int count, int depth) noexcept {
    if (count >= kLanes && depth == kDepth) return columns(from, row);
    Element elements[kDepth][kLanes] = {};
    for (int i = 0; i < depth; ++i)
      __builtin_memcpy(elements[i], from + i * row, static_cast<std::size_t>(count));
    return columns(elements[0], kLanes);
  }
  static Vector read_first(const Result* from, int count) noexcept {
    if (count >= kLanes) return Arithmetic::read(from);
    Result words[kLanes] = {};
    __builtin_memcpy(words, from, static_cast<std::size_t>(count) * sizeof(Result));
    return Arithmetic::read(words);
  }
  static void write_first(Result* to, int count, Vector value) noexcept {
    if (count >= kLanes) return Arithmetic::write(to, value);
    __builtin_memcpy(to, &value, static_cast<std::size_t>(count) * sizeof(Result));
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

// Calls body(group, first) with groups of `most` rows and, for the rest, of a half, a quarter and so on.
template <int most, typename Body>
[[gnu::always_inline]] inline void in_groups(std::int64_t rows, std::int64_t first, const Body& body) {
  for (; first + most <= rows; first += most) body(most, first);
  if constexpr (most > 1) {
    if (first < rows) in_groups<most / 2>(rows, first, body);
  }
}

}  // namespace
}  // namespace pibench::kernels
