// The rules for kernels that join B's rows as they read them, measured on Zen 4 in turns with packing B, and
// on Zen 5 where that is said.
#include "joining.h"

#include <algorithm>

#include "../cache_sizes.h"
#include "instruction_set.h"
#include "operand_bytes.h"

namespace pibench::kernels {
namespace {

// Each strip of A joins B's rows anew, so with more rows it is better to do it once (of 992 columns and rows
// of B: with 14 rows 1.4 and 1.6 of the rate with a packed B in int8 and bfloat16, with 28 1.15 and 1.4, with
// 70 1.0 and 1.1; of 3000 to 4000, which are far away, 1.9 and 1.3 with 32 rows).
constexpr std::int64_t kMostStrips = 5;
constexpr std::int64_t kMostStripsOfNearQuads = 3;

// A has to be packed, where it could be read as it lies beside a packed B: so many times as many columns as
// rows make up for it (14x64x512: 1.1, but 56x128x512 0.94 and 64 cubed 0.8).
constexpr std::int64_t kColumnsPerRow = 4;

// Where each row of a far B is on a page of its own its lines meet in few sets of the caches, and every strip
// waits for them: one had better do it, or, of quadruples, the rows be packed one by one (int8 32x4096x1024:
// 1.3 of packing by panels, where joining had 0.9; of pairs joining had 1.3).
constexpr std::int64_t kPage = 4 << 10;

// From so many rows on; fewer are vectors, with which B is multiplied as a matrix, across its rows. There
// they are always four at most: where rows meet, that reads whole lines of them at a time (int8
// 1x4096x4096: 4.2 of joining, 4x4096x1024 2.4; bfloat16 1.1). Else a vector of quadruples makes as little of
// them (int8 joined, one to four rows: 1.2 to 1.4, but 1x4000x4000 0.84; bfloat16, four: 1.1 to 1.2, three
// 0.9 to 1.0).
constexpr std::int64_t kFewestRows = 5;
constexpr std::int64_t kFewestRowsOfPairs = 4;
constexpr std::int64_t kFewestRowsOfFarQuads = 2;
constexpr std::int64_t kFewestRowsOfNearQuads = 1;

// On Zen 5 joining gains as much from a few rows on (of 992 columns and rows, 8 and 28 rows: bfloat16 2.2 and
// 1.4, int8 1.8 and 1.4; 32x3000x4000 1.7 and 2.1; 7x1000x333 2.0 and 1.8; two threads 1.2 to 1.8), not with
// fewer (int8 two to four rows 0.76 to 0.94), and where rows meet it does not (32x4096x1024: bfloat16 0.64;
// 8x4096x4096: int8 0.65).
constexpr std::int64_t kZen5FewestRowsOfQuads = 5;

// How deep a block of a far B may be: deeper, its panels are more than stays near until the next strip.
constexpr std::int64_t kDeepestOfFar = 1024;

}  // namespace

const MicroKernel* joining_for(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) noexcept {
  // Nothing was measured on Intel's cores.
  if (kernel.joining == nullptr || cores == CoreKind::kIntel) return nullptr;
  if (!can_read_b_in_place(*kernel.joining, shape)) return nullptr;
  // So narrow a product has a kernel of its own.
  if (kernel.narrow != nullptr && shape.n <= kernel.narrow->nr) return nullptr;
  const bool pairs = kernel.products == 2;
  const bool far = is_far(kernel, shape.k * shape.n);
  const bool meets = source_bytes(kernel, shape.n) % kPage == 0;
  const bool zen5 = cores == CoreKind::kZen5;
  if (zen5 && meets) return nullptr;
  const std::int64_t fewest = meets   ? kFewestRows
                              : pairs ? kFewestRowsOfPairs
                              : zen5  ? kZen5FewestRowsOfQuads
                              : far   ? kFewestRowsOfFarQuads
                                      : kFewestRowsOfNearQuads;
  const std::int64_t strips = meets && far && !pairs ? 1
                              : far || pairs         ? kMostStrips
                                                     : kMostStripsOfNearQuads;
  const std::int64_t most = std::min(strips * kernel.mr, shape.n / kColumnsPerRow);
  return shape.m >= fewest && shape.m <= most ? kernel.joining : nullptr;
}

// A is packed, which is little beside B.
Strategy choose_joining_strategy(const MicroKernel& kernel, const GemmShape& shape, int members) {
  Strategy strategy;
  strategy.b_in_place = true;
  strategy.b_asked = is_far(kernel, shape.k * shape.n);
  strategy.partition = choose_partition(kernel, shape, {.a = true, .b = false}, members);
  const Partition& grid = strategy.partition;
  GemmShape part = shape;
  part.m = ceil_div(shape.m, grid.rows);
  part.n = std::min(shape.n, ceil_div(ceil_div(shape.n, kernel.nr), grid.columns) * kernel.nr);
  strategy.blocking = choose_blocking(kernel, cache_sizes(), part, grid.products * grid.columns);
  if (strategy.b_asked) {
    const std::int64_t unit = std::max(4, kernel.packing->depth_multiple);
    strategy.blocking.kc = std::min(strategy.blocking.kc, even_piece(shape.k, kDeepestOfFar, unit));
  }
  return strategy;
}

}  // namespace pibench::kernels
