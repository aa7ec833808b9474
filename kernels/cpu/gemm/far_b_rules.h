// A B that is far away: how it is packed, shared, and asked for ahead. For strategy.cc alone: nothing here
// has linkage outside of it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../cache_sizes.h"
#include "../cpu_features.h"
#include "blocking.h"
#include "core_rules.h"
#include "gemm.h"
#include "instruction_set.h"
#include "loop_nest.h"
#include "operand_bytes.h"
#include "partition.h"

namespace pibench::kernels {
namespace {

// On Zen 5 one strip alone had better not ask for the next panel of a B that is not much larger than L2
// (7x1000x333: 1.15 in both types), unless each of its rows is on a page of its own (8x1024x512: 0.8).
constexpr std::int64_t kZen5ShareOfL3 = 8;

// On Zen 4 a single strip asks for a B that is not much larger than L2 with each of its steps (in turns:
// float32 7x1000x333 1.03 and 1.1 on two threads, 8x1024x1024 1.02 and 1.06, 14x1000x1000 1.03 and 1.1;
// float64 alike); for one that comes from memory it does as well or better by several rows at a time
// (10x3000x3000: 0.83).
constexpr std::int64_t kZen4RatherNear = 4;  // of L3

// A member's B that fills most of L2 does not stay there beside A and C until the next product, and had
// better be asked for, too (in turns on a busy machine, one thread: float32 512 cubed 1.03,
// 512x256x1024 1.00; float64 360 cubed 1.05, 320 cubed 1.04). One that does stay had better not, also where
// it is a share of a B larger than L2 (on two threads: float32 5x512x600 1.06, 40x640x448 1.02; float64
// 13x500x400 1.05). Batches, of which products in place ask for the next one's operands, were not measured.
constexpr std::int64_t kZen4PartsOfL2 = 3;  // of four

// Up to so many rows are few beside packing a B that is far away: measured, 128 rows gain a quarter or more.
constexpr std::int64_t kMostRowsByRows = 128;
// So many rows of B are packed at a time, as many streams as CPUs follow, in blocks that are not deeper than
// this: each row is on a page of its own.
constexpr int kRowsAtATime = 32;
constexpr std::int64_t kDepthOfSomeRows = 256;
// On Zen 5 fewer, of longer pieces, where each row is on a page of its own (in turns: int8 20x4096x4096 3.2,
// 100x4096x2048 1.25, bfloat16 20x4096x4096 1.3, 64x8192x1024 1.1). Others are packed panel by panel, in
// blocks that are not too deep, unless there is a lot of B, in bfloat16 (int8 32x3000x4000 1.7,
// 100x2000x4000 1.1, bfloat16 32x1536x1024 1.14, 32x2000x2000 1.08, but 32x3000x4000 0.8).
constexpr int kZen5RowsAtATime = 8;
constexpr std::int64_t kZen5ColumnsOfRows = 2048;
constexpr std::int64_t kZen5DepthOfRows = 512;
constexpr std::int64_t kZen5DepthOfPanels = 1024;
constexpr std::int64_t kZen5DeepRow = 2 << 10;  // bytes of A
constexpr std::int64_t kZen5ShareOfPanels = 4;  // of L3
// Where a kernel packs whole lines by rows: blocks of this depth and so many columns, which stay in L2 (Zen
// 4, in turns with panel by panel: int8 20x4096x4096 2.0, 32x4096x1024 1.3, 70x4096x4096 1.2).
constexpr std::int64_t kDepthOfLines = 512;
constexpr std::int64_t kColumnsOfLines = 1024;

// On Zen 3, of a B that comes from memory: for few rows, which it is packed for at once (one thread, in turns
// with panel by panel or in place, float64 and float32: 5x4096x4096 1.26 and 1.6, 16x4096x4096 1.5 and 1.2,
// 32x4096x1024 1.6 and 1.5, 128x4096x4096 1.2 and 1.2, 200x4096x4096 1.05 and 1.10; but 400x4096x4096 1.04
// and 0.98, and of a B from L3 64x1024x1024 0.97 and 0.94). The portable kernel, which could but read it in
// place, gains more (float32 and float64: 5x4096x4096 2.5 and 2.6, 32x4096x1024 2.0 and 1.9, 200x4096x4096
// 1.4 and 1.7).
constexpr std::int64_t kLowShareByLines = 4;  // of L3
constexpr std::int64_t kLowFewestRowsByLines = 5;
constexpr std::int64_t kLowMostRowsByLines = 256;
constexpr std::int64_t kLowDepthOfLines = 256;
constexpr std::int64_t kLowBytesOfLines = 8 << 10;  // of a row

// Whether few rows use a B that has to be packed.
bool is_bound_by_reading_b(const MicroKernel& kernel, const GemmShape& shape) {
  return !can_read_b_in_place(kernel, shape) && !shape.prepack_b && !shape.transpose_b &&
         shape.m <= kMostRowsByRows;
}

// Whether such a B is far away, too.
bool is_bound_by_reading_far_b(const MicroKernel& kernel, const GemmShape& shape) {
  return is_far(kernel, shape.k * shape.n) && is_bound_by_reading_b(kernel, shape);
}

// Whether a B of which each row is on a page of its own is packed by lines: measured on Zen 4 and Zen 5
// (there beside its own blocks, int8 20x4096x4096 and 32x4096x1024 1.5, 48x4096x4096, 64x8192x1024 and
// 100x4096x2048 1.2 to 1.3).
bool packs_by_lines(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) {
  return cores != CoreKind::kIntel && kernel.packing->by_lines != nullptr &&
         source_bytes(kernel, shape.n) % kPage == 0;
}

// Likewise of low tiles, which could read it where it lies.
bool packs_by_lines_of_low(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) {
  return has_low_tiles(kernel) &&
         source_bytes(kernel, shape.k * shape.n) > cache_sizes().l3 / kLowShareByLines && !shape.prepack_b &&
         !shape.transpose_b && shape.m >= kLowFewestRowsByLines && shape.m <= kLowMostRowsByLines &&
         packs_by_lines(kernel, shape, cores);
}

// How many rows of a B that is far away are packed at a time; 0: it is packed panel by panel. For few rows of
// A that reads a line or less of each of its rows at a time, which takes longer than all the rest: by rows,
// in blocks that stay in L2, it does not. (Kernels faster than vector instructions pack by whole lines
// anyway.)
int rows_at_a_time(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) {
  if (kernel.speed > 1 || !is_bound_by_reading_b(kernel, shape)) return 0;
  const bool has_trailer = kernel.packing->trailer_of_b > 0;
  if (cores != CoreKind::kZen5)
    return has_trailer && !packs_by_lines(kernel, shape, cores) ? 0 : kRowsAtATime;
  if (source_bytes(kernel, shape.n) % kPage == 0) return kZen5RowsAtATime;
  const bool is_much = source_bytes(kernel, shape.k * shape.n) > cache_sizes().l3 / kZen5ShareOfPanels;
  return is_much && !has_trailer ? kRowsAtATime : 0;
}

// Of two members, each packs the columns of B that it uses, and none waits for the other (where few rows use
// B, int8 and bfloat16 on two threads: 32x3000x4000 2.6 and 1.1, 64x4096x1024 1.0 and 1.9; int8 on Zen 4
// 32x4096x1024 1.5, 48x4096x4096 2.1).
void share_columns(Partition& partition) {
  if (partition.products == 1 && partition.rows == 2 && partition.columns == 1) partition = {1, 1, 2};
}

// Whether B comes from L3 and not from memory, on Zen 4.
bool is_rather_near(const MicroKernel& kernel, const GemmShape& shape) {
  return source_bytes(kernel, shape.k * shape.n) <= cache_sizes().l3 / kZen4RatherNear;
}

// Whether a member's B, of one product, is no longer in L2 when the next call reads it.
bool leaves_l2(const MicroKernel& kernel, const GemmShape& part) {
  const std::int64_t l2 = cache_sizes().l2;
  return source_bytes(kernel, part.k * part.n) >= l2 / 4 * kZen4PartsOfL2 && product_bytes(kernel, part) > l2;
}

// Whether each panel asks for the next one.
bool asks_for_b(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part,
                const CoreRules& rules) {
  const std::int64_t row = source_bytes(kernel, shape.n);
  const bool is_dearer = rules.zen5 && part.m <= kernel.mr &&
                         shape.k * row <= cache_sizes().l3 / kZen5ShareOfL3 && row % kPage != 0;
  if (rules.zen4 && shape.batch == 1) return leaves_l2(kernel, part);
  return is_far(kernel, shape.k * shape.n) && !is_dearer;
}

// The strategy's blocks, cut so that what few rows use of B stays near until it is used.
Blocking blocks_of_far_b(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part,
                         const Strategy& strategy, CoreKind cores) {
  Blocking blocks = strategy.blocking;
  const std::int64_t unit = std::max(4, kernel.packing->depth_multiple);
  const auto at_most = [&](std::int64_t depth) {
    blocks.kc = std::min(blocks.kc, even_piece(shape.k, depth, unit));
  };
  const auto at_most_wide = [&](std::int64_t columns) {
    blocks.nc = even_piece(part.n, std::min(blocks.nc, columns), kernel.nr);
  };
  if (strategy.by_lines && has_low_tiles(kernel)) {
    at_most(kLowDepthOfLines);
    at_most_wide(kLowBytesOfLines / source_bytes(kernel, 1));
  } else if (strategy.b_rows == kZen5RowsAtATime) {
    at_most(kZen5DepthOfRows);
    at_most_wide(kZen5ColumnsOfRows);
  } else if (strategy.by_lines && strategy.b_rows > 0) {
    at_most(kDepthOfLines);
    at_most_wide(kColumnsOfLines);
  } else if (strategy.b_rows > 0) {
    at_most(kDepthOfSomeRows);
    at_most_wide(cache_sizes().l2 / 2 / (blocks.kc * static_cast<std::int64_t>(kernel.packing->packed_size)));
  } else if (cores == CoreKind::kZen5 && is_bound_by_reading_far_b(kernel, shape) &&
             source_bytes(kernel, shape.k) > kZen5DeepRow) {
    at_most(kZen5DepthOfPanels);
  }
  return blocks;
}

}  // namespace
}  // namespace pibench::kernels
