// The five loops around the micro-kernel, from outside: columns of C by nc, depth by kc (a block of B is
// packed), rows by mc (a block of A is packed), panels of nr columns, strips of at most mr rows. The caches
// hold the packed block of B (L3), the packed block of A (L2) and one panel of B (L1) while the loops inside
// run over them.
//
// Or strip by strip, with the two innermost exchanged: then a strip of A is in L1 while the panels of B run
// past it, from L2 or L3.
//
// Everything here counts in elements and moves bytes: it knows no data type.
#include "loop_nest.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "../cache_sizes.h"
#include "blocked_gemm.h"
#include "blocked_packing.h"
#include "blocked_tiles.h"
#include "tiles_by_strips.h"

namespace pibench::kernels {
namespace {

BlockedGemm::BlockedGemm(const InstructionSet& set, const MicroKernel& kernel, const GemmShape& shape,
                         Team& team, const Strategy& strategy)
    : set_(set),
      kernel_(kernel),
      half_(strategy.halves ? kernel.half : nullptr),
      packing_(*kernel.packing),
      shape_(shape),
      team_(team),
      partition_(strategy.partition),
      blocks_(strategy.blocking),
      whole_depth_(packed_depth(shape.k)),
      a_in_place_(strategy.a_in_place),
      b_in_place_(strategy.b_in_place),
      most_rows_(strategy.strip_rows > 0 ? strategy.strip_rows : std::numeric_limits<int>::max()),
      strip_rows_(std::min(most_rows_,
                           strategy.in_pairs && kernel.rows_of_pairs > 0 ? kernel.rows_of_pairs : kernel.mr)),
      strip_order_(strategy.to_the_middle ? StripOrder::to_the_middle : StripOrder::down),
      b_asked_(strategy.b_asked),
      evenly_(strategy.evenly),
      next_asked_(strategy.next_asked),
      c_asked_(strategy.c_asked),
      spreading_(strategy.spreading),
      stream_c_(strategy.stream_c),
      b_rows_(strategy.b_rows),
      by_lines_(strategy.by_lines && kernel.packing->by_lines != nullptr && !shape.transpose_b &&
                (strategy.b_rows > 0 || kernel.packing->trailer_of_b == 0)),
      flat_(strategy.rows_outside && strategy.in_pairs && kernel.flat != nullptr && strategy.a_in_place &&
            strategy.b_in_place && !shape.transpose_a),
      rows_outside_(flat_ || (strategy.rows_outside && kernel.beside)),
      packs_ahead_(!rows_outside_ && strategy.b_ahead && kernel.pack_ahead != nullptr &&
                   strategy.partition.packers() == 1 && !strategy.b_in_place && !shape.prepack_b &&
                   !shape.transpose_b && strategy.b_rows == 0),
      copies_b_(!rows_outside_ && strategy.b_copied && kernel.copies_b > 0 &&
                strategy.partition.packers() == 1 && (!strategy.a_in_place || kernel.copies_in_place) &&
                !strategy.b_in_place && !shape.prepack_b && !shape.transpose_b && strategy.b_rows == 0),
      panels_take_turns_(packs_ahead_ && shape.m <= strategy.blocking.mc),
      blocks_per_lane_(strategy.partition.packers() > 1 ? 2 : 1) {
  if (blocks_.kc < shape.k) blocks_.kc = round_up(blocks_.kc, packing_.depth_multiple);
  const std::int64_t widest = ceil_div(panels(shape.n), partition_.columns) * kernel.nr;
  column_blocks_ = ceil_div(widest, blocks_.nc);

  for (int i = 0; i < partition_.members(); ++i) roles_.push_back(role_of(i));
  only_tiles_ = has_only_tiles();
  plain_ = is_plain(strategy);
  is_planned_ = suits_plan();
  if (is_planned_) calls_.resize(roles_.size());
  const std::size_t a_bytes = a_in_place_ ? 0 : strip_bytes(blocks_.mc, blocks_.kc) + kPackingSlack;
  edge_offset_ = whole_lines(a_bytes);
  panel_offset_ = whole_lines(edge_offset_ + result_bytes(std::int64_t{kernel.mr} * kernel.nr));
  const std::size_t own_bytes = panel_offset_ + (b_in_place_ ? panel_bytes(blocks_.kc) : 0);
  for (int i = 0; i < partition_.members(); ++i) own_.emplace_back(own_bytes);
  if (shape.prepack_b) {
    packed_b_.emplace_back(prepacked_offset(shape.batch, 0, 0));
  } else if (!b_in_place_) {
    const std::int64_t panels_in_one = panels_take_turns_ ? 2 : panels(blocks_.nc);
    const std::size_t block = static_cast<std::size_t>(panels_in_one) * panel_bytes(blocks_.kc);
    const auto lanes = static_cast<std::size_t>(partition_.blocks_of_b());
    for (std::size_t i = 0; i < lanes * blocks_per_lane_; ++i) packed_b_.emplace_back(block);
  }
  on_members([](void* self, int member) { static_cast<BlockedGemm*>(self)->touch(member); });
}

void BlockedGemm::on_members(Team::Body body) noexcept {
  if (partition_.members() == 1) {
    body(this, 0);
  } else {
    team_.run(body, this);
  }
}

BlockedGemm::Role BlockedGemm::role_of(int member) const noexcept {
  const auto [products, rows, columns, own_b] = partition_;
  const int group = member / (rows * columns);
  const int in_group = member % (rows * columns);
  // Members whose numbers are neighbours share columns, and so the packed block of B.
  const int row = in_group % rows;
  const int column = in_group / rows;
  const Range my_panels = share(panels(shape_.n), column, columns);
  const Range my_rows = share(shape_.m, row, rows);
  return {share(shape_.batch, group, products),
          my_rows,
          {my_panels.begin * kernel_.nr, std::min(my_panels.end * kernel_.nr, shape_.n)},
          own_b ? member : group * columns + column,
          own_b ? 0 : row,
          strips(std::clamp(my_rows.size(), std::int64_t{1}, blocks_.mc)),
          strips(std::max((my_rows.size() - 1) % blocks_.mc + 1, std::int64_t{1}))};
}

// What asks for the next panel of B, and kernels with state to set up, go by the block.
bool BlockedGemm::has_only_tiles() const noexcept {
  const auto is_one_block = [&](const Role& role) { return role.rows.size() <= blocks_.mc; };
  return a_in_place_ && b_in_place_ && !b_asked_ && kernel_.any_columns && kernel_.enter == nullptr &&
         column_blocks_ == 1 && depth_blocks() == 1 &&
         std::all_of(roles_.begin(), roles_.end(), is_one_block);
}

// Whether whole tiles, of all of the depth, ask for nothing, and MicroKernel::plain computes them.
bool BlockedGemm::is_plain(const Strategy& strategy) const noexcept {
  return strategy.plain && kernel_.plain != nullptr && only_tiles_ && !flat_ && !shape_.transpose_a &&
         shape_.k >= kFewestPlainSteps && !c_asked_ && !stream_c_ && !next_asked_;
}

// Whether the calls of a product are so few, and in an order so good, that they are planned once.
bool BlockedGemm::suits_plan() const noexcept {
  const bool is_one_panel = shape_.n <= kernel_.nr && !next_asked_;
  // Strips of two heights each pass over all of B, which is to stay near.
  const bool by_panels = plain_ && shape_.n % kernel_.nr == 0 &&
                         source_bytes(shape_.k * shape_.n) <= static_cast<std::size_t>(cache_sizes().l1);
  return by_panels || (only_tiles_ && kernel_.beside && (rows_outside_ || is_one_panel));
}

// Zeroes what the member will write, so that the pages exist and lie on its memory node before the first run.
void BlockedGemm::touch(int member) noexcept {
  if (member >= partition_.members()) return;
  const auto index = static_cast<std::size_t>(member);
  std::memset(own_[index].data(), 0, own_[index].size());
  const Role& role = roles_[index];
  const auto zero_share = [&](const Buffer& buffer, std::int64_t part, std::int64_t parts) {
    const Range mine = share(static_cast<std::int64_t>(buffer.size()), part, parts);
    std::memset(buffer.data() + mine.begin, 0, static_cast<std::size_t>(mine.size()));
  };
  if (shape_.prepack_b) {
    zero_share(packed_b_[0], member, partition_.members());
    return;
  }
  if (b_in_place_) return;
  const std::size_t first = static_cast<std::size_t>(role.lane) * blocks_per_lane_;
  for (std::size_t i = 0; i < blocks_per_lane_; ++i) {
    zero_share(packed_b_[first + i], role.packer, partition_.packers());
  }
}

void BlockedGemm::run(const GemmOperands& operands) noexcept {
  operands_ = &operands;
  if (is_planned_) plan_calls();
  on_members([](void* self, int member) { static_cast<BlockedGemm*>(self)->work(member); });
  operands_ = nullptr;
}

void BlockedGemm::work(int member) noexcept {
  if (member >= partition_.members()) {
    // Barriers are of the whole team.
    if (partition_.packers() > 1 && !b_in_place_ && !shape_.prepack_b) {
      const std::int64_t barriers = shape_.batch * column_blocks_ * depth_blocks();
      for (std::int64_t i = 0; i < barriers; ++i) team_.barrier();
    }
    return;
  }
  const Role& role = roles_[static_cast<std::size_t>(member)];
  if (kernel_.enter != nullptr) kernel_.enter(rows_set_up(member));
  if (is_planned_)
    multiply_as_planned(role, calls_[static_cast<std::size_t>(member)]);
  else
    multiply_products(role, member);
  if (kernel_.leave != nullptr) kernel_.leave();
#if defined(__x86_64__)
  // Orders what was written past the caches before what tells others that it is there. The instruction
  // itself: the thread sanitizer knows no fences of the language.
  if (stream_c_) __builtin_ia32_sfence();
#endif
}

void BlockedGemm::multiply_products(const Role& role, int member) noexcept {
  std::size_t turn = 0;
  for (std::int64_t product = role.products.begin; product < role.products.end; ++product) {
    if (only_tiles_ && !flat_) {
      multiply_in_place(role, product);
    } else {
      multiply_product(role, product, turn, member);
    }
  }
}

void BlockedGemm::multiply_product(const Role& role, std::int64_t product, std::size_t& turn,
                                   int member) noexcept {
  // Every share of the columns has as many blocks, if empty ones, so that all meet at every barrier.
  for (std::int64_t block = 0; block < column_blocks_; ++block) {
    const std::int64_t jc = role.columns.begin + block * blocks_.nc;
    const Range columns{std::min(jc, role.columns.end), std::min(jc + blocks_.nc, role.columns.end)};
    for (std::int64_t pc = 0; pc < shape_.k; pc += blocks_.kc) {
      const Range depth{pc, std::min(pc + blocks_.kc, shape_.k)};
      std::byte* packed = pack_block_of_b(role, product, columns, depth, turn);
      for (std::int64_t ic = role.rows.begin; ic < role.rows.end; ic += blocks_.mc) {
        const Range rows{ic, std::min(ic + blocks_.mc, role.rows.end)};
        const Strips& strips_of_rows = rows.size() == role.strips.rows() ? role.strips : role.last_strips;
        if (!a_in_place_) pack_a(own_a(member), product, rows, depth);
        const Panels b = panels_of_b(packed, product, columns, depth, ic == role.rows.begin);
        std::int64_t by_strips = 0;
        if (rows_outside_) {
          by_strips = kernel_.any_columns ? columns.size() : columns.size() / kernel_.nr * kernel_.nr;
          multiply_by_strips(a_in_place_ ? a_at(product, rows.begin, depth.begin) : own_a(member), b,
                             strips_of_rows, c_at(product, rows.begin, columns.begin), by_strips, depth);
        }
        if (by_strips < columns.size())
          multiply(own_a(member), panels_after(b, by_strips, depth), product, rows, strips_of_rows,
                   {columns.begin + by_strips, columns.end}, depth, member);
      }
    }
  }
}

}  // namespace

std::unique_ptr<Gemm> make_blocked_gemm(const InstructionSet& set, const MicroKernel& kernel,
                                        const GemmShape& shape, Team& team, const Strategy* strategy) {
  if (shape.m < 1 || shape.n < 1 || shape.k < 1 || shape.batch < 1)
    throw std::invalid_argument("a GEMM needs m, n, k and a batch of at least 1");
  const Strategy chosen = strategy != nullptr ? *strategy : choose_strategy(kernel, shape, team.size());
  if ((chosen.a_in_place && !can_read_a_in_place(kernel, shape)) ||
      (chosen.b_in_place && !can_read_b_in_place(kernel, shape)) || (kernel.joins_b && !chosen.b_in_place))
    throw std::invalid_argument("this kernel cannot read this operand as it is asked to");
  return std::make_unique<BlockedGemm>(set, kernel, shape, team, chosen);
}

}  // namespace pibench::kernels
