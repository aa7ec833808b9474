// The choice among all grids by a small model of what a call costs: each member's share of the arithmetic, of
// the packing, and the waking of the team.
#include "partition.h"

#include <algorithm>

#include "gemm.h"
#include "instruction_set.h"

namespace pibench::kernels {
namespace {

// Of one multiply-add of vector instructions: what packing one element costs.
constexpr double kPackElement = 6;
// Waking and awaiting a team, in multiply-adds of one thread: a few tenths of a microsecond.
constexpr double kWake = 16'000;

// The work of the busiest member, in multiply-adds.
double cost(const MicroKernel& kernel, const GemmShape& shape, int rows, int columns) {
  const std::int64_t my_rows = ceil_div(shape.m, rows);
  const std::int64_t my_panels = ceil_div(ceil_div(shape.n, kernel.nr), columns);
  const auto my_columns = static_cast<double>(my_panels * kernel.nr);
  const auto depth = static_cast<double>(shape.k);
  // A tile of few rows takes as long as one of half the height: its sums are too few to fill the pipelines.
  const auto strips = static_cast<double>(ceil_div(my_rows, kernel.mr));
  const double effective_rows = std::max(static_cast<double>(my_rows), strips * kernel.mr / 2);
  const double multiply = effective_rows * my_columns * depth;
  const double pack = (static_cast<double>(my_rows) + my_columns / rows) * depth * kPackElement;
  const double wake = rows * columns > 1 ? kWake : 0;
  return multiply + (pack + wake) * kernel.speed;
}

}  // namespace

Partition choose_partition(const MicroKernel& kernel, const GemmShape& shape, int members) {
  Partition best;
  double least = cost(kernel, shape, 1, 1);
  for (int rows = 1; rows <= members && rows <= shape.m; ++rows) {
    for (int columns = 1; rows * columns <= members && columns <= ceil_div(shape.n, kernel.nr); ++columns) {
      const double here = cost(kernel, shape, rows, columns);
      if (here < least) {
        least = here;
        best = {1, rows, columns};
      }
    }
  }
  // Whole products for each member need no barrier, but share unevenly when they are few.
  const auto batch = static_cast<double>(shape.batch);
  const auto groups = static_cast<int>(std::min<std::int64_t>(members, shape.batch));
  if (groups > 1) {
    const double alone =
        cost(kernel, shape, 1, 1) * static_cast<double>(ceil_div(shape.batch, groups)) + kWake * kernel.speed;
    if (alone <= least * batch) best = {groups, 1, 1};
  }
  return best;
}

}  // namespace pibench::kernels
