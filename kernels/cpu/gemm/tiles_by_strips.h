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

// Adds what computes `tile`, of which the place and the height are still to be said, and those below it: of
// strips, packed or not, that follow each other, `a_row` bytes for each row.
void BlockedGemm::add_below(TileCalls& calls, const MicroKernel& kernel, Strips strip, std::size_t a_row,
                            Tile tile, std::size_t b, std::size_t c) const noexcept {
  const bool in_place_a = a_in_place_ && !shape_.transpose_a;
  const ComputeTile* const heights = in_place_a ? in_place(kernel) : by_rows(kernel);
  const std::size_t c_row = result_bytes(operands_->ldc);
  for (std::int64_t count = 1; !strip.done(); strip.skip(count)) {
    const auto row = static_cast<std::size_t>(strip.row());
    count = strip.alike();
    if (!a_in_place_) tile.a_step = strip.height() * packing_.a.unit;
    tile.below = count - 1;
    tile.a_strip = strip.height() * static_cast<std::int64_t>(a_row);
    calls.add({heights[strip.height() - 1], tile, row * a_row, b, c + row * c_row, tile.stream_c});
  }
}

// The calls for so many rows and columns of a B that stays near, packed or as it lies, without anything to
// ask for or to pack meanwhile. What is left of the columns is a column of tiles after the others.
void BlockedGemm::plan_strips(TileCalls& calls, const Panels& b, const Strips& strips_of_rows,
                              std::int64_t rows, std::int64_t columns, Range depth) const noexcept {
  const std::size_t a_row =
      !a_in_place_ ? strip_bytes(1, depth.size()) : source_bytes(shape_.transpose_a ? 1 : operands_->lda);
  const std::size_t panel = b.packed ? panel_bytes(depth.size()) : source_bytes(kernel_.nr);
  const std::size_t column =
      b.packed ? static_cast<std::size_t>(packing_.b.unit) * packing_.packed_size : source_bytes(1);
  Tile tile = tile_of_c(packed_depth(depth.size()), b.step);
  tile.a_step = shape_.transpose_a ? operands_->lda : 1;
  tile.accumulate = depth.begin > 0;

  const std::int64_t beside = columns / kernel_.nr;
  if (beside > 0) {
    tile.columns = kernel_.nr;
    tile.stream_c = stream_c_ && !tile.accumulate;
    tile.more = beside - 1;
    tile.b_panel = static_cast<std::int64_t>(panel);
    add_below(calls, kernel_, strips_of_rows, a_row, tile, 0, 0);
    tile.more = 0;
  }
  std::size_t from = static_cast<std::size_t>(beside) * panel;
  for (std::int64_t done = beside * kernel_.nr; done < columns;) {
    const auto [kernel, width] = next_piece(columns - done);
    const std::int64_t again = b.packed || tile.accumulate ? 0 : columns_again(kernel, width, columns);
    tile.columns = width + again;
    tile.stream_c = stream_c_ && !tile.accumulate && again == 0;
    add_below(calls, kernel, a_in_place_ ? high_strips(kernel, rows) : strips_of_rows, a_row, tile,
              from - static_cast<std::size_t>(again) * column, result_bytes(done - again));
    from += static_cast<std::size_t>(width) * column;
    done += width;
  }
}

// Of a block.
void BlockedGemm::multiply_by_strips(const std::byte* packed_a, const Panels& b, std::int64_t product,
                                     Range rows, Range columns, Range depth) const noexcept {
  if (rows.size() == 0) return;
  TileCalls calls;
  plan_strips(calls, b, strips(rows.size()), rows.size(), columns.size(), depth);
  std::byte* const c = c_at(product, rows.begin, columns.begin);
  calls.compute(a_in_place_ ? a_at(product, rows.begin, depth.begin) : packed_a, b.data, c,
                is_line_aligned(c, result_bytes(operands_->ldc)));
}

// Of all of the member's products, of which nothing is packed. Those of a batch are planned once: to decide
// for each anew would take longer than to compute 16 cubed.
void BlockedGemm::multiply_in_place_by_strips(const Role& role) const noexcept {
  if (role.rows.size() == 0 || role.columns.size() == 0) return;
  TileCalls calls;
  plan_strips(calls, {nullptr, operands_->ldb, false}, role.strips, role.rows.size(), role.columns.size(),
              {0, shape_.k});
  for (std::int64_t product = role.products.begin; product < role.products.end; ++product) {
    std::byte* const c = c_at(product, role.rows.begin, role.columns.begin);
    calls.compute(a_at(product, role.rows.begin, 0), b_at(product, 0, role.columns.begin), c,
                  is_line_aligned(c, result_bytes(operands_->ldc)));
  }
}

}  // namespace
}  // namespace pibench::kernels
