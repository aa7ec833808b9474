// How a product is computed, from rules that were measured: what is packed and what is read where it lies
// (in_place_rules.h), the blocks (block_rules.h), what goes strip by strip (strip_rules.h), a B that is far
// away (far_b_rules.h), and how C is written (result_rules.h).
#include <algorithm>
#include <cstdint>

#include "../cache_sizes.h"
#include "../cpu_features.h"
#include "block_rules.h"
#include "blocking.h"
#include "core_rules.h"
#include "far_b_rules.h"
#include "gemm.h"
#include "in_place_rules.h"
#include "instruction_set.h"
#include "joining.h"
#include "loop_nest.h"
#include "operand_bytes.h"
#include "partition.h"
#include "result_rules.h"
#include "strip_rules.h"

namespace pibench::kernels {

bool can_read_a_in_place(const MicroKernel& kernel, const GemmShape& shape) noexcept {
  const Packing& packing = *kernel.packing;
  const bool fills_units = !shape.transpose_a && shape.k % packing.depth_multiple == 0;
  return !kernel.joins_b && keeps_type(kernel) && (packing.a.unit == 1 || fills_units);
}

bool can_read_b_in_place(const MicroKernel& kernel, const GemmShape& shape) noexcept {
  const bool as_it_lies = kernel.joins_b || (keeps_type(kernel) && kernel.packing->b.unit == 1);
  return as_it_lies && !shape.transpose_b && !shape.prepack_b;
}

const MicroKernel& kernel_for(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) noexcept {
  // A transposed A had better be packed in strips of many rows (4096x8x4096: bfloat16 0.84, int8 0.63).
  const bool halves = cores == CoreKind::kOther && kernel.half != nullptr && !shape.transpose_a;
  if (halves && shape.n <= kernel.half->nr) return *kernel.half;
  if (kernel.narrow != nullptr && shape.n <= kernel.narrow->nr) return *kernel.narrow;
  const MicroKernel* const joining = joining_for(kernel, shape, cores);
  return joining != nullptr ? *joining : kernel;
}

Strategy choose_strategy(const MicroKernel& kernel, const GemmShape& shape, int members, CoreKind cores) {
  if (kernel.joins_b) return choose_joining_strategy(kernel, shape, members);
  Strategy strategy;
  const CoreRules rules = rules_for(kernel, cores);
  const bool can_a = can_read_a_in_place(kernel, shape);
  const bool can_b = can_read_b_in_place(kernel, shape);

  const bool can_pair = goes_in_pairs(kernel, shape, members, rules);
  const InPlace whole = can_pair ? InPlace{true, true} : suits_whole(kernel, shape, rules);
  const bool low_lines = packs_by_lines_of_low(kernel, shape, cores);
  const Packed packed{!(whole.a && can_a), !shape.prepack_b && (low_lines || !(whole.b && can_b))};
  strategy.partition = choose_partition(kernel, shape, packed, members);
  strategy.b_rows = is_far(kernel, shape.k * shape.n) ? rows_at_a_time(kernel, shape, cores) : 0;
  if (low_lines) strategy.b_rows = kRowsAtATime;
  strategy.by_lines = kernel.speed > 1 || (strategy.b_rows > 0 && packs_by_lines(kernel, shape, cores));
  const bool reads_b = cores == CoreKind::kZen5 && is_bound_by_reading_far_b(kernel, shape);
  // Each member packs the columns that it uses, and none waits; of low tiles also beside an A in place (on
  // Zen 3, a transposed B on two threads: float32 64x64x4096 1.5, 20x20x4096 1.25).
  const bool packs_own = rules.low || kernel.speed > 1 || ((rules.zen4 || rules.zen5) && packed.a);
  const bool packs_wide = packs_own && packed.b && shape.n >= shape.m && shape.n > kernel.nr;
  // On Zen 4 each reads the columns that it uses of a B that comes from memory (in turns on two threads:
  // float64 64x4096x1024 1.13, 24x3000x2000 1.06; float32 64x4096x1024 1.07, 24x3000x2000 1.03).
  const bool reads_own = rules.zen4 && !shape.prepack_b && !is_rather_near(kernel, shape) &&
                         shape.n > kernel.nr && shape.n >= shape.m;
  if (reads_b || (strategy.by_lines && strategy.b_rows > 0) || packs_wide || reads_own)
    share_columns(strategy.partition);

  if (rules.low && !packed.a && !packed.b) share_rows_by_strips(kernel, shape, strategy.partition);
  if (can_pair) share_rows_in_pairs(kernel, shape, strategy.partition);

  if (strategy.partition.products == 1 && is_better_alone(kernel, shape)) strategy.partition = {};

  const Partition& grid = strategy.partition;
  GemmShape part = shape;
  part.m = ceil_div(shape.m, grid.rows);
  part.n = std::min(shape.n, ceil_div(ceil_div(shape.n, kernel.nr), grid.columns) * kernel.nr);
  const bool one_strip =
      goes_by_single_strips(kernel, part) || (kernel.speed > 1 && is_bound_by_reading_far_b(kernel, shape));
  const bool in_pairs = can_pair && part.n >= kTilesOfPair * kernel.nr;
  const InPlace in_place = in_pairs ? InPlace{true, true} : suits_member(kernel, shape, part, rules);
  strategy.a_in_place = (in_place.a || one_strip) && can_a;
  strategy.b_in_place = in_place.b && can_b && !low_lines;
  if (strategy.a_in_place && !shape.transpose_a)
    strategy.strip_rows = rows_of_strip(kernel, source_bytes(kernel, shape.k), rules);

  const BlocksOfB of_b{grid.packers() > 1 ? 2 * grid.columns : grid.blocks_of_b(), grid.packers()};
  const bool few_rows = part.m <= kMostRowsByRows;
  const CacheSizes& caches = cache_sizes();
  strategy.blocking = !one_strip ? choose_blocking(kernel, caches, part, of_b.at_a_time)
                      : strategy.a_in_place || few_rows
                          ? choose_blocking_of_one_strip(kernel, caches, part, of_b, few_rows)
                          : choose_blocking_of_packed_strips(kernel, caches, part, of_b);
  strategy.blocking = blocks_of_cores(kernel, shape, part, strategy, rules);
  strategy.blocking = blocks_of_far_b(kernel, shape, part, strategy, cores);

  if (in_pairs)
    go_in_pairs(kernel, shape, part, strategy);
  else if (rules.low)
    go_by_strips(kernel, shape, part, strategy);
  else if (kernel.beside && cores == CoreKind::kOther)
    strategy.rows_outside = goes_by_strips_widened(shape, part);

  strategy.b_ahead = !one_strip;
  strategy.b_copied = kernel.copies_b > 0;
  strategy.b_asked = !strategy.rows_outside && !low_lines && asks_for_b(kernel, shape, part, rules);
  strategy.evenly = rules.zen4 && is_rather_near(kernel, shape);
  strategy.spreading = rules.zen5;
  // On Zen 4, in turns with the tiles of before, one thread (float32 and float64: 64 cubed 1.01 and 1.02, 96
  // cubed 1.00 and 1.02, 128 cubed 1.00, 1024x64x64 1.01 and 1.00, 28x128x4 1.09 and 1.14; on two 96 cubed
  // 1.03; of rows that meet float64 256 cubed 0.998).
  strategy.plain = rules.zen4 && !rows_meet_in_l1(kernel, source_bytes(kernel, shape.k));
  strategy.next_asked = cores == CoreKind::kOther && kernel.products == 1 && is_far_batch(kernel, shape);
  strategy.halves = cores == CoreKind::kOther;
  strategy.c_asked = asks_for_c(kernel, shape, rules) && (!in_pairs || shape.k < kFewestStepsNotAsking);
  const bool written_once = shape.k <= strategy.blocking.kc;
  strategy.stream_c =
      !rules.intel && kernel.speed == 1 && written_once && is_too_much_to_stay(kernel, shape, cores);
  strategy.to_the_middle = is_written_beside_others(kernel, shape, part, strategy, cores);
  const std::int64_t rows = strategy.stream_c ? rows_beside_streamed_c(kernel, shape, cores) : 0;
  if (rows > 0) strategy.blocking.mc = std::min(strategy.blocking.mc, round_up(rows, kernel.mr));
  return strategy;
}

}  // namespace pibench::kernels
