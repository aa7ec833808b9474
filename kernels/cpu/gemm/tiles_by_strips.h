// The two inner loops exchanged: strip by strip over a block of C, in a few calls of kernels that compute the
// tiles beside and below one. For loop_nest.cc alone, as blocked_gemm.h is, and for blocked_tiles.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "blocked_gemm.h"

namespace pibench::kernels {
namespace {

// How many whole tiles so many columns have beside each other: where two are computed as one, an even number.
std::int64_t BlockedGemm::tiles_beside(std::int64_t columns) const noexcept {
  return flat_ ? columns / (kTilesOfPair * kernel_.nr) * kTilesOfPair : columns / kernel_.nr;
}

// The next tile's columns after so many of `all`. What whole tiles leave is, where `again`, a whole tile that
// ends with the others and has some of their columns again, of which the instructions are fewer: of a B that
// lies there, and where nothing is added to C or written past the caches.
// (Put in by force: small products feel a call of it.)
[[gnu::always_inline]] inline Piece BlockedGemm::piece_after(std::int64_t done, std::int64_t all,
                                                             bool again) const noexcept {
  Piece piece = next_piece(all - done);
  const std::int64_t whole = piece.kernel.nr;
  if (again && kernel_.beside && all >= whole) piece.again = whole - piece.columns;
  return piece;
}

// The strips of an A in place, of as many rows as the kernel of what whole tiles leave has.
Strips BlockedGemm::strips_of_rest(const MicroKernel& kernel, std::int64_t rows) const noexcept {
  return {rows, std::min<std::int64_t>(kernel.mr, most_rows_), kernel_.row_multiple, strip_order_};
}

// What computes tiles of A as this product has it.
const ComputeTile* BlockedGemm::heights(const MicroKernel& kernel) const noexcept {
  return a_in_place_ && !shape_.transpose_a ? in_place(kernel) : by_rows(kernel);
}

// Calls `take` with what computes `tile`, of which the place and the height are still to be said, and those
// below it, or above where the strips are taken back up, and with how far from the first rows, in bytes, its
// operands are: of strips, packed or not, that follow each other, `a_row` bytes for each row. One call for
// each run of strips, or, where tiles have none `below` them, for each strip.
template <typename Take>
void BlockedGemm::take_below(const ComputeTile* heights, bool below, const Strips& strips, std::size_t a_row,
                             Tile& tile, std::size_t b_from, std::size_t c_from,
                             const Take& take) const noexcept {
  const std::size_t c_row = result_bytes(operands_->ldc);
  for (const StripRun& run : strips) {
    if (!a_in_place_) tile.a_step = run.height * packing_.a.unit;
    tile.below = below ? run.count - 1 : 0;
    tile.a_strip = run.step * static_cast<std::int64_t>(a_row);
    tile.c_strip = run.step * static_cast<std::int64_t>(c_row);
    std::int64_t row = run.row;
    for (std::int64_t left = below ? 1 : run.count; left > 0; --left, row += run.step) {
      const auto first = static_cast<std::size_t>(row);
      take(heights[run.height - 1], tile, first * a_row, b_from, c_from + first * c_row);
    }
  }
}

// Likewise what computes so many columns of these strips, of a B that stays near, packed or as it lies,
// without anything to ask for or to pack meanwhile. What whole tiles leave of the columns comes after them.
template <typename Take>
void BlockedGemm::take_strips(bool packed_b, std::int64_t b_step, const Strips& strips_of_rows,
                              std::int64_t columns, Range depth, const Take& take) const noexcept {
  const std::size_t a_row =
      !a_in_place_ ? strip_bytes(1, depth.size()) : source_bytes(shape_.transpose_a ? 1 : operands_->lda);
  const std::size_t panel = packed_b ? panel_bytes(depth.size()) : source_bytes(kernel_.nr);
  const std::size_t column =
      packed_b ? static_cast<std::size_t>(packing_.b.unit) * packing_.packed_size : source_bytes(1);
  Tile tile = tile_of_c(packed_depth(depth.size()), b_step);
  tile.a_step = shape_.transpose_a ? operands_->lda : 1;
  tile.accumulate = depth.begin > 0;
  tile.stream_c = stream_c_ && !tile.accumulate && result_bytes(operands_->ldc) % kLine == 0;

  const std::int64_t beside = tiles_beside(columns);
  if (beside > 0) {
    tile.columns = kernel_.nr;
    tile.more = beside - 1;
    tile.b_panel = static_cast<std::int64_t>(panel);
    take_below(flat_    ? kernel_.flat
               : plain_ ? kernel_.plain
                        : heights(kernel_),
               true, strips_of_rows, a_row, tile, 0, 0, take);
    tile.more = 0;
  }
  const bool again = !packed_b && !tile.accumulate && !tile.stream_c;
  std::size_t b_from = static_cast<std::size_t>(beside) * panel;
  for (std::int64_t done = beside * kernel_.nr; done < columns;) {
    const Piece piece = piece_after(done, columns, again);
    tile.columns = piece.again + piece.columns;
    const auto take_these = [&](const Strips& strips) {
      take_below(heights(piece.kernel), kernel_.beside, strips, a_row, tile,
                 b_from - static_cast<std::size_t>(piece.again) * column, result_bytes(done - piece.again),
                 take);
    };
    if (a_in_place_)
      take_these(strips_of_rest(piece.kernel, strips_of_rows.rows()));
    else
      take_these(strips_of_rows);
    b_from += static_cast<std::size_t>(piece.columns) * column;
    done += piece.columns;
  }
}

// Of a block, or of a product that is one.
void BlockedGemm::multiply_by_strips(const std::byte* first_a, const Panels& b, const Strips& strips_of_rows,
                                     std::byte* first_c, std::int64_t columns, Range depth) const noexcept {
  const bool aligned = is_line_aligned(first_c, result_bytes(operands_->ldc));
  take_strips(
      b.packed, b.step, strips_of_rows, columns, depth,
      [&](ComputeTile compute, Tile& tile, std::size_t a_from, std::size_t b_from, std::size_t c_from) {
        tile.a = first_a + a_from;
        tile.b = b.data + b_from;
        tile.c = tile.target = first_c + c_from;
        tile.stream_c = tile.stream_c && aligned;
        compute(tile);
      });
}

// Those after so many columns, which are whole panels.
Panels BlockedGemm::panels_after(Panels b, std::int64_t columns, Range depth) const noexcept {
  b.data += b.packed ? static_cast<std::size_t>(columns / kernel_.nr) * panel_bytes(depth.size())
                     : source_bytes(columns);
  return b;
}

// What the member calls for each of its products, of which nothing is packed.
void BlockedGemm::plan_calls(const Role& role, TileCalls& calls) const noexcept {
  calls.clear();
  if (role.rows.size() == 0) return;
  take_strips(
      false, operands_->ldb, role.strips, role.columns.size(), {0, shape_.k},
      [&](ComputeTile compute, const Tile& tile, std::size_t a_from, std::size_t b_from, std::size_t c_from) {
        calls.add({compute, tile, a_from, b_from, c_from, tile.stream_c});
      });
}

// Of all members, for operands with rows as far apart as those now. Before they are at work.
void BlockedGemm::plan_calls() noexcept {
  if (planned_for_ == leading_dimensions()) return;
  planned_for_ = leading_dimensions();
  for (std::size_t i = 0; i < roles_.size(); ++i) plan_calls(roles_[i], calls_[i]);
}

void BlockedGemm::multiply_as_planned(const Role& role, TileCalls& calls) const noexcept {
  const std::size_t c_row = result_bytes(operands_->ldc);
  for (std::int64_t product = role.products.begin; product < role.products.end; ++product) {
    std::byte* const c = c_at(product, role.rows.begin, role.columns.begin);
    calls.compute(a_at(product, role.rows.begin, 0), b_at(product, 0, role.columns.begin), c,
                  is_line_aligned(c, c_row));
  }
}

}  // namespace
}  // namespace pibench::kernels
