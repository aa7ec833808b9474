// How C is written: past the caches, along its rows strip by strip, asked for ahead. For strategy.cc alone:
// nothing here has linkage outside of it.
#pragma once

#include <cstdint>

#include "../cache_sizes.h"
#include "../cpu_features.h"
#include "core_rules.h"
#include "gemm.h"
#include "instruction_set.h"
#include "loop_nest.h"
#include "low_tiles.h"
#include "operand_bytes.h"
#include "partition.h"

namespace pibench::kernels {
namespace {

// A tile of so few steps had better not ask for its rows of C: they come too late (in turns on Zen 4:
// 1024x1024x16 1.1, 600x600x16 1.08, 1024x1024x32 1.05; in float64 1.04, 512x512x32 1.05; low tiles on Zen 3:
// 4096x4096x8 1.08 and 1.04, x16 1.02 and 1.04).
constexpr std::int64_t kShallowestAsking = 48;

// Whether a member had better compute its part strip by strip. For kernels that are faster than vector
// instructions: there, where the part of the operands, with B packed, and C are more than stays in L2, and
// where C is no small part of that.
bool goes_by_single_strips(const MicroKernel& kernel, const GemmShape& part) {
  if (kernel.speed == 1) return false;
  const auto source = static_cast<std::int64_t>(kernel.packing->source_size);
  const std::int64_t c = part.m * part.n * static_cast<std::int64_t>(kernel.result_size);
  const std::int64_t l2 = cache_sizes().l2;
  return c >= l2 / 4 && (part.m + 2 * part.n) * part.k * source + c > l2 * 5 / 8;
}

// Low tiles write less of a row at a time, and lines of long rows one by one had better stay: on Zen 3
// float32 4096x4096x8 is 2.1 times as fast, int8 1.3, 4096x4096x64 1.2, 40 of 512x512x64 1.45; but 100 of
// 128x128x64 0.7, 300 of 64 cubed 0.9.
constexpr std::int64_t kLongestStreamedRow = 1 << 10;

std::int64_t result_bytes(const MicroKernel& kernel, const GemmShape& shape) {
  return shape.batch * shape.m * shape.n * static_cast<std::int64_t>(kernel.result_size);
}

// Whether the products of a batch come from L3 or further away. Of wide types each then asks for the operands
// of the next (of 100 products, 128x64x128: float32 1.35, float64 1.45, 16x256x64 1.4 and 2.0; narrow
// types 1.0, and 64 cubed in float32, 5 MB, 0.99).
bool is_far_batch(const MicroKernel& kernel, const GemmShape& shape) {
  const std::int64_t operands = source_bytes(kernel, shape.batch * (shape.m + shape.n) * shape.k);
  return shape.batch > 1 && operands + result_bytes(kernel, shape) > cache_sizes().l3 / 4;
}

// Whether C had better go past the caches, without being read first: what will not stay until it is read
// again, and on AMD's cores the results of a batch that are together with their operands more than a part of
// L3 (1000x64x64, 100 of them: on Zen 4 float32 1.2, bfloat16 1.5, int8 2.1, on Zen 5 1.4, 1.2, 1.5;
// 128x128x64 on Zen 4: 1.14 to 1.2, 40 and 50 of them 1.02 to 1.3) and single ones of half of L3
// (2048x2048x64 on Zen 4: 1.03, int8 1.2).
bool is_too_much_to_stay(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) {
  const std::int64_t c = result_bytes(kernel, shape);
  if (has_low_tiles(kernel) && shape.n * static_cast<std::int64_t>(kernel.result_size) > kLongestStreamedRow)
    return false;
  if (cores == CoreKind::kIntel) return c > cache_sizes().l3;
  return shape.batch > 1 ? is_far_batch(kernel, shape) : c >= cache_sizes().l3 / 2;
}

// How many rows a block has at most whose C goes past the caches in whole lines, on Zen 5; 0: as many as
// else. The panels are inside of the rows: with few of these, what is written one after the other is long
// pieces of few rows, each on pages of its own, and not two lines of each of all rows. The fewer steps a tile
// has, the more of its time is writing (in turns, one thread, 4096x4096xk: k = 8 float32 1.9, float64 1.8,
// bfloat16 and int8 3.2; 16 steps 1.3, 1.3, 1.96, 1.93; 64 steps bfloat16 1.12; on two threads 1.27 and 2.1
// at k = 8; without going past the caches 0.95 to 1.05 from 16 steps on).
std::int64_t rows_beside_streamed_c(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) {
  constexpr std::int64_t kLine = 64;
  constexpr std::int64_t kFewSteps = 10, kSomeSteps = 40;
  constexpr std::int64_t kRowsOfFewSteps = 28, kRowsOfSomeSteps = 56, kRowsOfMoreSteps = 98;
  const bool whole_lines = shape.n * static_cast<std::int64_t>(kernel.result_size) % kLine == 0;
  if (cores != CoreKind::kZen5 || !whole_lines) return 0;
  const std::int64_t steps = ceil_div(shape.k, kernel.packing->b.unit);
  if (steps <= kFewSteps) return kRowsOfFewSteps;
  return steps <= kSomeSteps ? kRowsOfSomeSteps : kRowsOfMoreSteps;
}

// Whether strips had better be taken to the middle (see StripOrder): where members write rows of C that are
// neighbours, in steps that a prefetcher follows, and C and the A that is read by the same steps are near (in
// turns on two threads of a Zen 4: 1024x64x64 int8 1.24, bfloat16 1.05, 96 cubed 1.16 and 1.07, 512x256x64
// float64 1.06, float32 1.04, 200 cubed in float64 1.19; two products 64x256x64 int8 1.16, float32 and
// float64 1.04, two of 64 cubed bfloat16 1.1; where C lies at other places 1024x64x64 int8 2.1, bfloat16
// 1.5). By all other cores, too, on which nobody measured it: a member has no more to do for it. But not on
// Intel's, whose prefetchers are said to follow steps of 2 KB at most.
bool is_written_beside_others(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part,
                              const Strategy& strategy, CoreKind cores) {
  constexpr std::int64_t kLongestStep = std::int64_t{32} << 10U;
  const bool beside = strategy.partition.rows > 1 || strategy.partition.products > 1;
  const std::int64_t row = shape.n * static_cast<std::int64_t>(kernel.result_size);
  const std::int64_t l2 = cache_sizes().l2;
  return cores != CoreKind::kIntel && beside && !strategy.stream_c && kernel.mr * row <= kLongestStep &&
         part.m * row <= l2 && source_bytes(kernel, part.m * shape.k) <= l2;
}

bool asks_for_c(const MicroKernel& kernel, const GemmShape& shape, const CoreRules& rules) {
  const bool too_shallow = (rules.zen4 || rules.low) && shape.k < kShallowestAsking;
  return result_bytes(kernel, shape) / shape.batch > cache_sizes().l2 / 4 && !too_shallow;
}

}  // namespace
}  // namespace pibench::kernels
