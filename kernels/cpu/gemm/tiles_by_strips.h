// The two inner loops exchanged: strip by strip over a block of C, in a few calls of kernels that compute the
// tiles beside and below one. For loop_nest.cc alone, as blocked_gemm.h is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blocked_gemm.h"

namespace pibench::kernels {
namespace {

// How many columns before it a piece computes again, so that it has all columns of a tile, of which the
// instructions are fewer: of `all` columns where they lie, and without adding to C.
std::int64_t BlockedGemm::columns_again(const MicroKernel& kernel, std::int64_t columns,
                                        std::int64_t all) const noexcept {
  return kernel_.beside && all >= kernel.nr ? kernel.nr - columns : 0;
}

// Strips of as many rows as the tiles of a kernel have of an A in place.
Strips BlockedGemm::high_strips(const MicroKernel& kernel, std::int64_t rows) const noexcept {
  return {rows, kernel.mr, kernel_.row_multiple};
}

// Calls `take` with what computes `tile`, of which the place and the height are still to be said, and those
// below it, and with where they are, in bytes from the first rows: of strips, packed or not, that follow each
// other, `a_row` bytes for each row. A few calls: one for each height.
template <typename Take>
void BlockedGemm::take_below(const MicroKernel& kernel, Strips strip, std::size_t a_row, Tile& tile,
                             const Take& take) const noexcept {
  const bool in_place_a = a_in_place_ && !shape_.transpose_a;
  const ComputeTile* const heights = in_place_a ? in_place(kernel) : by_rows(kernel);
  const std::size_t c_row = result_bytes(operands_->ldc);
  for (std::int64_t count = 1; !strip.done(); strip.skip(count)) {
    const auto row = static_cast<std::size_t>(strip.row());
    count = strip.alike();
    if (!a_in_place_) tile.a_step = strip.height() * packing_.a.unit;
    tile.below = count - 1;
    tile.a_strip = strip.height() * static_cast<std::int64_t>(a_row);
    take(heights[strip.height() - 1], tile, row * a_row, row * c_row);
  }
}

// Calls `take` with what computes so many rows and columns, and where its operands begin, in bytes from those
// of the first tile: of a B that stays near, packed or as it lies, without anything to ask for or to pack
// meanwhile. What is left of the columns is a column of tiles after the others.
template <typename Take>
void BlockedGemm::take_strips(const Panels& b, const Strips& strips_of_rows, std::int64_t rows,
                              std::int64_t columns, Range depth, const Take& take) const noexcept {
  const std::size_t a_row =
      !a_in_place_ ? strip_bytes(1, depth.size()) : source_bytes(shape_.transpose_a ? 1 : operands_->lda);
  const std::size_t panel = b.packed ? panel_bytes(depth.size()) : source_bytes(kernel_.nr);
  const std::size_t column =
      b.packed ? static_cast<std::size_t>(packing_.b.unit) * packing_.packed_size : source_bytes(1);
  Tile tile = tile_of_c(packed_depth(depth.size()), b.step);
  tile.a_step = shape_.transpose_a ? operands_->lda : 1;
  tile.accumulate = depth.begin > 0;
  const bool streams = stream_c_ && !tile.accumulate;

  const std::int64_t beside = columns / kernel_.nr;
  if (beside > 0) {
    tile.columns = kernel_.nr;
    tile.stream_c = streams;
    tile.more = beside - 1;
    tile.b_panel = static_cast<std::int64_t>(panel);
    take_below(
        kernel_, strips_of_rows, a_row, tile,
        [&](ComputeTile kernel, Tile& whole, std::size_t a, std::size_t c) { take(kernel, whole, a, 0, c); });
    tile.more = 0;
  }
  std::size_t from = static_cast<std::size_t>(beside) * panel;
  for (std::int64_t done = beside * kernel_.nr; done < columns;) {
    const auto [kernel, width] = next_piece(columns - done);
    const std::int64_t again = b.packed || tile.accumulate ? 0 : columns_again(kernel, width, columns);
    const std::size_t b_at = from - static_cast<std::size_t>(again) * column;
    const std::size_t c_at = result_bytes(done - again);
    tile.columns = width + again;
    tile.stream_c = streams && again == 0;
    take_below(kernel, a_in_place_ ? high_strips(kernel, rows) : strips_of_rows, a_row, tile,
               [&](ComputeTile compute, Tile& piece, std::size_t a, std::size_t c) {
                 take(compute, piece, a, b_at, c_at + c);
               });
    from += static_cast<std::size_t>(width) * column;
    done += width;
  }
}

// Of a block, or of a product that is one.
void BlockedGemm::multiply_by_strips(const std::byte* first_a, const Panels& b, const Strips& strips_of_rows,
                                     std::byte* first_c, std::int64_t rows, std::int64_t columns,
                                     Range depth) const noexcept {
  if (rows == 0) return;
  const bool aligned = is_line_aligned(first_c, result_bytes(operands_->ldc));
  take_strips(b, strips_of_rows, rows, columns, depth,
              [&](ComputeTile kernel, Tile& tile, std::size_t a_at, std::size_t b_at, std::size_t c_at) {
                tile.a = first_a + a_at;
                tile.b = b.data + b_at;
                tile.c = tile.target = first_c + c_at;
                tile.stream_c = tile.stream_c && aligned;
                kernel(tile);
              });
}

// Of all of the member's products, of which nothing is packed. Those of a batch are planned once: to decide
// for each anew would take longer than to compute 16 cubed.
void BlockedGemm::multiply_in_place_by_strips(const Role& role) const noexcept {
  const Range all{0, shape_.k};
  const Panels b_of_first{b_at(role.products.begin, 0, role.columns.begin), operands_->ldb, false};
  if (role.products.size() == 1)
    return multiply_by_strips(a_at(role.products.begin, role.rows.begin, 0), b_of_first, role.strips,
                              c_at(role.products.begin, role.rows.begin, role.columns.begin),
                              role.rows.size(), role.columns.size(), all);
  if (role.rows.size() == 0) return;
  TileCalls calls;
  take_strips(
      b_of_first, role.strips, role.rows.size(), role.columns.size(), all,
      [&](ComputeTile kernel, const Tile& tile, std::size_t a_at, std::size_t b_at, std::size_t c_at) {
        calls.add({kernel, tile, a_at, b_at, c_at, tile.stream_c});
      });
  for (std::int64_t product = role.products.begin; product < role.products.end; ++product) {
    std::byte* const c = c_at(product, role.rows.begin, role.columns.begin);
    calls.compute(a_at(product, role.rows.begin, 0), b_at(product, 0, role.columns.begin), c,
                  is_line_aligned(c, result_bytes(operands_->ldc)));
  }
}

}  // namespace
}  // namespace pibench::kernels
