// What goes strip by strip instead of panel by panel: on Zen 3, and of Intel's cores in pairs of tiles. For
// strategy.cc and its rules alone: nothing here has linkage outside of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "../cache_sizes.h"
#include "blocking.h"
#include "gemm.h"
#include "instruction_set.h"
#include "loop_nest.h"
#include "operand_bytes.h"
#include "partition.h"
#include "result_rules.h"

namespace pibench::kernels {
namespace {

// How many lines at such a distance, one of each row, a cache of so many bytes keeps: those a way's size
// apart meet in the same set.
std::int64_t lines_kept(std::int64_t cache, std::int64_t row_bytes) {
  constexpr std::int64_t kWays = 8;
  constexpr std::int64_t kLine = 64;
  const std::int64_t way = cache / kWays;
  return way / std::max(std::gcd(row_bytes, way), kLine) * kWays;
}

// Strip by strip instead of panel by panel, on Zen 3. What is near is then a strip of A, C is written along
// its rows, and panels of B are read one after the other, which the core foresees: packed ones also from L3.
//
// Of operands in place where B stays in L1, because then A is read once, or where it stays in L2 and a
// panel's lines do not stay in L1 (in turns with panels or, where B was packed, with that: float32 64
// cubed 1.02, 128 cubed 1.04, 64x512x64 1.05, 1024x64x128 1.10, 1024x128x128 1.10; float64 64 cubed 1.06, 128
// cubed 1.04, 1024x128x64 1.10, 240x64x128 1.08. Where panels do stay: float32 100 cubed 0.96, float64
// 30x500x100 0.85. Of a larger B float32 128x512x128 0.96, float64 48x192x256 0.87).
constexpr std::int64_t kMostSteps = 1024;
// Of few rows and deep operands block by block in depth, where a block of B stays in L2: a quarter of that
// (float32 64x64x4096 1.03, 20x100x3000 1.09; float64 64x64x4096 1.04, 64x64x2000 1.11, 30x64x2000 1.31,
// 200x100x700 1.09; on two threads, with 32 columns each, 1.15 and 1.11 of blocks of 256 steps. But of more
// rows 1000x64x4096 0.99 and 0.92, of more of B float64 128x128x2048 0.88).
constexpr std::int64_t kShallowestBlock = 128;
constexpr std::int64_t kFewSteps = 256;
constexpr std::int64_t kFewRowsOfStrips = 250;
// Of a packed B that many rows use, the more the deeper it is (float32 and float64, 4096x4096xk: 8 steps 1.39
// and 1.84, 16 1.25 and 1.53, 64 1.10 and 1.10, 256 1.01 and 1.02; 300x300x64 1.04 and 1.03; 1000 cubed 1.04
// and 1.07, 2048 cubed 1.09 and 1.10, on two threads 1.08 and 1.09. But 60x2000x64 0.78, 200x2000x2000 0.97,
// and on two threads 512 cubed 0.96 and 0.98).
constexpr std::int64_t kManyRowsOfStrips = 1000;
bool goes_by_strips_packed(const GemmShape& shape, const GemmShape& part) {
  return part.m >= (shape.k <= kFewSteps ? kFewRowsOfStrips : kManyRowsOfStrips);
}

// Likewise of types that have to be packed, which tiles do not do, and of few steps only (bfloat16 and int8,
// 4096x4096xk: 8 steps 2.3 and 3.4, 64 1.2 and 1.3, 256 1.07 and 1.04; 300x300x64 1.1 and 1.2, 256x4096x256
// 1.06 and 1.02; but 4096 cubed 0.69 and 0.75).
bool goes_by_strips_widened(const GemmShape& shape, const GemmShape& part) {
  return part.m >= kFewRowsOfStrips && shape.k <= kFewSteps;
}

// Products of a far batch had better ask for the operands of the next one, which goes by panels, but for
// small ones (in turns, 200 products, float32 and float64: 64 cubed 1.21 and 1.06, 80 cubed 1.06 and 0.91,
// 100 cubed 1.29 and 1.06, 48x96x64 1.08 and 0.99, 200x16x64 1.13 and 0.77, 128 cubed 0.98 and 0.94).
bool is_small(const MicroKernel& kernel, const GemmShape& shape) {
  const std::int64_t operands = source_bytes(kernel, (shape.m + shape.n) * shape.k);
  return operands + result_bytes(kernel, shape) / shape.batch <= 4 * cache_sizes().l1;
}

// How deep blocks of operands in place are at most that go by strips; 0: they had better not.
std::int64_t depth_by_strips_in_place(const MicroKernel& kernel, const GemmShape& shape,
                                      const GemmShape& part) {
  const CacheSizes& caches = cache_sizes();
  if (shape.transpose_a || (is_far_batch(kernel, shape) && !is_small(kernel, shape))) return 0;
  const std::int64_t b = source_bytes(kernel, part.n * shape.k);
  const bool panels_stay = shape.k <= lines_kept(caches.l1, source_bytes(kernel, shape.n));
  const bool near = b <= caches.l1 || (!panels_stay && b < caches.l2 / 2);
  if (near && shape.k <= kMostSteps) return shape.k;
  const bool deep = shape.k > kFewSteps && part.m < kFewRowsOfStrips && part.n > kernel.nr;
  if (!deep || source_bytes(kernel, part.n * kFewSteps) >= caches.l2 / 2) return 0;
  return std::clamp(caches.l2 / 4 / source_bytes(kernel, part.n), kShallowestBlock, kMostSteps);
}

// Tiles of which two are computed as one, where B stays in L1 (in turns: float32 64 cubed 1.04, 1024x64x64
// 1.05, 128x64x128 1.04, 1024x32x32 1.04, 200x112x32 1.05; float64 64x64x48 1.04, 33x64x96 1.07, 64 cubed
// 0.99 to 1.02. Of a larger B 1024x96x128 0.92, 1000x64x200 0.94).
bool suits_pairs(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part) {
  return kernel.rows_of_pairs > 0 && part.n >= kTilesOfPair * kernel.nr &&
         source_bytes(kernel, part.n * shape.k) <= cache_sizes().l1;
}

// Beside a B packed for strips a shallow A had better stay as it lies (512x512x64 1.02 and 1.05,
// 4096x4096x8 1.04 and 1.07; but 2048x2048x256 0.98).
constexpr std::int64_t kShallowBesideStrips = 128;

// Two members that go by strips of an A of their own, where B stays near each of them, write rows that nobody
// else does: they share the rows (64 cubed 1.05 in float32, 1.31 in float64, 128 cubed 1.17 and 1.13,
// 64x256x64 1.23 and 1.06, 24x64x64 1.02 and 1.01).
void share_rows_by_strips(const MicroKernel& kernel, const GemmShape& shape, Partition& partition) {
  constexpr std::int64_t kFewestStrips = 4;
  const bool two = partition.products == 1 && partition.rows == 1 && partition.columns == 2;
  if (two && shape.m >= kFewestStrips * kernel.mr &&
      depth_by_strips_in_place(kernel, shape, shape) == shape.k)
    partition = {1, 2, 1};
}

// Of Intel's pairs (in_place_rules.h) each member has rows of its own, where there are some for all: those of
// C that it writes (float32 and float64 on two threads, in turns: 64 cubed 1.04 and 0.99, where columns
// shared are 0.98 and 1.00, 128 cubed 1.01 and 1.00, or 0.99 and 1.00, 256 cubed 1.02 and 1.09, or 0.98
// and 1.09).
void share_rows_in_pairs(const MicroKernel& kernel, const GemmShape& shape, Partition& partition) {
  constexpr std::int64_t kFewestStrips = 2;
  const int members = partition.rows * partition.columns;
  if (partition.products == 1 && shape.m >= kFewestStrips * kernel.rows_of_pairs * members)
    partition = {1, members, 1};
}

// A pair of so many steps or more had better not ask for its rows of C (of 16 steps undecided; by one thread,
// in turns: float32 4096x2048x32 1.10, 2048x2048x64 1.04, 1000x1024x64 1.06; float64 1.08, 1.01, 1.04; but
// 4096x4096x8 0.97 and 0.80).
constexpr std::int64_t kFewestStepsNotAsking = 16;

void go_in_pairs(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part,
                 Strategy& strategy) {
  strategy.rows_outside = strategy.in_pairs = true;
  strategy.blocking = {part.m, shape.k, round_up(part.n, kernel.nr)};
}

// Low tiles strip by strip, where that is better.
void go_by_strips(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part,
                  Strategy& strategy) {
  Blocking& blocks = strategy.blocking;
  if (!strategy.b_in_place) {
    strategy.rows_outside = goes_by_strips_packed(shape, part);
    return;
  }
  const std::int64_t depth = depth_by_strips_in_place(kernel, shape, part);
  if (depth == 0) return;
  strategy.rows_outside = true;
  blocks.kc = std::min(shape.k, even_piece(shape.k, depth, 4));
  blocks.mc = part.m;
  strategy.in_pairs = strategy.a_in_place && suits_pairs(kernel, shape, part);
}

}  // namespace
}  // namespace pibench::kernels
