// How a team shares one call: a grid of members over C, or whole products of a batch for each.
#pragma once

#include <cstdint>

namespace pibench::kernels {

struct GemmShape;
struct MicroKernel;

struct Range {
  std::int64_t begin, end;
  [[nodiscard]] std::int64_t size() const noexcept { return end - begin; }
};

// Piece `index` of `pieces` near-equal ones of [0, extent).
constexpr Range share(std::int64_t extent, std::int64_t index, std::int64_t pieces) noexcept {
  return {extent * index / pieces, extent * (index + 1) / pieces};
}

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept { return (a + b - 1) / b; }

constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) noexcept {
  return ceil_div(value, unit) * unit;
}

// `products` groups of members share the batch; within a group, `rows` x `columns` members share each
// product: member (r, c) computes the r-th share of the rows and the c-th share of the panels of columns. All
// of a team's members in excess of products * rows * columns stay idle.
struct Partition {
  int products = 1;
  int rows = 1;
  int columns = 1;
  // Each member packs the columns of B that it uses for itself, also where others use them: what they packed
  // would have to be waited for and fetched from their caches.
  bool own_b = false;
  [[nodiscard]] int members() const noexcept { return products * rows * columns; }
  // How many members share what they pack of B.
  [[nodiscard]] int packers() const noexcept { return own_b ? 1 : rows; }
  [[nodiscard]] int blocks_of_b() const noexcept { return members() / packers(); }
};

// Which operands are packed in each call.
struct Packed {
  bool a = true;
  bool b = true;
};

// A function of the shape, what is packed and the team's size alone, so that results are repeatable.
Partition choose_partition(const MicroKernel& kernel, const GemmShape& shape, Packed packed, int members);

}  // namespace pibench::kernels
