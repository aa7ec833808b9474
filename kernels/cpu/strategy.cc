// What is packed and what is read where it lies, beside the partition and the blocks.
#include <cstddef>
#include <cstdlib>

#include "cache_sizes.h"
#include "instruction_set.h"
#include "loop_nest.h"

namespace pibench::kernels {
namespace {

// Rows that are 4 KiB apart meet in the same few lines of L1, and each row is on a page of its own: from
// about this length on, reading in place costs more than the copy that it saves. (Measured: rows of 3 KiB
// gain, rows of 4 KiB lose.)
constexpr std::int64_t kShortRow = 3 << 10;
// As many rows as L1 has ways do not displace each other.
constexpr std::int64_t kFewRows = 8;
constexpr std::int64_t kFewStrips = 5;

bool keeps_type(const MicroKernel& kernel) {
  return kernel.in_place != nullptr && kernel.packing->source_size == kernel.packing->packed_size;
}

}  // namespace

bool can_read_a_in_place(const MicroKernel& kernel, const GemmShape& shape) noexcept {
  const Packing& packing = *kernel.packing;
  const bool fills_units = !shape.transpose_a && shape.k % packing.depth_multiple == 0;
  return keeps_type(kernel) && (packing.a.unit == 1 || fills_units);
}

bool can_read_b_in_place(const MicroKernel& kernel, const GemmShape& shape) noexcept {
  return keeps_type(kernel) && kernel.packing->b.unit == 1 && !shape.transpose_b && !shape.prepack_b;
}

Strategy choose_strategy(const MicroKernel& kernel, const GemmShape& shape, int members) {
  Strategy strategy;
  strategy.partition = choose_partition(kernel, shape, members);
  const auto [products, rows, columns] = strategy.partition;
  GemmShape part = shape;
  part.m = ceil_div(shape.m, rows);
  part.n = std::min(shape.n, ceil_div(ceil_div(shape.n, kernel.nr), columns) * kernel.nr);
  const int blocks_of_b = rows > 1 ? 2 * columns : products * columns;

  const auto bytes = [&](std::int64_t elements) {
    return elements * static_cast<std::int64_t>(kernel.packing->source_size);
  };
  const std::int64_t a_row = bytes(shape.transpose_a ? shape.m : shape.k);
  const std::int64_t b_row = bytes(shape.n);
  // Transposed, A is read across its rows: only from a near cache.
  const bool near = bytes(shape.m * shape.k + shape.k * shape.n) <= cache_sizes().l2;
  const bool a_suits = shape.transpose_a ? near : a_row <= kShortRow || part.m <= kFewRows;
  strategy.a_in_place = a_suits && can_read_a_in_place(kernel, shape);
  // Few rows use each element of B too seldom to pay for a copy.
  const bool b_suits = b_row <= kShortRow || part.m <= kFewStrips * kernel.mr;
  strategy.b_in_place = b_suits && can_read_b_in_place(kernel, shape);
  strategy.blocking = choose_blocking(kernel, cache_sizes(), part, blocks_of_b);
  if (getenv("PB_A")) strategy.a_in_place = atoi(getenv("PB_A"));
  if (getenv("PB_B")) strategy.b_in_place = atoi(getenv("PB_B"));
  if (getenv("PB_KC")) strategy.blocking.kc = std::min<long>(shape.k, atoi(getenv("PB_KC")));
  if (getenv("PB_MC")) strategy.blocking.mc = std::min<long>(shape.m, atoi(getenv("PB_MC")));
  if (getenv("PB_NC")) strategy.blocking.nc = atoi(getenv("PB_NC"));
  return strategy;
}

}  // namespace pibench::kernels
