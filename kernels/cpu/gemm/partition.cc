// The choice among all grids by a small model of what a call costs: each member's share of the arithmetic, of
// the packing, and the waking of the team.
#include "partition.h"

#include <algorithm>

#include "../cache_sizes.h"
#include "gemm.h"
#include "instruction_set.h"

namespace pibench::kernels {
namespace {

// Of one multiply-add of vector instructions: what packing one element costs, and what bringing one near
// costs that is read in place.
constexpr double kPackElement = 6;
constexpr double kReadElement = 1;
// Waking and awaiting a team, in multiply-adds of one thread: a few tenths of a microsecond.
constexpr double kWake = 16'000;

// Members that share columns meet when each has packed its part of B: a barrier, in multiply-adds. Then each
// reads what the others packed, from their caches, which costs so much a word of 32 bits where it would have
// stayed in the member's own; a larger B comes from the last cache for everybody.
constexpr double kMeet = 4'000;
constexpr double kFetchElement = 60;

// The work of the busiest member, in multiply-adds.
double cost(const MicroKernel& kernel, const GemmShape& shape, Packed packed, const Partition& grid) {
  const auto [products, rows, columns, own_b] = grid;
  const std::int64_t my_rows = ceil_div(shape.m, rows);
  const std::int64_t my_panels = ceil_div(ceil_div(shape.n, kernel.nr), columns);
  // The last panel may be a narrow one.
  const std::int64_t whole = round_up(shape.n, kernel.narrow != nullptr ? kernel.narrow->nr : kernel.nr);
  const auto my_columns = static_cast<double>(std::min(my_panels * kernel.nr, whole));
  const auto depth = static_cast<double>(shape.k);
  // A tile of few rows takes as long as one of half the height: its sums are too few to fill the pipelines.
  const auto strips = static_cast<double>(ceil_div(my_rows, kernel.mr));
  const double effective_rows = std::max(static_cast<double>(my_rows), strips * kernel.mr / 2);
  const double multiply = effective_rows * my_columns * depth;
  const double prepare_a = static_cast<double>(my_rows) * depth * (packed.a ? kPackElement : kReadElement);
  const double prepare_b = my_columns * depth * (packed.b ? kPackElement / grid.packers() : kReadElement);
  double meet = 0;
  if (packed.b && grid.packers() > 1) {
    const double block = my_columns * depth;
    const bool near =
        block * static_cast<double>(kernel.packing->packed_size) <= static_cast<double>(cache_sizes().l2);
    meet = kMeet + (near ? block * (rows - 1) / rows * kFetchElement / kernel.products : 0);
  }
  const double wake = rows * columns > 1 ? kWake : 0;
  // A hint between equal ones: two members that split the columns are slightly faster than two that split the
  // rows (where nothing is packed), but not where C goes to memory, which is written row by row.
  const std::int64_t c_bytes = shape.m * shape.n * static_cast<std::int64_t>(kernel.result_size);
  const double hint = columns > 1 && c_bytes > cache_sizes().l2 ? 1 : 0;
  return multiply + hint + (prepare_a + prepare_b + (wake + meet) * kernel.products) * kernel.speed;
}

}  // namespace

Partition choose_partition(const MicroKernel& kernel, const GemmShape& shape, Packed packed, int members) {
  Partition best;
  const double alone = cost(kernel, shape, packed, {});
  double least = alone;
  for (int rows = 1; rows <= members && rows <= shape.m; ++rows) {
    for (int columns = 1; rows * columns <= members && columns <= ceil_div(shape.n, kernel.nr); ++columns) {
      for (const bool own_b : {false, true}) {
        const Partition grid{1, rows, columns, own_b};
        const double here = cost(kernel, shape, packed, grid);
        if (here >= least) continue;
        least = here;
        best = grid;
      }
    }
  }
  // Whole products for each member need no barrier, but share unevenly when they are few.
  const auto batch = static_cast<double>(shape.batch);
  const auto groups = static_cast<int>(std::min<std::int64_t>(members, shape.batch));
  if (groups > 1) {
    const double each =
        alone * static_cast<double>(ceil_div(shape.batch, groups)) + kWake * kernel.products * kernel.speed;
    if (each <= least * batch) best = {groups, 1, 1};
  }
  return best;
}

}  // namespace pibench::kernels
