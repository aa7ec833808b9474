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
  // A deep block writes C seldom. What bounds it is how fast the strip of A and the panel of B stream from L2
  // when they are more than L1 holds: four times L1 for the strip, an eighth of L2 for the panel. A kernel
  // that is faster than vector instructions needs its panel in L1, beside the strip that passes. Where all
  // columns are in one panel, no strip is read twice, and only the panel has to stay near.
  constexpr std::int64_t kShallowest = 64;
  const std::int64_t depth_unit = std::max(4, kernel.packing->depth_multiple);
  const std::int64_t panel = std::max(caches.l1 * 3 / 4, caches.l2 / 8 / kernel.speed);
  const std::int64_t deepest =
      shape.n <= kernel.nr ? caches.l2 / 4 / (element * kernel.nr)
                           : std::min(4 * caches.l1 / (element * kernel.mr), panel / (element * kernel.nr));
  Blocking blocks{};
  blocks.kc = std::min(shape.k, even_piece(shape.k, std::max(kShallowest, deepest), depth_unit));

  // The larger the block of A, the seldomer a panel of B comes from L3, and with neighbours at the same L3
  // that is far: five eighths of L2 for A; panels of B and tiles of C pass through the rest. Whole strips. A
  // quarter for a kernel that is faster than vector instructions, beside panels of B that it packs meanwhile.
  const std::int64_t for_a = kernel.speed > 1 ? caches.l2 / 4 : caches.l2 * 5 / 8;
  const std::int64_t fitting_rows = for_a / (element * blocks.kc);
  const std::int64_t most_mc = std::max<std::int64_t>(kernel.mr, fitting_rows / kernel.mr * kernel.mr);
  const std::int64_t unit = shape.m > most_mc ? kernel.mr : kernel.row_multiple;
  blocks.mc = std::min(shape.m, even_piece(shape.m, most_mc, unit));
  // A kernel that is faster than vector instructions had better find its strips in L1, beside a panel, where
  // enough of them fit to pack the next panel meanwhile, and enough panels read them (in turns on a Xeon:
  // int8 256 cubed and 512x256x256 1.09, bfloat16 512x128x128 and 256x256x128 1.1; but 1024x64x64 0.97, and
  // 200 cubed, all of whose A stays there anyway, 0.95).
  constexpr std::int64_t kEnough = 4;
  const std::int64_t near_rows = caches.l1 * 2 / 3 / (element * blocks.kc) / kernel.mr * kernel.mr;
  const std::int64_t near_mc = even_piece(shape.m, near_rows, kernel.mr);
  const bool stays = shape.m * blocks.kc * element <= caches.l1;
  if (kernel.speed > 1 && !stays && near_mc >= kEnough * kernel.mr && shape.n >= kEnough * kernel.nr)
    blocks.mc = std::min(blocks.mc, near_mc);

  // Half of L3 for B. Beyond some thousand columns nothing is gained.
  constexpr std::int64_t kMostColumns = 4096;
  const std::int64_t fitting = caches.l3 / 2 / (element * blocks.kc * blocks_of_b);
  const std::int64_t most_nc =
      std::clamp<std::int64_t>(fitting / kernel.nr * kernel.nr, kernel.nr, kMostColumns);
  blocks.nc = even_piece(shape.n, most_nc, kernel.nr);
  return blocks;
}

namespace {

// How deep blocks of kernels are that are faster than vector instructions. Measured: deeper ones read and
// write C less often, but then so few panels are in L2 that A comes from L3 too often.
std::int64_t depth_of_fast_kernel(const MicroKernel& kernel, const GemmShape& shape) noexcept {
  constexpr std::int64_t kDeepest = 2048;
  return std::min(shape.k, even_piece(shape.k, kDeepest, std::max(4, kernel.packing->depth_multiple)));
}

// Columns of so many panels, as far as all blocks of B that live at a time fit in half of L3. Each of those
// who share a block packs whole lines of it, which takes two panels at least.
std::int64_t columns_of_panels(const MicroKernel& kernel, const CacheSizes& caches, const GemmShape& shape,
                               const BlocksOfB& of_b, std::int64_t panel_bytes, std::int64_t most) noexcept {
  const std::int64_t least = of_b.packers > 1 ? 2 * of_b.packers : 1;
  const std::int64_t fitting = caches.l3 / 2 / (panel_bytes * of_b.at_a_time);
  return even_piece(shape.n, std::max(std::min(fitting, most), least) * kernel.nr, kernel.nr);
}

}  // namespace

Blocking choose_blocking_of_one_strip(const MicroKernel& kernel, const CacheSizes& caches,
                                      const GemmShape& shape, const BlocksOfB& of_b, bool few_rows) {
  Blocking blocks{};
  blocks.kc = depth_of_fast_kernel(kernel, shape);
  blocks.mc = std::min<std::int64_t>(shape.m, kernel.mr);
  // Few rows use each panel so seldom that a smaller block, which stays nearer, is better (in turns on a
  // Xeon: int8 8x4096x4096 1.14 and 1.26, bfloat16 128x4096x4096 1.13).
  const std::int64_t panel = blocks.kc * kernel.nr * static_cast<std::int64_t>(kernel.packing->packed_size);
  const std::int64_t most = caches.l2 / (few_rows ? 4 : 2) / panel;
  blocks.nc = columns_of_panels(kernel, caches, shape, of_b, panel, most);
  return blocks;
}

Blocking choose_blocking_of_packed_strips(const MicroKernel& kernel, const CacheSizes& caches,
                                          const GemmShape& shape, const BlocksOfB& of_b) {
  constexpr std::int64_t kMostRows = 256, kMostColumns = 4096;
  const auto element = static_cast<std::int64_t>(kernel.packing->packed_size);
  Blocking blocks{};
  blocks.kc = depth_of_fast_kernel(kernel, shape);
  const std::int64_t rows = std::min(kMostRows, caches.l2 / 2 / (element * blocks.kc));
  blocks.mc = std::min(shape.m, even_piece(shape.m, rows / kernel.mr * kernel.mr, kernel.mr));
  blocks.nc = columns_of_panels(kernel, caches, shape, of_b, element * blocks.kc * kernel.nr,
                                kMostColumns / kernel.nr);
  return blocks;
}

}  // namespace pibench::kernels
