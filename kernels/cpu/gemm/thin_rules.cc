// When a product is computed as a matrix and few vectors, and how.
#include <algorithm>
#include <cstdint>

#include "../cache_sizes.h"
#include "../cpu_features.h"
#include "instruction_set.h"
#include "joining.h"
#include "low_tiles.h"
#include "partition.h"
#include "thin.h"
#include "thin_shape.h"

namespace pibench::kernels {
namespace {

constexpr std::int64_t kLine = 64;
constexpr std::int64_t kFewestRows = 64;  // that pass between two turns
// Of a row, for inner products that take turns: of A, and of a transposed B.
constexpr std::int64_t kFewestElements = 64;
constexpr std::int64_t kShortestRow = 512;  // bytes
// Measured on Zen 5, float32 and float64, from memory: without asking one vector is 1.1 to 1.4 times as fast,
// two are 1.0 to 1.1, and three or four 0.8 to 1.1. On Zen 3 one is 1.2 to 1.3, int8 and bfloat16 too (1.1 to
// 1.4), two 1.05 to 1.1, three or four 0.9 to 1.05.
constexpr int kMostUnasked = 2;
// Waking and awaiting a team costs as much as reading so many bytes from a near cache.
constexpr std::int64_t kWakeBytes = 32 << 10;

std::int64_t matrix_bytes(const MicroKernel& kernel, const GemmShape& shape, const Thin& thin) noexcept {
  return shape.k * thin.extent * element_of(kernel);
}

// Whether the elements of the matrix would have to be packed, or widened, for a tile.
bool are_narrow(const MicroKernel& kernel) noexcept {
  return kernel.packing->source_size < kernel.result_size;
}

// Of narrow elements: up to how many vectors this is faster than a kernel that packs the matrix. The narrower
// they are, the more of them an instruction multiplies. (Measured.)
std::int64_t most_beside_packing(const MicroKernel& kernel, const GemmShape& shape, const Thin& thin,
                                 std::int64_t bytes) noexcept {
  if (thin.a_is_matrix) return kThinVectors / element_of(kernel);  // as a tile reads A where it lies
  if (shape.prepack_b) return 0;
  return bytes > cache_sizes().l2 ? kMostVectors / element_of(kernel) : kThinVectors;
}

// Of elements that a tile takes as they are: whether more vectors than kernels take at a time had better take
// turns. A tile leaves more than half of its lanes empty where there are so few columns, and has to have a
// transposed B packed. (Measured on Zen 5; rows that are added up lost. With AVX2, on Zen 3, a transposed B
// of 8 to 16 rows is 1.2 to 2.2 times as fast so.) On Zen 4 one of half a vector that is full is faster where
// A comes from memory, or its rows are short (float32 4096x8x4096 1.2, 4096x8x64 1.1, 64x8x64 1.2; but
// 1000x8x1000 0.9).
bool is_better_in_turns(const MicroKernel& kernel, const GemmShape& shape, const Thin& thin,
                        std::int64_t bytes, CoreKind cores) noexcept {
  constexpr std::int64_t kFewElements = 128;
  if (!thin.along_rows) return false;
  if (!thin.a_is_matrix) return !shape.prepack_b && shape.k * element_of(kernel) >= kShortestRow;
  const bool fills_half =
      cores == CoreKind::kOther && kernel.half != nullptr && thin.vectors == kernel.half->nr;
  if (fills_half && (bytes > cache_sizes().l3 || shape.k <= kFewElements)) return false;
  // A kernel without a narrow one is portable, and reads what is left of a vector element by element (Zen 3,
  // float32: 4096x8x4096 1.5, 64x6x512 1.6, 500x8x200 1.3; but 1000x8x100 0.57).
  const bool has_narrow = kernel.narrow != nullptr;
  if (!has_narrow && shape.k % (kernel.nr / 2) != 0) return false;
  return shape.k >= kFewestElements && 2 * thin.vectors <= (has_narrow ? kernel.narrow->nr : kernel.nr);
}

// Whether inner products with so many rows of A, in turns, are faster than packing a transposed B. (Measured
// on Zen 4, one thread: float32 20x4000x4000 2.0, 64 rows 1.3, 128 rows 1.2, 32x600x600 1.1;
// float64 1.3, 1.2, 1.1, 1.1; bfloat16 1.9, 1.4, 1.2, 1.06; int8 2.0, 1.2, but 128 rows 0.94, and
// 32x1000x1000, which is near, 0.9, 12 rows 0.83 and 7x1000x333 1.04. Shallower: bfloat16 8x600x600 1.6,
// 7x1000x333 1.3, 16 rows 1.1, float32 12x1000x127 1.15, 64x600x300 0.94.)
bool are_rather_dots(const MicroKernel& kernel, const GemmShape& shape, const Thin& thin, std::int64_t bytes,
                     CoreKind cores) noexcept {
  constexpr std::int64_t kLeastDepth = 1200;  // bytes
  constexpr std::int64_t kLeastDepthOfFew = 300;
  constexpr std::int64_t kFew = 16;
  constexpr std::int64_t kMostOfNearQuads = 8;
  constexpr std::int64_t kMostOfNear = 64;
  constexpr std::int64_t kMostOfFarQuads = 96;
  if (cores != CoreKind::kOther || kernel.most_of_transposed == 0 || thin.vectors <= kThinVectors)
    return false;
  if (thin.a_is_matrix || !shape.transpose_b || shape.prepack_b || shape.n < shape.m) return false;
  const bool quads = kernel.products == 4;
  const bool far = bytes > cache_sizes().l2;
  const std::int64_t most = far     ? (quads ? kMostOfFarQuads : kernel.most_of_transposed)
                            : quads ? kMostOfNearQuads
                                    : kMostOfNear;
  return shape.m <= most &&
         shape.k * element_of(kernel) >= (shape.m <= kFew ? kLeastDepthOfFew : kLeastDepth);
}

// Whether the extent is so small that a tile which reads both operands where they lie is faster. What is done
// once for all of it weighs too much: columns of B are copied until they lie as rows of A do, or sums are
// read and written for every few rows of the matrix. Of low tiles that have narrow ones in place beside them.
// (Measured on Zen 3, one thread. Times as fast by a tile, float32 and float64: columns to copy 4x4x1000 7
// and 2, 32x2x1000 1.4 and 1.7, 64x2x1000 0.95 and 1.3, 128x2x1000 0.76 and 1.0; transposed A with few
// columns 8x1x1000 1.3 and 1.5, 16x1x64 0.8 and 0.6, 16x4x1000 1.4 and 1.8, 64x2x64 0.8 and 0.8; few rows
// 2x8x1000 2.6 and 2.4, 1x16x1000 1.5 and 1.6, 1x64x1000 0.9 and 0.9; with a transposed A 1.5 and 0.8, 0.8
// and 0.5.)
bool is_rather_tile(const MicroKernel& kernel, const GemmShape& shape, const Thin& thin,
                    std::int64_t bytes) noexcept {
  constexpr std::int64_t kRowsBesideCopies = 256;
  if (!has_low_tiles(kernel) || kernel.narrow == nullptr || kernel.narrow->in_place == nullptr) return false;
  const std::int64_t lanes = kernel.narrow->nr;
  if (thin.along_rows) {
    const bool copies = thin.a_is_matrix && !shape.transpose_b && thin.vectors > 1;
    return copies && thin.extent <= kRowsBesideCopies / lanes * thin.vectors;
  }
  // With a B that has to be packed, too, shallow products lose (4x2x3 0.3, 8x2x16 0.5); deep ones are
  // swapped.
  if (shape.transpose_b) return false;
  // A transposed A is packed where it is far and gives more than one tile (24x4x100000 0.4).
  const std::int64_t of_one_tile = thin.a_is_matrix ? kernel.narrow->mr : kernel.nr;
  if (shape.transpose_a && bytes > cache_sizes().l2 && thin.extent > of_one_tile) return false;
  const std::int64_t registers = thin.a_is_matrix ? 1 : shape.transpose_a ? 2 : 4;
  return thin.extent <= registers * lanes * thin.vectors;
}

// Likewise without narrow tiles. What is left of a vector is read and written element by element, and a few
// whole tiles of few rows need no more: times as fast by a tile, portable-v3 on Zen 3, 1x4x1000 1.4, 4x4x1000
// with a transposed A 3.6, 12x3x1000 with one 2.6, 1x16x1000 in float32 1.3, 2x8x1000 in float64 2.0.
// (Vectors are copied by what packs an A, which costs less than the lanes that are empty here: 4x4x1000 0.3.)
bool is_rather_wide_tile(const MicroKernel& kernel, const Thin& thin) noexcept {
  if (!has_low_tiles(kernel) || kernel.narrow != nullptr || thin.along_rows) return false;
  const std::int64_t lanes = kernel.nr / 2;
  if (thin.extent % lanes != 0) return thin.extent < 4 * lanes;
  return !thin.a_is_matrix && thin.extent % kernel.nr == 0 && thin.extent <= 4 * lanes;
}

}  // namespace

bool can_be_thin(const MicroKernel& kernel, const GemmShape& shape) noexcept {
  if (kernel.thin == nullptr) return false;
  const bool transposed = shape.transpose_b && shape.m <= kernel.most_of_transposed;
  return transposed || shape.m <= kernel.most_vectors || shape.n <= kernel.most_vectors;
}

bool is_thin(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) noexcept {
  if (!can_be_thin(kernel, shape) || joining_for(kernel, shape, cores) != nullptr) return false;
  const Thin thin(kernel, shape);
  const std::int64_t bytes = matrix_bytes(kernel, shape, thin);
  if (are_rather_dots(kernel, shape, thin, bytes, cores)) return true;
  if (thin.vectors > kernel.most_vectors) return false;
  if (is_rather_wide_tile(kernel, thin)) return false;
  if (are_narrow(kernel)) return thin.vectors <= most_beside_packing(kernel, shape, thin, bytes);
  if (thin.vectors > kThinVectors) return is_better_in_turns(kernel, shape, thin, bytes, cores);
  if (is_rather_tile(kernel, shape, thin, bytes)) return false;
  // Three or four rows that are added up read and write their results once for every few rows of B. A kernel
  // that keeps its tile in registers is faster while reading B costs little. (Measured.)
  if (thin.a_is_matrix || thin.along_rows || thin.vectors < 3) return true;
  return bytes > (thin.vectors == 3 ? cache_sizes().l1 : cache_sizes().l2 / 4);
}

ThinStrategy choose_thin_strategy(const MicroKernel& kernel, const GemmShape& shape, int members,
                                  CoreKind cores) {
  const Thin thin(kernel, shape);
  const std::int64_t bytes = shape.batch * matrix_bytes(kernel, shape, thin);
  const std::int64_t units = shape.batch * ceil_div(thin.extent, unit_of(kernel, thin));
  const auto most = static_cast<int>(std::min<std::int64_t>(members, units));
  const auto& caches = cache_sizes();
  ThinStrategy strategy;
  if (bytes - bytes / most > kWakeBytes) strategy.members = most;
  const auto element = thin.along_rows ? element_of(kernel) : static_cast<std::int64_t>(kernel.result_size);
  if (thin.vectors <= kThinVectors) {
    // They stream from L2 while the matrix passes: longer pieces of its rows are worth more than a place in
    // L1.
    strategy.block = round_up(2 * caches.l1 / element / thin.vectors, kLine);
    strategy.rows = std::max(shape.k, thin.extent);
  } else {
    // A part of the matrix that passes again and again is in L2, so those whose turn it is are better in L1.
    strategy.block = round_up(caches.l1 / 2 / element / kThinVectors, kLine);
    // Whole groups, which are what kernels take at a time.
    const std::int64_t rows = caches.l2 / 4 / (strategy.block * element_of(kernel));
    strategy.rows = std::max(rows / kFewestRows, std::int64_t{1}) * kFewestRows;
  }
  // What is widened as it is read is waited for sooner. (Measured.)
  strategy.ahead = bytes > (are_narrow(kernel) ? caches.l2 : caches.l3 / 2);
  // Zen 5's own prefetchers, and Zen 3's, keep up with one or two vectors, and asking costs more than it
  // brings.
  const bool asked_in_vain =
      cores == CoreKind::kZen5 ? !are_narrow(kernel) : cores == CoreKind::kOther && has_low_tiles(kernel);
  if (asked_in_vain && thin.vectors <= kMostUnasked) strategy.ahead = false;
  return strategy;
}

}  // namespace pibench::kernels
