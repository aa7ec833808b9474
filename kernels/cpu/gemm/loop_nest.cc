// The five loops around the micro-kernel, from outside: columns of C by nc, depth by kc (a block of B is
// packed), rows by mc (a block of A is packed), panels of nr columns, strips of at most mr rows. The caches
// hold the packed block of B (L3), the packed block of A (L2) and one panel of B (L1) while the loops inside
// run over them.
//
// Where sums are kept apart, the loop over the depth is inside the one over the rows, after all of the depth
// of a block's columns of B was packed; and each sum is written to C once, when it is complete.
//
// Everything here counts in elements and moves bytes: it knows no data type.
#include "loop_nest.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>

#include "blocked_gemm.h"

namespace pibench::kernels {
namespace {

BlockedGemm::BlockedGemm(const InstructionSet& set, const MicroKernel& kernel, const GemmShape& shape,
                         Team& team, const Strategy& strategy)
    : set_(set),
      kernel_(kernel),
      packing_(*kernel.packing),
      shape_(shape),
      team_(team),
      partition_(strategy.partition),
      blocks_(strategy.blocking),
      a_in_place_(strategy.a_in_place),
      b_in_place_(strategy.b_in_place),
      strip_rows_(strategy.strip_rows > 0 ? std::min(strategy.strip_rows, kernel.mr) : kernel.mr),
      b_is_far_(static_cast<std::int64_t>(source_bytes(shape.k * shape.n)) > cache_sizes().l2),
      prefetch_c_(static_cast<std::int64_t>(result_bytes(shape.m * shape.n)) > cache_sizes().l2 / 4),
      stream_c_(strategy.stream_c),
      sums_apart_(strategy.sums_apart),
      b_by_rows_(strategy.b_by_rows),
      packs_ahead_(kernel.pack_ahead != nullptr && strategy.partition.rows == 1 && !strategy.b_in_place &&
                   !shape.prepack_b && !shape.transpose_b && !strategy.b_by_rows),
      panels_take_turns_(packs_ahead_ && shape.m <= strategy.blocking.mc),
      blocks_per_lane_(strategy.partition.rows > 1 ? 2 : 1) {
  if (blocks_.kc < shape.k) blocks_.kc = round_up(blocks_.kc, packing_.depth_multiple);
  const std::int64_t widest = ceil_div(panels(shape.n), partition_.columns) * kernel.nr;
  column_blocks_ = ceil_div(widest, blocks_.nc);

  for (int i = 0; i < partition_.members(); ++i) roles_.push_back(role_of(i));
  const std::size_t a_bytes = a_in_place_ ? 0 : packed_bytes(blocks_.mc, blocks_.kc) + kPackingSlack;
  edge_offset_ = whole_lines(a_bytes);
  panel_offset_ = whole_lines(edge_offset_ + result_bytes(std::int64_t{kernel.mr} * kernel.nr));
  sums_offset_ = whole_lines(panel_offset_ + (b_in_place_ ? panel_bytes(blocks_.kc) : 0));
  // Sums that are complete after one block of the depth need no more than one tile, the one for the edges.
  const bool keeps_sums = sums_apart_ && depth_blocks() > 1;
  const std::size_t own_bytes =
      sums_offset_ + (keeps_sums ? result_bytes(panels(blocks_.nc) * kernel.nr * blocks_.mc) : 0);
  for (int i = 0; i < partition_.members(); ++i) own_.emplace_back(own_bytes);
  if (shape.prepack_b) {
    packed_b_.emplace_back(prepacked_offset(shape.batch, 0, 0));
  } else if (!b_in_place_) {
    const std::int64_t depth_blocks_in_one = sums_apart_ ? depth_blocks() : 1;
    const std::int64_t panels_in_one = panels_take_turns_ ? 2 : panels(blocks_.nc) * depth_blocks_in_one;
    const std::size_t block = static_cast<std::size_t>(panels_in_one) * panel_bytes(blocks_.kc);
    const auto lanes = static_cast<std::size_t>(std::int64_t{partition_.products} * partition_.columns);
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
  const auto [products, rows, columns] = partition_;
  const int group = member / (rows * columns);
  const int in_group = member % (rows * columns);
  // Members whose numbers are neighbours share columns, and so the packed block of B.
  const int row = in_group % rows;
  const int column = in_group / rows;
  const Range my_panels = share(panels(shape_.n), column, columns);
  return {share(shape_.batch, group, products),
          share(shape_.m, row, rows),
          {my_panels.begin * kernel_.nr, std::min(my_panels.end * kernel_.nr, shape_.n)},
          row,
          column,
          group * columns + column};
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
    zero_share(packed_b_[first + i], role.row, partition_.rows);
  }
}

void BlockedGemm::run(const GemmOperands& operands) noexcept {
  operands_ = &operands;
  on_members([](void* self, int member) { static_cast<BlockedGemm*>(self)->work(member); });
  operands_ = nullptr;
}

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

void BlockedGemm::work(int member) noexcept {
  if (member >= partition_.members()) {
    // Barriers are of the whole team.
    if (partition_.rows > 1 && !b_in_place_ && !shape_.prepack_b) {
      const std::int64_t barriers = shape_.batch * column_blocks_ * (sums_apart_ ? 1 : depth_blocks());
      for (std::int64_t i = 0; i < barriers; ++i) team_.barrier();
    }
    return;
  }
  const Role& role = roles_[static_cast<std::size_t>(member)];
  if (kernel_.enter != nullptr) kernel_.enter();
  std::size_t turn = 0;
  for (std::int64_t product = role.products.begin; product < role.products.end; ++product) {
    if (sums_apart_) {
      multiply_depth_inside(role, product, turn, member);
    } else {
      multiply_product(role, product, turn, member);
    }
  }
  if (kernel_.leave != nullptr) kernel_.leave();
#if defined(__x86_64__)
  // Orders what was written past the caches before what tells others that it is there. The instruction
  // itself: the thread sanitizer knows no fences of the language.
  if (stream_c_) __builtin_ia32_sfence();
#endif
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
        if (!a_in_place_) pack_a(own_a(member), product, rows, depth);
        const Panels b = panels_of_b(packed, product, columns, depth, ic == role.rows.begin);
        multiply(own_a(member), b, product, rows, columns, depth, member);
      }
    }
  }
}

void BlockedGemm::multiply_depth_inside(const Role& role, std::int64_t product, std::size_t& turn,
                                        int member) noexcept {
  for (std::int64_t block = 0; block < column_blocks_; ++block) {
    const std::int64_t jc = role.columns.begin + block * blocks_.nc;
    const Range columns{std::min(jc, role.columns.end), std::min(jc + blocks_.nc, role.columns.end)};
    std::byte* packed = pack_block_of_b(role, product, columns, {0, shape_.k}, turn);
    for (std::int64_t ic = role.rows.begin; ic < role.rows.end; ic += blocks_.mc) {
      const Range rows{ic, std::min(ic + blocks_.mc, role.rows.end)};
      for (std::int64_t pc = 0; pc < shape_.k; pc += blocks_.kc) {
        const Range depth{pc, std::min(pc + blocks_.kc, shape_.k)};
        if (!a_in_place_) pack_a(own_a(member), product, rows, depth);
        std::byte* here = packed == nullptr ? nullptr : packed + depth_offset(columns, pc);
        const Panels b = panels_of_b(here, product, columns, depth, ic == role.rows.begin);
        multiply(own_a(member), b, product, rows, columns, depth, member);
      }
    }
  }
}

// Returns where the panels begin, depth by depth; nullptr where nothing is packed in a call.
std::byte* BlockedGemm::pack_block_of_b(const Role& role, std::int64_t product, Range columns, Range depth,
                                        std::size_t& turn) noexcept {
  if (b_in_place_ || shape_.prepack_b) return nullptr;
  std::byte* packed = packed_b_[static_cast<std::size_t>(role.lane) * blocks_per_lane_ + turn].data();
  if (packs_ahead_) return packed;
  const Range mine = share(panels(columns.size()), role.row, partition_.rows);
  for (std::int64_t pc = depth.begin; pc < depth.end; pc += blocks_.kc) {
    pack_b(packed + depth_offset(columns, pc - depth.begin), product, columns,
           {pc, std::min(pc + blocks_.kc, depth.end)}, mine);
  }
  if (partition_.rows > 1) {
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
  return {packed, packed_step, true, packs_ahead_ && first ? packed : nullptr};
}

void BlockedGemm::pack_b(std::byte* packed, std::int64_t product, Range columns, Range depth,
                         Range panels_to_pack) noexcept {
  const PackStrip pack = shape_.transpose_b ? packing_.b.along_depth : packing_.b.along_lanes;
  const std::int64_t at_a_time = b_by_rows_ ? round_up(kRowsAtATime, packing_.depth_multiple) : depth.size();
  for (std::int64_t p = depth.begin; p < depth.end; p += at_a_time) {
    const std::int64_t rows = std::min(at_a_time, depth.end - p);
    for (std::int64_t panel = panels_to_pack.begin; panel < panels_to_pack.end; ++panel) {
      const std::int64_t first = columns.begin + panel * kernel_.nr;
      const std::int64_t width = std::min<std::int64_t>(kernel_.nr, columns.end - first);
      if (b_by_rows_ && !shape_.transpose_b) {
        // The same columns of the rows after these.
        const std::int64_t end = std::min(p + 2 * at_a_time, shape_.k);
        for (std::int64_t next = p + at_a_time; next < end; ++next)
          __builtin_prefetch(b_at(product, next, first), 0, 2);
      }
      pack(b_at(product, p, first), operands_->ldb, width, rows, kernel_.nr,
           packed + panel_place(panel, depth.size()) + packed_bytes(kernel_.nr, p - depth.begin));
    }
  }
}

// The strip from row i on begins where i packed rows end.
void BlockedGemm::pack_a(std::byte* packed, std::int64_t product, Range rows, Range depth) noexcept {
  const PackStrip pack = shape_.transpose_a ? packing_.a.along_lanes : packing_.a.along_depth;
  for (Strips strip = strips(rows.size()); !strip.done(); strip.next()) {
    pack(a_at(product, rows.begin + strip.row(), depth.begin), operands_->lda, strip.height(), depth.size(),
         strip.height(), packed + packed_bytes(strip.row(), depth.size()));
  }
}

void BlockedGemm::multiply(const std::byte* packed_a, const Panels& b, std::int64_t product, Range rows,
                           Range columns, Range depth, int member) noexcept {
  auto* c = static_cast<std::byte*>(operands_->c) + result_bytes(product * operands_->stride_c);
  Tile tile{};
  tile.ldc = operands_->ldc;
  tile.accumulate = depth.begin > 0;
  const bool complete = depth.end == shape_.k;
  const bool keeps_sums = depth_blocks() > 1;
  const bool stream = stream_c_ && is_line_aligned(c, result_bytes(operands_->ldc));
  tile.prefetch_c = sums_apart_ ? complete && !stream : prefetch_c_;
  tile.stream_c = stream && !tile.accumulate && !sums_apart_;
  tile.target_row = operands_->ldc;
  tile.a_row = operands_->lda;
  tile.depth = packed_depth(depth.size());

  PanelAhead ahead{};
  for (std::int64_t j = columns.begin; j < columns.end; j += kernel_.nr) {
    const std::int64_t width = std::min<std::int64_t>(kernel_.nr, columns.end - j);
    const std::int64_t panel = (j - columns.begin) / kernel_.nr;
    const MicroKernel& kernel =
        kernel_.narrow != nullptr && width <= kernel_.narrow->nr ? *kernel_.narrow : kernel_;
    const ComputeTile* by_rows = a_in_place_ && !shape_.transpose_a ? kernel.in_place : kernel.by_rows;
    const bool hangs_over = width < kernel.nr && !kernel.any_columns;
    tile.columns = hangs_over ? kernel.nr : width;
    tile.b_step = b.step;
    if (b.unpacked != nullptr) {
      // A panel that was begun is complete when the one before it has been used.
      if (ahead.to == nullptr) pack_b(b.unpacked, product, columns, depth, {panel, panel + 1});
      ahead = pack_while(b, product, rows, columns, depth, panel);
      tile.ahead = ahead.groups > 0 ? &ahead : nullptr;
    }
    if (b.packed) {
      tile.b = b.data + panel_place(panel, depth.size());
    } else if (!hangs_over) {
      tile.b = b.data + source_bytes(j - columns.begin);
    } else {
      // Reading a whole panel here would read beyond the matrix.
      pack_b(own_panel(member), product, {j, j + width}, depth, {0, 1});
      tile.b = own_panel(member);
      tile.b_step = std::int64_t{kernel_.nr} * packing_.b.unit;
    }
    const std::int64_t b_ahead =
        b.packed ? static_cast<std::int64_t>(panel_bytes(depth.size()) / packing_.packed_size) : kernel_.nr;
    for (Strips strip = strips(rows.size()); !strip.done(); strip.next()) {
      tile.b_ahead = b_is_far_ && strip.row() == 0 ? b_ahead : 0;
      if (a_in_place_) {
        tile.a = a_at(product, rows.begin + strip.row(), depth.begin);
        tile.a_step = shape_.transpose_a ? operands_->lda : 1;
      } else {
        tile.a = packed_a + packed_bytes(strip.row(), depth.size());
        tile.a_step = strip.height() * packing_.a.unit;
      }
      std::byte* const target = c + result_bytes((rows.begin + strip.row()) * operands_->ldc + j);
      tile.c = tile.target = target;
      const ComputeTile compute = by_rows[strip.height() - 1];
      if (sums_apart_) {
        std::byte* const sums =
            keeps_sums ? own_sums(member) + result_bytes((panel * blocks_.mc + strip.row()) * kernel_.nr)
                       : own_edge(member);
        tile.c = sums;
        tile.ldc = kernel_.nr;
        compute(tile);
        if (complete) copy_out(sums, target, strip.height(), width, stream);
      } else if (!hangs_over) {
        compute(tile);
      } else {
        edge_tile(compute, tile, strip.height(), width, own_edge(member));
      }
    }
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

// Complete sums of a tile to where they belong. Whole lines past the caches, where that is asked for: what is
// larger than the near caches would only be fetched, to be written and to be evicted again.
void BlockedGemm::copy_out(const std::byte* sums, std::byte* c, std::int64_t rows, std::int64_t columns,
                           [[maybe_unused]] bool stream) noexcept {
  const std::size_t bytes = result_bytes(columns);
  const std::size_t sums_step = result_bytes(kernel_.nr);
  const std::size_t c_step = result_bytes(operands_->ldc);
  for (std::int64_t i = 0; i < rows; ++i, sums += sums_step, c += c_step) {
#if defined(__x86_64__)
    if (stream && bytes % kLine == 0 && is_line_aligned(c, c_step)) {
      for (std::size_t at = 0; at < bytes; at += sizeof(__m128i)) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(c + at),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(sums + at)));
      }
      continue;
    }
#endif
    std::memcpy(c, sums, bytes);
  }
}

}  // namespace

std::unique_ptr<Gemm> make_blocked_gemm(const InstructionSet& set, const MicroKernel& kernel,
                                        const GemmShape& shape, Team& team, const Strategy* strategy) {
  if (shape.m < 1 || shape.n < 1 || shape.k < 1 || shape.batch < 1)
    throw std::invalid_argument("a GEMM needs m, n, k and a batch of at least 1");
  const Strategy chosen = strategy != nullptr ? *strategy : choose_strategy(kernel, shape, team.size());
  if ((chosen.a_in_place && !can_read_a_in_place(kernel, shape)) ||
      (chosen.b_in_place && !can_read_b_in_place(kernel, shape)))
    throw std::invalid_argument("this operand cannot be read in place");
  if (chosen.b_by_rows && !can_pack_b_by_rows(kernel))
    throw std::invalid_argument("this kernel's panels of B cannot be packed by rows");
  return std::make_unique<BlockedGemm>(set, kernel, shape, team, chosen);
}

}  // namespace pibench::kernels
