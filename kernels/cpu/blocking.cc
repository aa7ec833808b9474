// The rules for block sizes. They are estimates that leave room for what else lives in the caches; the
// performance is flat around them.
#include "blocking.h"

#include <algorithm>

#include "gemm.h"
#include "instruction_set.h"
#include "partition.h"

namespace pibench::kernels {
std::int64_t even_piece(std::int64_t extent, std::int64_t most, std::int64_t unit) noexcept {
  const std::int64_t pieces = ceil_div(extent, std::max(most, unit));
  return ceil_div(ceil_div(extent, pieces), unit) * unit;
}

Blocking choose_blocking(const MicroKernel& kernel, const CacheSizes& caches, const GemmShape& shape,
                         int blocks_of_b) {
  const auto element = static_cast<std::int64_t>(kernel.packing->packed_size);
  // A deep block writes C seldom; a shallow one keeps the strip of A and the panel of B near. The panel need
  // not stay in L1 as a whole, since it streams from L2 faster than it is used.
  constexpr std::int64_t kShallowest = 64;
  const std::int64_t depth_unit = std::max(4, kernel.packing->depth_multiple);
  const std::int64_t most_kc = std::max(kShallowest, 2 * caches.l1 / (element * kernel.nr));
  Blocking blocks{};
  blocks.kc = std::min(shape.k, even_piece(shape.k, most_kc, depth_unit));

  // A quarter of L2 for A; panels of B and tiles of C pass through the rest.
  const std::int64_t most_mc = std::max<std::int64_t>(kernel.mr, caches.l2 / 4 / (element * blocks.kc));
  blocks.mc = even_piece(shape.m, most_mc, 1);

  // Half of L3 for B. Beyond some thousand columns nothing is gained.
  constexpr std::int64_t kMostColumns = 4096;
  const std::int64_t fitting = caches.l3 / 2 / (element * blocks.kc * blocks_of_b);
  const std::int64_t most_nc =
      std::clamp<std::int64_t>(fitting / kernel.nr * kernel.nr, kernel.nr, kMostColumns);
  blocks.nc = even_piece(shape.n, most_nc, kernel.nr);
  return blocks;
}

}  // namespace pibench::kernels
