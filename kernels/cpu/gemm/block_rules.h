// Blocks of packed operands, beside the rules of blocking.cc. For strategy.cc alone: nothing here has
// linkage outside of it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../cache_sizes.h"
#include "blocking.h"
#include "core_rules.h"
#include "gemm.h"
#include "in_place_rules.h"
#include "instruction_set.h"
#include "operand_bytes.h"
#include "partition.h"

namespace pibench::kernels {
namespace {

// On Intel's cores, in float32 and float64: an eighth of L2 of B's rows, and at least so many rows. Columns
// of 512 rows of 4 KiB took twice as long as packed ones, and so did 1024 rows of 2 KiB; in such blocks they
// gained. What is packed is better shallow, too; and few rows at a time are better than as many as fit, of a
// B in place few columns, too: L2 may be shared with another thread of the core, and L3 with many.
constexpr std::int64_t kIntelShallowest = 32;
constexpr std::int64_t kIntelDeepestPacked = 512;
constexpr std::int64_t kIntelShallowProduct = 256;
constexpr std::int64_t kIntelFewRows = 56;
constexpr std::int64_t kIntelFewColumns = 1024;
// But for what is near altogether, of which a panel passes all rows at once: half a dozen tiles more or less
// count, and so does deciding anew for each block (in turns on a Xeon, one thread, float32 and float64: 64
// cubed 1.06 and 1.07, 96 cubed 1.03 and 1.02, 128 cubed 1.03 and 1.03, 2048x32x32 1.06 and 1.03; but of
// more, float64 192 cubed 0.98, 512x512x64 0.95).
constexpr std::int64_t kIntelShareOfNear = 4;  // of L2
// Where B is packed, more rows read each of its panels, which come from L3 (in turns on a Xeon, one thread,
// against 56 rows and 1024 columns: float64 4096 cubed 1.06, 2048 cubed 1.03, float32 4096 cubed 1.05).
constexpr std::int64_t kIntelRowsOfPackedB = 112;

// Where A and B are packed (of low tiles, where B is, panel by panel), B is copied by the tile that reads it
// first (1024 to 4096 cubed in both types: 1.01 to 1.05 on Zen 5, 1.00 to 1.02 on Zen 4), and but for Intel's
// cores a packed A's block has few rows. Two members then share the columns: those that share rows would pack
// B before they read it, and wait for each other (on Zen 4 float32 1024 cubed 1.07, 300x3000x2000 1.3).
constexpr std::int64_t kRowsOfPackedA = 98;
constexpr std::int64_t kRowsOfShallowA = 294;
constexpr std::int64_t kShallowBlock = 256;
// Low tiles pack a B for fewer rows than these in shallow blocks (on Zen 3 32x4096x1024: float64 1.2, float32
// 1.06).
constexpr std::int64_t kLowManyRowsOfB = 100;

// On Zen 5 one of several blocks in depth has at most so many bytes of a row: with more, neither a strip of A
// nor a panel of B stays near (float64 2048 and 4096 cubed: 1.03 to 1.07 on a quiet machine). Where B's block
// would be more than neighbours leave of L3 it is half as large, A's has as many rows as three eighths of L2
// take, and no block is deep (in turns on a disturbed machine, one thread: float32 4096 cubed 1.044 (1.031 to
// 1.057), float64 4096 cubed 1.039 (1.030 to 1.049), 3000 cubed 1.032, 2400 cubed 1.024; on two float64 4096
// cubed 1.030). A smaller B had better keep its blocks (float32 2400 cubed 0.98, on two threads float64
// 3000 cubed 0.975).
constexpr std::int64_t kZen5DeepestOfSeveral = 4 << 10;
constexpr std::int64_t kZen5LargeBlockOfB = 8 << 20;
constexpr std::int64_t kZen5DepthBesideLargeB = 512;

// On Zen 4 a B that is read in place, each of whose rows is on a page of its own, had better be taken in deep
// blocks, which write C seldom, while those rows are no more than a share of L3 (in turns with blocks of
// kFewPages, one thread and two, float32: 7x1000x333 1.03 and 1.28, 14x1000x1000 1.02 and 1.05, 28x2000x800
// 1.02 and 1.03; float64: 7x1000x333 1.02 and 1.03, 14x800x600 1.01 and 1.02).
constexpr std::int64_t kZen4SomePages = 1024;
constexpr std::int64_t kZen4WholePages = 512;  // of rows that are whole pages
constexpr std::int64_t kZen4ShareOfL3 = 4;

// On Zen 4, where few rows use a far B that is packed, beside a packed A: blocks of less depth and of fewer
// rows, so that B's panel comes back sooner (in turns, one thread and two: float32 100x4096x2048 1.07 and
// 1.10, 100x1024x1024 1.02 and 1.01; float64 100x4096x2048 1.04 and 1.03).
constexpr std::int64_t kZen4FewRows = 128;
constexpr std::int64_t kZen4DepthOfFewRows = 512;
constexpr std::int64_t kZen4RowsOfFew = 56;

// How many rows of a far B that is read in place stay within reach, on Zen 4.
std::int64_t pages_on_zen4(std::int64_t b_row) {
  const std::int64_t most = b_row % kPage == 0 ? kZen4WholePages : kZen4SomePages;
  return std::clamp(cache_sizes().l3 / kZen4ShareOfL3 / b_row, kFewPages, most);
}

// How deep a block of the depth may be at most.
std::int64_t deepest(const MicroKernel& kernel, const GemmShape& shape, const CoreRules& rules,
                     bool b_in_place) {
  const std::int64_t b_row = source_bytes(kernel, shape.n);
  if (rules.intel && !b_in_place) return kIntelDeepestPacked;
  if (rules.intel) return std::max(kIntelShallowest, cache_sizes().l2 / kIntelShareOfL2 / b_row);
  // Of low tiles, whose strips are many, a panel stays in L1; of few rows a shallow one is packed sooner.
  if (rules.low && !b_in_place)
    return shape.m <= kLowManyRowsOfB && !shape.prepack_b
               ? kShallowBlock
               : cache_sizes().l1 / source_bytes(kernel, kernel.nr);
  const bool b_near = shape.k * b_row <= cache_sizes().l2;
  const std::int64_t few_pages = rules.low ? kLowFewPages : rules.zen4 ? pages_on_zen4(b_row) : kFewPages;
  return b_in_place && !b_near && b_row > kShortRow ? few_pages : shape.k;
}

// On Zen 5, where packed operands take several blocks in depth, as deep as `blocks` or less.
Blocking choose_blocking_zen5(const MicroKernel& kernel, const GemmShape& part, Blocking blocks) {
  const std::int64_t most = kZen5DeepestOfSeveral / static_cast<std::int64_t>(kernel.packing->source_size);
  blocks.kc = std::min(blocks.kc, even_piece(part.k, most, 4));
  if (source_bytes(kernel, blocks.kc * part.n) < kZen5LargeBlockOfB) return blocks;
  blocks.kc = std::min(blocks.kc, even_piece(part.k, kZen5DepthBesideLargeB, 4));
  const std::int64_t row = source_bytes(kernel, blocks.kc);
  const std::int64_t strips = std::max<std::int64_t>(1, cache_sizes().l2 * 3 / 8 / row / kernel.mr);
  blocks.mc = std::min(part.m, even_piece(part.m, strips * kernel.mr, kernel.mr));
  blocks.nc = even_piece(part.n, kZen5LargeBlockOfB / 2 / row, kernel.nr);
  return blocks;
}

// Of low tiles, of which blocks are less deep than choose_blocking made them: as many rows, up to `most`, as
// it would have given these (five eighths of L2; on Zen 3 float64 600x2048x2048 and 600x4096x4096 1.03).
std::int64_t rows_of_low_tiles(const MicroKernel& kernel, const GemmShape& part, std::int64_t depth,
                               std::int64_t most) {
  const std::int64_t fitting = cache_sizes().l2 * 5 / 8 / source_bytes(kernel, depth);
  const std::int64_t strips = std::max<std::int64_t>(1, std::min(most, fitting) / kernel.mr);
  return std::min(part.m, even_piece(part.m, strips * kernel.mr, kernel.mr));
}

// Whether all of a member's part is near, or its B is and the rest not far.
bool is_near_altogether(const MicroKernel& kernel, const GemmShape& part) {
  const CacheSizes& caches = cache_sizes();
  const std::int64_t b_bytes = source_bytes(kernel, part.k * part.n);
  const std::int64_t all = product_bytes(kernel, part);
  return all <= caches.l2 / kIntelShareOfNear || (b_bytes <= caches.l1 && all <= caches.l2);
}

// What choose_blocking chose, by the rules of these cores.
Blocking blocks_of_cores(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part,
                         const Strategy& strategy, const CoreRules& rules) {
  Blocking blocks = strategy.blocking;
  blocks.kc = std::min(blocks.kc, even_piece(shape.k, deepest(kernel, shape, rules, strategy.b_in_place), 4));
  if ((rules.zen4 || rules.zen5 || rules.low) && !strategy.a_in_place && !strategy.b_in_place) {
    const bool shallow = (rules.zen4 || rules.low) && blocks.kc <= kShallowBlock;
    const std::int64_t most = (shallow ? kRowsOfShallowA : kRowsOfPackedA) / kernel.mr * kernel.mr;
    blocks.mc = rules.low ? rows_of_low_tiles(kernel, part, blocks.kc, most) : std::min(blocks.mc, most);
    if (rules.zen5 && blocks.kc < shape.k) blocks = choose_blocking_zen5(kernel, part, blocks);
    if (rules.zen4 && part.m <= kZen4FewRows && !shape.prepack_b && is_far(kernel, shape.k * shape.n)) {
      blocks.kc = std::min(blocks.kc, even_piece(shape.k, kZen4DepthOfFewRows, 4));
      blocks.mc = std::min(part.m, even_piece(part.m, kZen4RowsOfFew, kernel.mr));
    }
  }
  const bool in_place = strategy.a_in_place && strategy.b_in_place;
  const bool in_blocks = !strategy.b_in_place || shape.k <= kIntelShallowProduct;
  if (rules.intel && in_blocks && !(in_place && is_near_altogether(kernel, part))) {
    const std::int64_t rows = strategy.b_in_place ? kIntelFewRows : kIntelRowsOfPackedB;
    blocks.mc = std::min(blocks.mc, std::max<std::int64_t>(1, rows / kernel.mr) * kernel.mr);
    if (strategy.b_in_place) blocks.nc = std::min(blocks.nc, round_up(kIntelFewColumns, kernel.nr));
  }
  return blocks;
}

}  // namespace
}  // namespace pibench::kernels
