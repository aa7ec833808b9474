// The two loops inside of the nest: tile by tile over a block of C, and what becomes of the sums of a tile
// that hangs over the edge. For loop_nest.cc alone, as blocked_gemm.h is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "blocked_gemm.h"
#include "tiles_by_strips.h"

namespace pibench::kernels {
namespace {

void BlockedGemm::multiply(const std::byte* packed_a, const Panels& b, std::int64_t product, Range rows,
                           const Strips& strips_of_rows, Range columns, Range depth, int member) noexcept {
  auto* c = static_cast<std::byte*>(operands_->c) + result_bytes(product * operands_->stride_c);
  Tile tile = tile_of_c(kernel_.joins_b ? depth.size() : packed_depth(depth.size()), b.step);
  tile.accumulate = depth.begin > 0;
  tile.stream_c = stream_c_ && !tile.accumulate && is_line_aligned(c, result_bytes(operands_->ldc));

  const bool apart = differ(rows.size(), rows_set_up(member));
  if (apart) kernel_.enter(rows.size());
  PanelAhead ahead{};
  for (std::int64_t j = columns.begin; j < columns.end; j += kernel_.nr) {
    const std::int64_t width = std::min<std::int64_t>(kernel_.nr, columns.end - j);
    const std::int64_t panel = (j - columns.begin) / kernel_.nr;
    const bool hangs_over = width < kernel_.nr && !kernel_.any_columns;
    std::int64_t b_step = b.step;
    const std::byte* panel_of_b = nullptr;
    // The first tile packs the panel that it reads: whole, and by a tile that can.
    const bool copies = copies_b_ && b.unpacked != nullptr && width == kernel_.nr && depth.size() > 1 &&
                        strips_of_rows.height() >= kernel_.copies_b;
    if (b.unpacked != nullptr && copies_b_) {
      if (!copies) pack_b(b.unpacked, product, columns, depth, {panel, panel + 1});
    } else if (b.unpacked != nullptr) {
      // A panel that was begun is complete when the one before it has been used.
      if (ahead.to == nullptr) pack_b(b.unpacked, product, columns, depth, {panel, panel + 1});
      ahead = pack_while(b, product, rows, columns, depth, panel);
      tile.ahead = ahead.groups > 0 ? &ahead : nullptr;
    }
    if (b.packed) {
      panel_of_b = b.data + panel_place(panel, depth.size());
    } else if (!hangs_over) {
      panel_of_b = b.data + source_bytes(j - columns.begin);
    } else {
      // Reading a whole panel here would read beyond the matrix.
      pack_b(own_panel(member), product, {j, j + width}, depth, {0, 1});
      panel_of_b = own_panel(member);
      b_step = std::int64_t{kernel_.nr} * packing_.b.unit;
    }
    // The panel after this one is asked for by all strips, each a share of it.
    const std::int64_t strip_count = strips_of_rows.count();
    const std::byte* asked =
        copies ? b_at(product, depth.begin, j + kernel_.nr)
               : panel_of_b + (b.packed ? panel_bytes(depth.size()) : source_bytes(kernel_.nr));
    tile.asked_step = copies ? operands_->ldb : b_step;
    const std::size_t asked_bytes = static_cast<std::size_t>(tile.asked_step) * packing_.packed_size;
    std::int64_t unasked = b_asked_ && width < columns.end - j ? ceil_div(tile.depth, packing_.b.unit) : 0;
    const std::int64_t share_of_asked = ceil_div(unasked, strip_count);
    // Only tiles that read A in place can, and C is asked for every few steps.
    tile.asks_evenly =
        evenly_ && a_in_place_ && !shape_.transpose_a && !tile.prefetch_c && unasked > 0 && strip_count == 1;
    for (std::int64_t at = 0; at < width;) {
      const Piece piece = next_piece(width - at);
      const ComputeTile* const of_height = heights(piece.kernel);
      tile.columns = hangs_over ? kernel_.nr : piece.columns;
      for (const StripRun& run : strips_of_rows) {
        const ComputeTile compute = of_height[run.height - 1];
        std::int64_t row = run.row;
        for (std::int64_t left = run.count; left > 0; --left, row += run.step) {
          const bool copying = copies && row == 0;
          // Tiles that join rows ask for those of their own place in the next panel, the first strip's for
          // all.
          tile.asked = !kernel_.joins_b || (unasked > 0 && row == 0) ? asked : nullptr;
          tile.asked_units = std::min(share_of_asked, unasked);
          asked += static_cast<std::size_t>(tile.asked_units) * asked_bytes;
          unasked -= tile.asked_units;
          tile.b = copying ? b_at(product, depth.begin, j) : panel_of_b;
          tile.b_step = copying ? operands_->ldb : b_step;
          tile.copy = copying ? b.unpacked + panel_place(panel, depth.size()) : nullptr;
          if (a_in_place_) {
            tile.a = a_at(product, rows.begin + row, depth.begin);
            tile.a_step = shape_.transpose_a ? operands_->lda : 1;
          } else {
            tile.a = packed_a + strip_bytes(row, depth.size());
            tile.a_step = run.height * packing_.a.unit;
          }
          std::byte* const target = c + result_bytes((rows.begin + row) * operands_->ldc + j + at);
          tile.c = tile.target = target;
          if (!hangs_over) {
            compute(tile);
          } else {
            edge_tile(compute, tile, run.height, width, own_edge(member));
          }
        }
      }
      at += piece.columns;
      panel_of_b += static_cast<std::size_t>(piece.columns * packing_.b.unit) * packing_.packed_size;
    }
  }
  if (apart) kernel_.enter(rows_set_up(member));
}

// What the member reads of the next product, where it lies together; nothing where it does not, because most
// of what would be asked for then is not wanted.
NextOperands BlockedGemm::operands_after(const Role& role, std::int64_t product) const noexcept {
  if (!next_asked_ || role.columns.size() == 0 || product + 1 >= role.products.end) return {};
  const auto stretch = [&](const std::byte* first, std::int64_t rows, std::int64_t row, std::int64_t ld) {
    const bool together = ld < 2 * row;
    return Stretch{first, together ? static_cast<std::int64_t>(source_bytes((rows - 1) * ld + row)) : 0};
  };
  const std::int64_t a_rows = shape_.transpose_a ? shape_.k : role.rows.size();
  const std::int64_t a_row = shape_.transpose_a ? role.rows.size() : shape_.k;
  return {stretch(a_at(product + 1, role.rows.begin, 0), a_rows, a_row, operands_->lda),
          stretch(b_at(product + 1, 0, role.columns.begin), shape_.k, role.columns.size(), operands_->ldb),
          role.strips.count() * panels(role.columns.size())};
}

// A tile with nothing to ask for of B or to pack meanwhile, of which the place is still to be said. Each
// member is given: zeroing the others first would take 13 ns of each call (Zen 4).
Tile BlockedGemm::tile_of_c(std::int64_t depth, std::int64_t b_step) const noexcept {
  return {.depth = depth,
          .a = nullptr,
          .b = nullptr,
          .c = nullptr,
          .a_step = 1,
          .b_step = b_step,
          .a_row = operands_->lda,
          .ldc = operands_->ldc,
          .columns = 0,
          .accumulate = false,
          .stream_c = false,
          .prefetch_c = c_asked_,
          .target = nullptr,
          .target_row = operands_->ldc,
          .ahead = nullptr,
          .asked = nullptr,
          .asked_units = 0,
          .asked_step = 0,
          .asks_evenly = false,
          .copy = nullptr,
          .more = 0,
          .b_panel = 0,
          .below = 0,
          .a_strip = 0,
          .c_strip = 0};
}

// The member's part of a product of which nothing is packed, in one block. A small one is a few dozen tiles,
// beside which what `multiply` decides anew for each of them counts.
void BlockedGemm::multiply_in_place(const Role& role, std::int64_t product) noexcept {
  if (role.rows.size() == 0) return;
  const std::byte* const first_a = a_at(product, role.rows.begin, 0);
  const std::byte* const first_b = b_at(product, 0, role.columns.begin);
  std::byte* const first_c = c_at(product, role.rows.begin, role.columns.begin);
  const std::size_t a_row = source_bytes(shape_.transpose_a ? 1 : operands_->lda);
  const std::size_t c_row = result_bytes(operands_->ldc);
  const std::int64_t all = role.columns.size();
  Tile tile = tile_of_c(whole_depth_, operands_->ldb);
  tile.a_step = shape_.transpose_a ? operands_->lda : 1;
  tile.stream_c = stream_c_ && is_line_aligned(first_c, c_row);
  NextOperands next = operands_after(role, product);
  for (std::int64_t done = 0; done < all;) {
    const Piece piece = piece_after(done, all, !tile.stream_c);
    std::byte* const c = first_c + result_bytes(done - piece.again);
    tile.columns = piece.again + piece.columns;
    tile.b = first_b + source_bytes(done - piece.again);
    done += piece.columns;
    const bool whole = piece.columns == kernel_.nr;
    const bool plain = plain_ && whole;
    if ((kernel_.beside && next.none()) || plain) {
      const ComputeTile* const of_height = plain ? kernel_.plain : heights(piece.kernel);
      const auto take = [&](ComputeTile compute, Tile& below, std::size_t a_from, std::size_t,
                            std::size_t c_from) {
        below.a = first_a + a_from;
        below.c = below.target = c + c_from;
        compute(below);
      };
      if (whole)
        take_below(of_height, true, role.strips, a_row, tile, 0, 0, take);
      else
        take_below(of_height, true, strips_of_rest(piece.kernel, role.rows.size()), a_row, tile, 0, 0, take);
      continue;
    }
    const ComputeTile* const of_height = heights(piece.kernel);
    for (const StripRun& run : role.strips) {
      const ComputeTile compute = of_height[run.height - 1];
      std::int64_t row = run.row;
      for (std::int64_t left = run.count; left > 0; --left, row += run.step) {
        tile.a = first_a + static_cast<std::size_t>(row) * a_row;
        tile.c = tile.target = c + static_cast<std::size_t>(row) * c_row;
        if (!next.none()) next.ask_by(tile, piece.kernel.nr, packing_.b, packing_);
        compute(tile);
      }
    }
  }
}

// A tile that hangs over the right edge of C is computed whole in `edge`.
void BlockedGemm::edge_tile(const ComputeTile compute, Tile tile, std::int64_t rows, std::int64_t columns,
                            std::byte* edge) noexcept {
  const std::size_t bytes = result_bytes(columns);
  const std::size_t c_step = result_bytes(tile.ldc);
  const std::size_t edge_step = result_bytes(kernel_.nr);
  auto* c = static_cast<std::byte*>(tile.c);
  const auto count = static_cast<std::size_t>(rows);
  if (tile.accumulate) {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(edge + i * edge_step, c + i * c_step, bytes);
  }
  tile.c = edge;
  tile.ldc = kernel_.nr;
  compute(tile);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(c + i * c_step, edge + i * edge_step, bytes);
}

}  // namespace
}  // namespace pibench::kernels
