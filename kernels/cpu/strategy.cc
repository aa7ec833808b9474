// What is packed and what is read where it lies, beside the partition and the blocks.
#include <cstddef>
#include <cstdlib>

#include "cache_sizes.h"
#include "instruction_set.h"
#include "loop_nest.h"

namespace pibench::kernels {
namespace {

bool can_read_in_place(const MicroKernel& kernel) {
  const Packing& packing = *kernel.packing;
  return packing.source_size == packing.packed_size && packing.a.unit == 1 && packing.b.unit == 1 &&
         kernel.in_place != nullptr;
}

}  // namespace

Strategy choose_strategy(const MicroKernel& kernel, const GemmShape& shape, int members) {
  Strategy strategy;
  strategy.partition = choose_partition(kernel, shape, members);
  const auto [products, rows, columns] = strategy.partition;
  GemmShape part = shape;
  part.m = ceil_div(shape.m, rows);
  part.n = std::min(shape.n, ceil_div(ceil_div(shape.n, kernel.nr), columns) * kernel.nr);
  const int blocks_of_b = rows > 1 ? 2 * columns : products * columns;

  if (can_read_in_place(kernel) && !shape.prepack_b) {
    // Reading in place saves the copy, and costs cache conflicts and pages where matrices are large.
    const auto element = static_cast<std::int64_t>(kernel.packing->source_size);
    const std::int64_t operands = (shape.m * shape.k + shape.k * shape.n) * element;
    const bool small = operands <= cache_sizes().l2;
    strategy.a_in_place = small;
    strategy.b_in_place = small && !shape.transpose_b;
  }
  strategy.blocking = choose_blocking(kernel, cache_sizes(), part, blocks_of_b);
  if (getenv("PB_A")) strategy.a_in_place = atoi(getenv("PB_A"));
  if (getenv("PB_B")) strategy.b_in_place = atoi(getenv("PB_B"));
  if (getenv("PB_KC")) strategy.blocking.kc = std::min<long>(shape.k,atoi(getenv("PB_KC")));
  if (getenv("PB_MC")) strategy.blocking.mc = std::min<long>(shape.m,atoi(getenv("PB_MC")));
  if (getenv("PB_NC")) strategy.blocking.nc = atoi(getenv("PB_NC"));
  return strategy;
}

}  // namespace pibench::kernels
