// What a GEMM by the loop nest packs of its operands, when, and where that lies. For loop_nest.cc alone, as
// blocked_gemm.h is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "blocked_gemm.h"

namespace pibench::kernels {
namespace {

void BlockedGemm::prepack(const GemmOperands& operands) noexcept {
  if (!shape_.prepack_b) return;
  operands_ = &operands;
  for (std::int64_t product = 0; product < shape_.batch; ++product) {
    for (std::int64_t column = 0; column < shape_.n; column += kernel_.nr) {
      const Range columns{column, std::min(column + kernel_.nr, shape_.n)};
      for (std::int64_t pc = 0; pc < shape_.k; pc += blocks_.kc) {
        pack_b(packed_b_[0].data() + prepacked_offset(product, column, pc), product, columns,
               {pc, std::min(pc + blocks_.kc, shape_.k)}, {0, 1});
      }
    }
  }
  operands_ = nullptr;
}

// Returns where the panels begin; nullptr where nothing is packed in a call.
std::byte* BlockedGemm::pack_block_of_b(const Role& role, std::int64_t product, Range columns, Range depth,
                                        std::size_t& turn) noexcept {
  if (b_in_place_ || shape_.prepack_b) return nullptr;
  std::byte* packed = packed_b_[static_cast<std::size_t>(role.lane) * blocks_per_lane_ + turn].data();
  if (packs_ahead_ || copies_b_) return packed;
  const Range mine = share(panels(columns.size()), role.packer, partition_.packers());
  pack_b(packed, product, columns, depth, mine);
  if (partition_.packers() > 1) {
    // Past this barrier everybody has packed this block, and nobody reads the one before any more.
    team_.barrier();
    turn = (turn + 1) % blocks_per_lane_;
  }
  return packed;
}

// `packed`: where the panels of this depth begin, if they are packed in this call. `first`: this is their
// first use.
Panels BlockedGemm::panels_of_b(std::byte* packed, std::int64_t product, Range columns, Range depth,
                                bool first) const noexcept {
  const std::int64_t packed_step = std::int64_t{kernel_.nr} * packing_.b.unit;
  if (b_in_place_) return {b_at(product, depth.begin, columns.begin), operands_->ldb, false};
  if (shape_.prepack_b) {
    const std::size_t offset = prepacked_offset(product, columns.begin, depth.begin);
    return {packed_b_[0].data() + offset, packed_step, true};
  }
  return {packed, packed_step, true, (packs_ahead_ || copies_b_) && first ? packed : nullptr};
}

// Packs by whole lines as many of the panels as the packing can, and what their depth has beyond whole units
// by `pack`. Returns the first panel that is left.
std::int64_t BlockedGemm::pack_lines(std::byte* packed, std::int64_t product, Range columns, Range depth,
                                     Range panels_to_pack, PackStrip pack) const noexcept {
  const std::int64_t whole = depth.size() / packing_.depth_multiple * packing_.depth_multiple;
  if (whole == 0) return panels_to_pack.begin;
  const std::int64_t first = columns.begin + panels_to_pack.begin * kernel_.nr;
  const std::int64_t end = std::min(columns.begin + panels_to_pack.end * kernel_.nr, columns.end);
  const std::int64_t done =
      packing_.by_lines(b_at(product, depth.begin, first), operands_->ldb, end - first, whole, kernel_.nr,
                        static_cast<std::int64_t>(panel_bytes(depth.size())),
                        packed + panel_place(panels_to_pack.begin, depth.size()));
  const std::int64_t left = panels_to_pack.begin + done / kernel_.nr;
  if (whole == depth.size()) return left;
  for (std::int64_t panel = panels_to_pack.begin; panel < left; ++panel)
    pack(b_at(product, depth.begin + whole, columns.begin + panel * kernel_.nr), operands_->ldb, kernel_.nr,
         depth.size() - whole, kernel_.nr,
         packed + panel_place(panel, depth.size()) + packed_bytes(kernel_.nr, whole));
  return left;
}

void BlockedGemm::pack_b(std::byte* packed, std::int64_t product, Range columns, Range depth,
                         Range panels_to_pack) noexcept {
  const bool by_rows = b_rows_ > 0 && !shape_.transpose_b;
  const PackStrip whole = shape_.transpose_b ? packing_.b.along_depth : packing_.b.along_lanes;
  const PackStrip pack = by_rows && packing_.part_of_b != nullptr ? packing_.part_of_b : whole;
  const std::int64_t at_a_time =
      by_rows ? round_up(std::int64_t{b_rows_}, packing_.depth_multiple) : depth.size();
  Range left = panels_to_pack;
  if (by_lines_ && (by_rows || left.size() > 1))
    left.begin = pack_lines(packed, product, columns, depth, left, pack);
  for (std::int64_t p = depth.begin; p < depth.end; p += at_a_time) {
    const std::int64_t rows = std::min(at_a_time, depth.end - p);
    for (std::int64_t panel = left.begin; panel < left.end; ++panel) {
      const std::int64_t first = columns.begin + panel * kernel_.nr;
      const std::int64_t width = std::min<std::int64_t>(kernel_.nr, columns.end - first);
      if (by_rows) {
        // The same columns of the rows after these.
        const std::int64_t end = std::min(p + 2 * at_a_time, shape_.k);
        const std::size_t last_byte = source_bytes(width) - 1;
        for (std::int64_t next = p + at_a_time; next < end; ++next)
          __builtin_prefetch(b_at(product, next, first) + last_byte, 0, 2);
      }
      pack(b_at(product, p, first), operands_->ldb, width, rows, kernel_.nr,
           packed + panel_place(panel, depth.size()) + packed_bytes(kernel_.nr, p - depth.begin));
    }
  }
  if (pack == whole) return;
  for (std::int64_t panel = panels_to_pack.begin; panel < panels_to_pack.end; ++panel)
    packing_.append(depth.size(), kernel_.nr, packed + panel_place(panel, depth.size()));
}

// The strip from row i on begins where i packed rows end. Downwards: a strip may be packed some bytes beyond
// its end, where the next one is then packed.
void BlockedGemm::pack_a(std::byte* packed, std::int64_t product, Range rows, Range depth) noexcept {
  const PackStrip pack = shape_.transpose_a ? packing_.a.along_lanes : packing_.a.along_depth;
  for (const StripRun& run : Strips(rows.size(), strip_rows_, kernel_.row_multiple, StripOrder::down)) {
    std::int64_t row = run.row;
    for (std::int64_t left = run.count; left > 0; --left, row += run.step)
      pack(a_at(product, rows.begin + row, depth.begin), operands_->lda, run.height, depth.size(), run.height,
           packed + strip_bytes(row, depth.size()));
  }
}

// What is to be packed while this panel is used: all of the next, or nothing. Panels that have a zero to fill
// in are packed in their turn; so are all where few rows use them, because more stores than a few between two
// loads of tiles delay those whose addresses end alike.
PanelAhead BlockedGemm::pack_while(const Panels& b, std::int64_t product, Range rows, Range columns,
                                   Range depth, std::int64_t panel) const noexcept {
  constexpr std::int64_t kMostAtOnce = 4;
  // Each step of the depth of a tile reads depth_multiple of it and packs `at_once` groups: the steps that
  // use this panel complete the next.
  const std::int64_t groups = depth.size() / packing_.b.unit;
  const std::int64_t steps =
      ceil_div(rows.size(), strip_rows_) * ceil_div(depth.size(), packing_.depth_multiple);
  const std::int64_t at_once = ceil_div(groups, steps);
  const std::int64_t next = columns.begin + (panel + 1) * kernel_.nr;
  const bool has_zeros = columns.end - next < kernel_.nr || depth.size() % packing_.depth_multiple != 0;
  if (has_zeros || at_once > kMostAtOnce) return {};
  return {b_at(product, depth.begin, next), static_cast<std::int64_t>(source_bytes(operands_->ldb)),
          b.unpacked + panel_place(panel + 1, depth.size()), groups, at_once};
}

}  // namespace
}  // namespace pibench::kernels
