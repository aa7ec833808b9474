// The matrix products: what each kernel computes, how it is launched, and which to take. Part of contract.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "types.h"

namespace pibench::kernels::cuda {

// How B lies: `rows` k x n by rows; `transposed` n x k by rows.
enum class Layout : std::uint8_t { rows, transposed };

// The box of a tensor map, in elements; its third extent is 1. All have CU_TENSOR_MAP_SWIZZLE_128B, no
// interleave, an L2 promotion of 256 bytes and no out-of-bounds fill. The map's element type: float64 to
// int32 as named; tf32 as FLOAT32; float8_e4m3 and int8 as UINT8. Zero extents: the kernel takes no maps.
struct Box {
  std::uint32_t inner, outer;
};

struct Gemm {
  const char* symbol;
  const char* module;
  Element operand, result;
  Engine engine;
  Target target;
  Layout b;
  std::uint32_t tile_m, tile_n, tile_k;
  std::uint32_t threads;
  std::uint32_t shared_bytes;
  std::uint32_t cluster;    // blocks of one cluster, along the grid's x; 1: none
  bool persistent;          // the grid is at most as large as the device; else a block for each tile
  std::uint32_t alignment;  // bytes that a row of A, B and C, and each matrix's begin, must be a multiple of
  Box a_box, b_box, c_box;  // with boxes it takes TensorGemmArguments, else GemmArguments
};

constexpr bool takes_maps(const Gemm& gemm) { return gemm.a_box.inner != 0; }

// Whether its rows may have any length: it gathers them element by element, and is slow.
constexpr bool takes_any_rows(const Gemm& gemm) { return gemm.alignment < 16; }

namespace detail {

// Sizes of wgmma_gemm.h: rows of 128 bytes, 192 KiB for operands, 32 KiB for results, the barriers, and what
// rounding up to 1 KiB costs.
inline constexpr std::uint32_t kWgmmaShared = 192 * 1024 + 32 * 1024 + 1024 + 256;

constexpr Gemm wgmma(const char* symbol, Element operand, Element result, std::uint32_t tile_n) {
  const std::uint32_t row = 128 / bytes_of(operand);
  const bool by_rows =
      bytes_of(operand) == 2;  // only 16-bit elements can be multiplied along the other dimension
  return {symbol,
          "gemm_wgmma",
          operand,
          result,
          Engine::wgmma,
          {90, true},
          by_rows ? Layout::rows : Layout::transposed,
          128,
          tile_n,
          row,
          384,
          kWgmmaShared,
          2,
          true,
          16,
          {row, 128},
          by_rows ? Box{row, row} : Box{row, tile_n / 2},
          {128 / bytes_of(result), 64}};
}

struct MmaTile {
  std::uint32_t m, n, k;
};

// Of mma_gemm.h. The deepest tile has rows of 64 or 128 bytes.
constexpr MmaTile mma_tile(Element operand) {
  switch (bytes_of(operand)) {
    case 1:
      return {128, 128, 64};
    case 2:
      return {128, 128, 32};
    case 4:
      return {128, 128, 16};
    default:
      // Half as many rows, so that two blocks fit where a multiprocessor has 228 KiB (9.0, 10.0): one
      // multiplies while the other waits.
      return {64, 128, 16};
  }
}

constexpr std::uint32_t mma_threads(Element operand) { return mma_tile(operand).m * 2; }

// Of its ring. 96 KiB at most: what the smaller devices of 8.6, 8.9 and 12.0 have.
inline constexpr std::uint32_t kMmaStages = 4;

constexpr Gemm mma(const char* symbol, Element operand, Element result, std::uint32_t alignment) {
  const MmaTile tile = mma_tile(operand);
  const bool fp8 = operand == Element::float8_e4m3;
  const bool by_rows = operand != Element::tf32 && bytes_of(operand) != 1;
  return {symbol,
          fp8 ? "gemm_mma_fp8" : "gemm_mma",
          operand,
          result,
          Engine::mma,
          {fp8 ? 89U : 80U, false},
          by_rows ? Layout::rows : Layout::transposed,
          tile.m,
          tile.n,
          tile.k,
          mma_threads(operand),
          kMmaStages * (tile.m + tile.n) * tile.k * bytes_of(operand),
          1,
          false,
          alignment,
          {},
          {},
          {}};
}

// Sizes of scalar_gemm.h: three stages of a tile of A, turned and padded, and one of B.
constexpr Gemm scalar(const char* symbol, std::uint32_t alignment) {
  return {symbol,
          "gemm_scalar",
          Element::float32,
          Element::float32,
          Engine::scalar,
          {80, false},
          Layout::rows,
          128,
          256,
          16,
          256,
          3 * 16 * (128 + 4 + 256) * 4,
          1,
          false,
          alignment,
          {},
          {},
          {}};
}

}  // namespace detail

// Every product, the preferred before the others of the same element types.
inline constexpr auto kGemms = [] {
  using namespace detail;
  return std::array{
      wgmma("pibench_gemm_bfloat16_float32_wgmma_256", Element::bfloat16, Element::float32, 256),
      wgmma("pibench_gemm_bfloat16_float32_wgmma_128", Element::bfloat16, Element::float32, 128),
      wgmma("pibench_gemm_bfloat16_bfloat16_wgmma_256", Element::bfloat16, Element::bfloat16, 256),
      wgmma("pibench_gemm_bfloat16_bfloat16_wgmma_128", Element::bfloat16, Element::bfloat16, 128),
      wgmma("pibench_gemm_float16_float32_wgmma_256", Element::float16, Element::float32, 256),
      wgmma("pibench_gemm_float16_float32_wgmma_128", Element::float16, Element::float32, 128),
      wgmma("pibench_gemm_float16_float16_wgmma_256", Element::float16, Element::float16, 256),
      wgmma("pibench_gemm_float16_float16_wgmma_128", Element::float16, Element::float16, 128),
      wgmma("pibench_gemm_tf32_float32_wgmma_256", Element::tf32, Element::float32, 256),
      wgmma("pibench_gemm_tf32_float32_wgmma_128", Element::tf32, Element::float32, 128),
      wgmma("pibench_gemm_float8_e4m3_float32_wgmma_256", Element::float8_e4m3, Element::float32, 256),
      wgmma("pibench_gemm_float8_e4m3_float32_wgmma_128", Element::float8_e4m3, Element::float32, 128),
      wgmma("pibench_gemm_int8_int32_wgmma_256", Element::int8, Element::int32, 256),
      wgmma("pibench_gemm_int8_int32_wgmma_128", Element::int8, Element::int32, 128),

      mma("pibench_gemm_bfloat16_float32_mma", Element::bfloat16, Element::float32, 16),
      mma("pibench_gemm_bfloat16_float32_mma_any", Element::bfloat16, Element::float32,
          bytes_of(Element::bfloat16)),
      mma("pibench_gemm_bfloat16_bfloat16_mma", Element::bfloat16, Element::bfloat16, 16),
      mma("pibench_gemm_bfloat16_bfloat16_mma_any", Element::bfloat16, Element::bfloat16,
          bytes_of(Element::bfloat16)),
      mma("pibench_gemm_float16_float32_mma", Element::float16, Element::float32, 16),
      mma("pibench_gemm_float16_float32_mma_any", Element::float16, Element::float32,
          bytes_of(Element::float16)),
      mma("pibench_gemm_float16_float16_mma", Element::float16, Element::float16, 16),
      mma("pibench_gemm_float16_float16_mma_any", Element::float16, Element::float16,
          bytes_of(Element::float16)),
      mma("pibench_gemm_tf32_float32_mma", Element::tf32, Element::float32, 16),
      mma("pibench_gemm_tf32_float32_mma_any", Element::tf32, Element::float32, bytes_of(Element::tf32)),
      mma("pibench_gemm_float8_e4m3_float32_mma", Element::float8_e4m3, Element::float32, 16),
      mma("pibench_gemm_float8_e4m3_float32_mma_any", Element::float8_e4m3, Element::float32,
          bytes_of(Element::float8_e4m3)),
      mma("pibench_gemm_int8_int32_mma", Element::int8, Element::int32, 16),
      mma("pibench_gemm_int8_int32_mma_any", Element::int8, Element::int32, bytes_of(Element::int8)),
      mma("pibench_gemm_float64_float64_mma", Element::float64, Element::float64, 16),
      mma("pibench_gemm_float64_float64_mma_any", Element::float64, Element::float64,
          bytes_of(Element::float64)),

      scalar("pibench_gemm_float32_float32_scalar", 16),
      scalar("pibench_gemm_float32_float32_scalar_any", 4),
  };
}();

struct GemmSize {
  std::int64_t m, n, k, batch;
};

// Whether a kernel runs on a device and takes a shape: rows that are a multiple of its alignment. The begins
// of the matrices have to be so too, which follows for all of a batch where it holds for the first.
constexpr bool fits(const Gemm& gemm, std::uint32_t capability, const GemmSize& shape) {
  const std::int64_t alignment = gemm.alignment;
  const std::int64_t operand = bytes_of(gemm.operand);
  const std::int64_t b_row = gemm.b == Layout::rows ? shape.n : shape.k;
  return runs_on(gemm.target, capability) && shape.k * operand % alignment == 0 &&
         b_row * operand % alignment == 0 && shape.n * bytes_of(gemm.result) % alignment == 0;
}

// The tiles of C, of all products of a batch.
constexpr std::int64_t tiles_of(const Gemm& gemm, const GemmSize& shape) {
  const auto parts = [](std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; };
  const std::int64_t rows = parts(shape.m, gemm.tile_m);
  // A cluster computes tiles that lie below each other.
  return parts(rows, gemm.cluster) * gemm.cluster * parts(shape.n, gemm.tile_n) * shape.batch;
}

// The grid's blocks. `multiprocessors` are the device's.
constexpr std::int64_t blocks_of(const Gemm& gemm, const GemmSize& shape, std::int64_t multiprocessors) {
  const std::int64_t tiles = tiles_of(gemm, shape);
  if (!gemm.persistent) return tiles;
  const std::int64_t most = multiprocessors / gemm.cluster * gemm.cluster;
  return tiles < most ? tiles : most;
}

// The kernel to take: of those that fit, the first with the most capable engine, and among its tiles the one
// that by count of whole rounds over the multiprocessors has the least to compute. Null where there is none.
// A rule; who can should time the candidates instead (kGemms with `fits`). `only`: no other engine than that.
constexpr const Gemm* preferred(Element operand, Element result, std::uint32_t capability,
                                std::int64_t multiprocessors, const GemmSize& shape,
                                std::optional<Engine> only = std::nullopt) {
  const Gemm* best = nullptr;
  std::int64_t least = 0;
  for (const Gemm& gemm : kGemms) {
    if (gemm.operand != operand || gemm.result != result || !fits(gemm, capability, shape)) continue;
    if (only && gemm.engine != *only) continue;
    if (best != nullptr && gemm.engine != best->engine) break;
    if (best != nullptr && gemm.alignment != best->alignment) break;
    const std::int64_t rounds = (tiles_of(gemm, shape) + multiprocessors - 1) / multiprocessors;
    const std::int64_t cost = rounds * gemm.tile_m * gemm.tile_n;
    // Half a tile reuses less of what it loads.
    if (best == nullptr || cost * 5 < least * 4) {
      best = &gemm;
      least = cost;
    }
  }
  return best;
}

}  // namespace pibench::kernels::cuda
