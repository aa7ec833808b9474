// C = A B in float32 with ordinary multiply-adds: what a product costs that keeps all of float32's digits.
//
// 256 threads compute a tile of 128 x 256, each 8 x 16 of it, so that 24 numbers read serve 128
// multiply-adds. A's tile is turned on its way to shared memory, element by element: then what a thread reads
// lies together.
//
// Written over instructions.h, or a model of it, which has to be included before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arguments.h"
#include "arithmetic.h"
#include "tile_loading.h"
#include "types.h"

namespace pibench::kernels::cuda {

// As contract_gemm.h counts it.
inline constexpr std::uint32_t kScalarRows = 128, kScalarColumns = 256, kScalarDepth = 16, kScalarStages = 3;
inline constexpr std::uint32_t kScalarPitch =
    kScalarRows + 4;  // of turned rows of A: copies meet two in a bank, not sixteen
inline constexpr std::uint32_t kScalarStage = kScalarDepth * (kScalarPitch + kScalarColumns);  // numbers

struct alignas(16) Four {
  float value[4];
};

PIBENCH_DEVICE void load_scalar_a(const GemmArguments& arguments, const Corner& corner, std::uint32_t stage,
                                  std::int32_t depth) {
  const auto* a = static_cast<const float*>(arguments.a) +
                  static_cast<std::int64_t>(corner.matrix) * arguments.m * arguments.k;
  PIBENCH_UNROLL
  for (std::uint32_t pass = 0; pass < kScalarRows * kScalarDepth / 256; ++pass) {
    const std::uint32_t index = pass * 256 + thread_index();
    const std::uint32_t in_row = index % kScalarDepth;
    const std::uint32_t row = index / kScalarDepth;
    const std::int32_t at_row = corner.row + static_cast<std::int32_t>(row);
    const std::int32_t at_column = depth + static_cast<std::int32_t>(in_row);
    const bool there = at_row < arguments.m && at_column < arguments.k;
    copy_4_async(stage + (in_row * kScalarPitch + row) * 4,
                 a + (there ? static_cast<std::int64_t>(at_row) * arguments.k + at_column : 0),
                 there ? 4 : 0);
  }
}

// 256 threads; a block for each tile.
template <bool aligned>
PIBENCH_DEVICE void scalar_gemm(const GemmArguments& arguments) {
  const auto* memory = reinterpret_cast<const float*>(shared_memory());
  const std::uint32_t address = shared_address(memory);
  const Corner corner = corner_of_tile(arguments, kScalarRows, kScalarColumns);
  const std::uint32_t warp = thread_index() / 32;
  const std::uint32_t lane = thread_index() % 32;
  // A warp has 32 x 128: four lanes below each other, eight side by side; a thread 4 x 4 in each of 2 x 4
  // places.
  const std::uint32_t row = warp % 4 * 32 + lane / 8 * 4;
  const std::uint32_t column = warp / 4 * 128 + lane % 8 * 4;
  float sums[8][16] = {};
  run_ring<kScalarStages, kScalarDepth>(
      arguments.k,
      [&](std::uint32_t stage, std::int32_t depth) {
        const std::uint32_t to = address + stage * (kScalarStage * 4);
        load_scalar_a(arguments, corner, to, depth);
        load_tile<kScalarDepth, kScalarColumns * 4, 4, aligned>(
            MatrixView<4>(arguments.b, arguments.k, arguments.n, corner.matrix), depth, corner.column,
            to + kScalarDepth * kScalarPitch * 4,
            [](std::uint32_t at, std::uint32_t chunk) { return at * (kScalarColumns * 4) + chunk * 16; });
      },
      [&](std::uint32_t stage) {
        const float* a = memory + std::size_t{stage} * kScalarStage + row;
        const float* b =
            memory + std::size_t{stage} * kScalarStage + std::size_t{kScalarDepth} * kScalarPitch + column;
        PIBENCH_UNROLL_8
        for (std::uint32_t k = 0; k < kScalarDepth; ++k) {
          Four of_a[2];
          Four of_b[4];
          PIBENCH_UNROLL
          for (std::uint32_t i = 0; i < 2; ++i)
            of_a[i] = *reinterpret_cast<const Four*>(a + std::size_t{k} * kScalarPitch + std::size_t{i} * 16);
          PIBENCH_UNROLL
          for (std::uint32_t j = 0; j < 4; ++j)
            of_b[j] =
                *reinterpret_cast<const Four*>(b + std::size_t{k} * kScalarColumns + std::size_t{j} * 32);
          PIBENCH_UNROLL
          for (std::uint32_t i = 0; i < 8; ++i) {
            PIBENCH_UNROLL
            for (std::uint32_t j = 0; j < 16; ++j)
              sums[i][j] += of_a[i / 4].value[i % 4] * of_b[j / 4].value[j % 4];
          }
        }
      });
  auto* c = static_cast<float*>(arguments.c);
  PIBENCH_UNROLL
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::int32_t at_row = corner.row + static_cast<std::int32_t>(row + i / 4 * 16 + i % 4);
    if (at_row >= arguments.m) continue;
    float* line = c + (static_cast<std::int64_t>(corner.matrix) * arguments.m + at_row) * arguments.n;
    PIBENCH_UNROLL
    for (std::uint32_t j = 0; j < 4; ++j) {
      const std::int32_t at = corner.column + static_cast<std::int32_t>(column + j * 32);
      const std::size_t of = std::size_t{j} * 4;
      if constexpr (aligned) {
        if (at < arguments.n)
          *reinterpret_cast<Four*>(line + at) = {sums[i][of], sums[i][of + 1], sums[i][of + 2],
                                                 sums[i][of + 3]};
      } else {
        PIBENCH_UNROLL
        for (std::int32_t e = 0; e < 4; ++e)
          if (at + e < arguments.n) line[at + e] = sums[i][of + static_cast<std::uint32_t>(e)];
      }
    }
  }
}

}  // namespace pibench::kernels::cuda
