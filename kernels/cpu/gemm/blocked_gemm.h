// A GEMM by the loop nest: what it keeps, where that lies, and the steps of which loop_nest.cc consists. For
// that file alone: nothing here has linkage outside of it, so that the compiler may put the steps into each
// other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../../native/threads/team.h"
#include "../buffer.h"
#include "instruction_set.h"
#include "loop_nest.h"
#include "next_operands.h"
#include "strips.h"
#include "tile_calls.h"

namespace pibench::kernels {
namespace {

constexpr std::size_t kLine = 64;

constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

// Whether each row begins a cache line.
bool is_line_aligned(const std::byte* first, std::size_t row_bytes) {
  return reinterpret_cast<std::uintptr_t>(first) % kLine == 0 && row_bytes % kLine == 0;
}

// A block of an operand as the kernel is to read it.
struct Panels {
  const std::byte* data;
  std::int64_t step;  // elements from one unit of the depth to the next
  bool packed;
  std::byte* unpacked = nullptr;  // the same place, where each panel is still to be packed before its use
};

// Columns of a panel that one tile has, and by what it is computed.
struct Piece {
  const MicroKernel& kernel;
  std::int64_t columns;
  std::int64_t again = 0;  // columns of the tile before, which it has besides
};

struct LeadingDimensions {
  std::int64_t a, b, c;
  bool operator==(const LeadingDimensions&) const = default;
};

class BlockedGemm final : public Gemm {
 public:
  BlockedGemm(const InstructionSet& set, const MicroKernel& kernel, const GemmShape& shape, Team& team,
              const Strategy& strategy);

  void prepack(const GemmOperands& operands) noexcept override;
  void run(const GemmOperands& operands) noexcept override;
  [[nodiscard]] const char* isa() const noexcept override { return set_.name; }
  [[nodiscard]] int members() const noexcept override { return partition_.members(); }

 private:
  // A member's place in the partition and the part of each product that is its own.
  struct Role {
    Range products, rows, columns;
    // Of packed blocks of B: one for each column of the grid and group of products, or for each member.
    int lane;
    int packer;  // which of those that share it
    // Of a block of its rows, and of the last one. Cut once: it takes nanoseconds, which count in small
    // products.
    Strips strips, last_strips;
  };

  void on_members(Team::Body body) noexcept;
  [[nodiscard]] Role role_of(int member) const noexcept;
  [[nodiscard]] bool has_only_tiles() const noexcept;
  void touch(int member) noexcept;
  void work(int member) noexcept;
  void multiply_products(const Role& role, int member) noexcept;
  void multiply_product(const Role& role, std::int64_t product, std::size_t& turn, int member) noexcept;

  std::byte* pack_block_of_b(const Role& role, std::int64_t product, Range columns, Range depth,
                             std::size_t& turn) noexcept;
  [[nodiscard]] Panels panels_of_b(std::byte* packed, std::int64_t product, Range columns, Range depth,
                                   bool first) const noexcept;
  void pack_b(std::byte* packed, std::int64_t product, Range columns, Range depth,
              Range panels_to_pack) noexcept;
  std::int64_t pack_lines(std::byte* packed, std::int64_t product, Range columns, Range depth,
                          Range panels_to_pack, PackStrip pack) const noexcept;
  void pack_a(std::byte* packed, std::int64_t product, Range rows, Range depth) noexcept;
  void multiply(const std::byte* packed_a, const Panels& b, std::int64_t product, Range rows,
                const Strips& strips_of_rows, Range columns, Range depth, int member) noexcept;
  [[nodiscard]] Tile tile_of_c(std::int64_t depth, std::int64_t b_step) const noexcept;
  void multiply_in_place(const Role& role, std::int64_t product) noexcept;
  [[nodiscard]] std::int64_t tiles_beside(std::int64_t columns) const noexcept;
  [[nodiscard]] const ComputeTile* heights(const MicroKernel& kernel) const noexcept;
  [[nodiscard]] Piece piece_after(std::int64_t done, std::int64_t all, bool again) const noexcept;
  [[nodiscard]] Strips strips_of_rest(const MicroKernel& kernel, std::int64_t rows) const noexcept;
  template <typename Take>
  void take_below(const ComputeTile* heights, bool below, const Strips& strips, std::size_t a_row, Tile& tile,
                  std::size_t b_from, std::size_t c_from, const Take& take) const noexcept;
  template <typename Take>
  void take_strips(bool packed_b, std::int64_t b_step, const Strips& strips_of_rows, std::int64_t columns,
                   Range depth, const Take& take) const noexcept;
  void multiply_by_strips(const std::byte* first_a, const Panels& b, const Strips& strips_of_rows,
                          std::byte* first_c, std::int64_t columns, Range depth) const noexcept;
  [[nodiscard]] Panels panels_after(Panels b, std::int64_t columns, Range depth) const noexcept;
  [[nodiscard]] bool is_plain(const Strategy& strategy) const noexcept;
  [[nodiscard]] bool suits_plan() const noexcept;
  void plan_calls(const Role& role, TileCalls& calls) const noexcept;
  void plan_calls() noexcept;
  void multiply_as_planned(const Role& role, TileCalls& calls) const noexcept;
  [[nodiscard]] NextOperands operands_after(const Role& role, std::int64_t product) const noexcept;
  [[nodiscard]] PanelAhead pack_while(const Panels& b, std::int64_t product, Range rows, Range columns,
                                      Range depth, std::int64_t panel) const noexcept;
  void edge_tile(ComputeTile compute, Tile tile, std::int64_t rows, std::int64_t columns,
                 std::byte* edge) noexcept;

  [[nodiscard]] const std::byte* a_at(std::int64_t product, std::int64_t row, std::int64_t p) const noexcept;
  [[nodiscard]] const std::byte* b_at(std::int64_t product, std::int64_t p,
                                      std::int64_t column) const noexcept;
  [[nodiscard]] std::byte* c_at(std::int64_t product, std::int64_t row, std::int64_t column) const noexcept;
  [[nodiscard]] std::int64_t packed_depth(std::int64_t depth) const noexcept {
    return round_up(depth, packing_.depth_multiple);
  }
  // Bytes of the strips of A that so many packed rows make, and what each row of a strip has appended.
  [[nodiscard]] std::size_t strip_bytes(std::int64_t rows, std::int64_t depth) const noexcept {
    return packed_bytes(rows, depth) + static_cast<std::size_t>(rows * packing_.trailer_of_a);
  }
  // Bytes of so many packed lanes of a block.
  [[nodiscard]] std::size_t packed_bytes(std::int64_t lanes, std::int64_t depth) const noexcept {
    return static_cast<std::size_t>(lanes * packed_depth(depth)) * packing_.packed_size;
  }
  [[nodiscard]] std::size_t panel_bytes(std::int64_t depth) const noexcept {
    return packed_bytes(kernel_.nr, depth) + static_cast<std::size_t>(kernel_.nr * packing_.trailer_of_b);
  }
  [[nodiscard]] std::size_t source_bytes(std::int64_t elements) const noexcept {
    return static_cast<std::size_t>(elements) * packing_.source_size;
  }
  [[nodiscard]] std::size_t result_bytes(std::int64_t elements) const noexcept {
    return static_cast<std::size_t>(elements) * kernel_.result_size;
  }
  [[nodiscard]] const ComputeTile* by_rows(const MicroKernel& kernel) const noexcept {
    return spreading_ && kernel.spreading != nullptr ? kernel.spreading : kernel.by_rows;
  }
  [[nodiscard]] const ComputeTile* in_place(const MicroKernel& kernel) const noexcept {
    return spreading_ && kernel.spreading_in_place != nullptr ? kernel.spreading_in_place : kernel.in_place;
  }
  // The next tile's, where so many columns are left.
  [[nodiscard]] Piece next_piece(std::int64_t columns) const noexcept {
    const MicroKernel* const narrow = kernel_.narrow;
    if (columns >= kernel_.nr || narrow == nullptr)
      return {kernel_, std::min<std::int64_t>(kernel_.nr, columns)};
    if (half_ != nullptr) {
      if (columns <= half_->nr) return {*half_, columns};
      if (columns > narrow->nr && columns <= narrow->nr + half_->nr) return {*narrow, narrow->nr};
    }
    return {columns <= narrow->nr ? *narrow : kernel_, columns};
  }
  [[nodiscard]] Strips strips(std::int64_t rows) const noexcept {
    return {rows, strip_rows_, kernel_.row_multiple, strip_order_};
  }
  [[nodiscard]] std::int64_t panels(std::int64_t columns) const noexcept {
    return ceil_div(columns, kernel_.nr);
  }
  // Where the block of B that begins at these columns and this depth stands among the prepacked ones.
  [[nodiscard]] std::size_t prepacked_offset(std::int64_t product, std::int64_t column,
                                             std::int64_t depth) const noexcept;

  // In a packed block of B, where this panel begins.
  [[nodiscard]] std::size_t panel_place(std::int64_t panel, std::int64_t depth) const noexcept {
    return static_cast<std::size_t>(panels_take_turns_ ? panel % 2 : panel) * panel_bytes(depth);
  }
  // The rows of the blocks that the member sets its kernel up for: all but the last of them have so many. (A
  // member in excess of the rows has none.)
  [[nodiscard]] std::int64_t rows_set_up(int member) const noexcept {
    const std::int64_t rows = roles_[static_cast<std::size_t>(member)].rows.size();
    return std::max(std::min(rows, blocks_.mc), std::int64_t{1});
  }
  [[nodiscard]] LeadingDimensions leading_dimensions() const noexcept {
    return {operands_->lda, operands_->ldb, operands_->ldc};
  }
  // Whether a kernel that is set up for blocks of so many rows has to be set up again for one of others.
  [[nodiscard]] bool differ(std::int64_t rows, std::int64_t others) const noexcept {
    const std::int64_t enough = kernel_.row_multiple;
    return kernel_.enter != nullptr && std::min(rows, enough) != std::min(others, enough);
  }
  [[nodiscard]] std::int64_t depth_blocks() const noexcept { return ceil_div(shape_.k, blocks_.kc); }

  // A member's own buffer: its packed block of A, one whole tile of C for the edges, and one panel of B.
  [[nodiscard]] std::byte* own_a(int member) const noexcept {
    return own_[static_cast<std::size_t>(member)].data();
  }
  [[nodiscard]] std::byte* own_edge(int member) const noexcept { return own_a(member) + edge_offset_; }
  [[nodiscard]] std::byte* own_panel(int member) const noexcept { return own_a(member) + panel_offset_; }

  const InstructionSet& set_;
  const MicroKernel& kernel_;
  const MicroKernel* half_;  // nullptr: not used
  const Packing& packing_;
  GemmShape shape_;
  Team& team_;
  Partition partition_;
  Blocking blocks_;
  std::int64_t whole_depth_;  // of the product, as the kernel wants it
  bool a_in_place_, b_in_place_;
  int most_rows_;   // of a strip of A in place, where rows that lie so far apart are to stay near
  int strip_rows_;  // of a strip of this kernel
  StripOrder strip_order_;
  bool b_asked_, evenly_, next_asked_, c_asked_, spreading_, stream_c_;
  int b_rows_;
  bool by_lines_;
  bool flat_;           // strip by strip, by MicroKernel::flat
  bool plain_ = false;  // panel by panel, by MicroKernel::plain
  bool rows_outside_;
  // Nothing is packed, and all of a member's part is one block: there are only tiles to compute.
  bool only_tiles_ = false;
  // Then, strip by strip or where there is but one panel, the calls of each member, for operands with rows so
  // far apart.
  bool is_planned_ = false;
  std::vector<TileCalls> calls_;
  LeadingDimensions planned_for_{};
  // Panels of B are packed just before they are used, by the only member that uses them; and, where each is
  // used by one block of rows only, in turns in the place of two, which then stays near.
  bool packs_ahead_;
  // Likewise, by the first tile that uses them.
  bool copies_b_;
  bool panels_take_turns_;
  std::vector<Role> roles_;         // of each member at work
  std::int64_t column_blocks_ = 0;  // of the widest share of the columns
  std::size_t edge_offset_ = 0, panel_offset_ = 0;
  std::vector<Buffer> own_;
  // Packed blocks of B, `blocks_per_lane_` for each lane: one that is its packer's alone, or two that take
  // turns among those who share it, so that one barrier a block is enough.
  std::size_t blocks_per_lane_ = 1;
  std::vector<Buffer> packed_b_;
  const GemmOperands* operands_ = nullptr;
};

// By product, then by depth, then by panel: the panels of any range of columns are neighbours in a block.
std::size_t BlockedGemm::prepacked_offset(std::int64_t product, std::int64_t column,
                                          std::int64_t depth) const noexcept {
  const auto all_panels = static_cast<std::size_t>(panels(shape_.n));
  const auto whole_blocks = static_cast<std::size_t>(shape_.k / blocks_.kc);
  const std::int64_t rest = shape_.k % blocks_.kc;
  const std::size_t product_bytes =
      all_panels * (whole_blocks * panel_bytes(blocks_.kc) + (rest > 0 ? panel_bytes(rest) : 0));
  const Range here{depth, std::min(depth + blocks_.kc, shape_.k)};
  return static_cast<std::size_t>(product) * product_bytes +
         static_cast<std::size_t>(depth / blocks_.kc) * all_panels * panel_bytes(blocks_.kc) +
         static_cast<std::size_t>(column / kernel_.nr) * panel_bytes(here.size());
}

const std::byte* BlockedGemm::a_at(std::int64_t product, std::int64_t row, std::int64_t p) const noexcept {
  const std::int64_t element = shape_.transpose_a ? p * operands_->lda + row : row * operands_->lda + p;
  return static_cast<const std::byte*>(operands_->a) + source_bytes(product * operands_->stride_a + element);
}

const std::byte* BlockedGemm::b_at(std::int64_t product, std::int64_t p, std::int64_t column) const noexcept {
  const std::int64_t element = shape_.transpose_b ? column * operands_->ldb + p : p * operands_->ldb + column;
  return static_cast<const std::byte*>(operands_->b) + source_bytes(product * operands_->stride_b + element);
}

std::byte* BlockedGemm::c_at(std::int64_t product, std::int64_t row, std::int64_t column) const noexcept {
  const std::int64_t element = row * operands_->ldc + column;
  return static_cast<std::byte*>(operands_->c) + result_bytes(product * operands_->stride_c + element);
}

}  // namespace
}  // namespace pibench::kernels
