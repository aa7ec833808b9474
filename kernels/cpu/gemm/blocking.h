// Block sizes of the loop nest, chosen from the caches and the shape. (The analysis behind them: Goto & van
// de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008; Low et al., "Analytical Modeling Is
// Enough for High-Performance BLIS", 2016.)
#pragma once

#include <cstdint>

#include "../cache_sizes.h"

namespace pibench::kernels {

struct GemmShape;
struct MicroKernel;

// mc x kc of A are packed for the L2 cache of one core, kc x nc of B for the L3 cache. nc is a multiple of
// nr.
struct Blocking {
  std::int64_t mc, kc, nc;
};

// The blocks for `shape`, none larger than it needs. `blocks_of_b` is how many packed blocks of B live at a
// time.
Blocking choose_blocking(const MicroKernel& kernel, const CacheSizes& caches, const GemmShape& shape,
                         int blocks_of_b);

// Of packed blocks of B: how many live at a time, and how many members share one.
struct BlocksOfB {
  int at_a_time, packers;
};

// The blocks where a single strip of A passes all panels of B, which fill half of L2, or a quarter beside few
// rows of A. For kernels that are so fast that packing B, and reading and writing C, cost as much as
// computing: B is packed by whole lines, and C is written along its rows, few of them at a time, which CPUs
// fetch ahead by themselves.
Blocking choose_blocking_of_one_strip(const MicroKernel& kernel, const CacheSizes& caches,
                                      const GemmShape& shape, const BlocksOfB& of_b, bool few_rows);

// The blocks for such kernels where many rows of A have to be packed, which had better be done once: a block
// of its strips stays in L2, and B passes (in turns on a Xeon against one strip, a transposed A: int8 2048
// cubed 1.25 to 1.4, bfloat16 1.4 to 1.5, 1024 cubed 1.0 to 1.2; but int8 100x4000x1001 0.86).
Blocking choose_blocking_of_packed_strips(const MicroKernel& kernel, const CacheSizes& caches,
                                          const GemmShape& shape, const BlocksOfB& of_b);

// Cuts `extent` into the fewest near-equal pieces of at most `most` and returns the largest one, rounded up
// to `unit`.
std::int64_t even_piece(std::int64_t extent, std::int64_t most, std::int64_t unit) noexcept;

}  // namespace pibench::kernels
