// What is packed and what is read where it lies, beside the partition and the blocks.
#include <algorithm>
#include <array>
#include <cstddef>

#include "../cache_sizes.h"
#include "instruction_set.h"
#include "loop_nest.h"

namespace pibench::kernels {
namespace {

// Rows are read in place where they are short, because the copy costs more than it saves: measured, rows of
// 3 KiB gain and rows of 4 KiB lose, each of which is on a page of its own.
constexpr std::int64_t kShortRow = 3 << 10;
// With so few strips or panels, the elements of B or A are used too seldom to pay for a copy.
constexpr std::int64_t kFewStrips = 10;
constexpr std::int64_t kFewPanels = 10;
// How deep a block of such a B may be: each row is on a page of its own.
constexpr std::int64_t kFewPages = 256;

// Up to so many rows are few beside packing a B that is far away: measured, 128 rows gain a quarter or more.
constexpr std::int64_t kMostRowsByRows = 128;

// Rows that meet in one set of L1 are read in place so many at a time: as many as it has ways.
constexpr int kFewRows = 8;

// Whether `rows` rows so far apart find room in L1 at the same time: those at a distance of a multiple of
// 4 KiB meet in the same set of lines.
bool spread_in_l1(std::int64_t rows, std::int64_t row_bytes) {
  constexpr std::int64_t kLine = 64;
  constexpr std::int64_t kSets = 64;
  constexpr int kMost = 4;  // of 8 ways or more, beside B and C
  std::array<int, kSets> lines{};
  for (std::int64_t i = 0; i < rows; ++i) {
    if (++lines.at(static_cast<std::size_t>(i * row_bytes / kLine % kSets)) > kMost) return false;
  }
  return true;
}

bool keeps_type(const MicroKernel& kernel) {
  return kernel.in_place != nullptr && kernel.packing->source_size == kernel.packing->packed_size;
}

// Whether the sums of C had better be kept apart. For kernels that are so fast that reading and writing C
// costs as much as computing it: there, where one member's part of the operands, with B packed, is more than
// L2 holds, and where C is no small part of that.
bool keeps_sums_apart(const MicroKernel& kernel, const GemmShape& part) {
  if (kernel.speed == 1) return false;
  const auto source = static_cast<std::int64_t>(kernel.packing->source_size);
  const std::int64_t c = part.m * part.n * static_cast<std::int64_t>(kernel.result_size);
  const std::int64_t l2 = cache_sizes().l2;
  return c >= l2 / 4 && (part.m + 2 * part.n) * part.k * source + c > l2 * 3 / 2;
}

// Whether few rows use a B that is far away and has to be packed. Panel by panel that reads a line or less of
// each row at a time, which takes longer than all the rest: then it is packed by rows, in blocks that stay in
// L2.
bool is_bound_by_reading_b(const MicroKernel& kernel, const GemmShape& shape) {
  return can_pack_b_by_rows(kernel) && !can_read_b_in_place(kernel, shape) && !shape.prepack_b &&
         !shape.transpose_b && shape.m <= kMostRowsByRows;
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

bool can_pack_b_by_rows(const MicroKernel& kernel) noexcept { return kernel.packing->trailer_of_b == 0; }

const MicroKernel& kernel_for(const MicroKernel& kernel, const GemmShape& shape) noexcept {
  if (kernel.narrow != nullptr && shape.n <= kernel.narrow->nr) return *kernel.narrow;
  return kernel;
}

Strategy choose_strategy(const MicroKernel& kernel, const GemmShape& shape, int members) {
  Strategy strategy;
  const auto bytes = [&](std::int64_t elements) {
    return elements * static_cast<std::int64_t>(kernel.packing->source_size);
  };
  const std::int64_t a_row = bytes(shape.transpose_a ? shape.m : shape.k);
  const std::int64_t b_row = bytes(shape.n);
  const std::int64_t l2 = cache_sizes().l2;
  const bool a_near = bytes(shape.m * shape.k) <= l2;
  const bool b_near = bytes(shape.k * shape.n) <= l2;
  // Transposed, A is read across its rows: only from a near cache.
  // For a kernel that is faster than vector instructions packing weighs more, but so does waiting for L2.
  const bool a_suits = kernel.speed > 1    ? bytes(shape.m * shape.k) < l2 / 8
                       : shape.transpose_a ? a_near && b_near
                                           : a_row <= kShortRow || a_near;
  const bool b_suits = b_near || b_row <= kShortRow;
  const Packed packed{!(a_suits && can_read_a_in_place(kernel, shape)),
                      !shape.prepack_b && !(b_suits && can_read_b_in_place(kernel, shape))};
  strategy.partition = choose_partition(kernel, shape, packed, members);
  const auto [products, rows, columns] = strategy.partition;
  GemmShape part = shape;
  part.m = ceil_div(shape.m, rows);
  part.n = std::min(shape.n, ceil_div(ceil_div(shape.n, kernel.nr), columns) * kernel.nr);
  const int blocks_of_b = rows > 1 ? 2 * columns : products * columns;
  const bool few_panels = !shape.transpose_a && part.n <= kFewPanels * kernel.nr;
  strategy.b_by_rows = !b_near && is_bound_by_reading_b(kernel, shape);
  strategy.sums_apart = !strategy.b_by_rows && keeps_sums_apart(kernel, part);
  strategy.a_in_place =
      ((a_suits && !strategy.sums_apart) || few_panels) && can_read_a_in_place(kernel, shape);
  if (strategy.a_in_place && !shape.transpose_a) {
    const bool meet = kernel.row_multiple == 1 && !spread_in_l1(kernel.mr, a_row);
    strategy.strip_rows = meet ? kFewRows : kernel.rows_in_place;
  }
  const bool few_rows = part.m <= kFewStrips * kernel.mr;
  strategy.b_in_place = (b_suits || few_rows) && can_read_b_in_place(kernel, shape);
  strategy.blocking = (strategy.sums_apart ? choose_blocking_apart : choose_blocking)(kernel, cache_sizes(),
                                                                                      part, blocks_of_b);
  if (strategy.b_in_place && !b_near && b_row > kShortRow) {
    strategy.blocking.kc = std::min(strategy.blocking.kc, even_piece(shape.k, kFewPages, 4));
  }
  if (strategy.b_by_rows) {
    const std::int64_t unit = std::max(4, kernel.packing->depth_multiple);
    strategy.blocking.kc = std::min(strategy.blocking.kc, even_piece(shape.k, kFewPages, unit));
    const auto packed_row = strategy.blocking.kc * static_cast<std::int64_t>(kernel.packing->packed_size);
    strategy.blocking.nc = even_piece(part.n, std::min(strategy.blocking.nc, l2 / 2 / packed_row), kernel.nr);
  }
  // Written once and too large to stay: past the caches, without reading it first.
  const std::int64_t c_bytes =
      shape.batch * shape.m * shape.n * static_cast<std::int64_t>(kernel.result_size);
  strategy.stream_c = strategy.sums_apart || (c_bytes > cache_sizes().l3 && shape.k <= strategy.blocking.kc);
  return strategy;
}

}  // namespace pibench::kernels
