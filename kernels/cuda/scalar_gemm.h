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
inline constexpr std::uint32_t kScalarRows = 128, kScalarColumns = 256, kScalarDepth = 16, kScalarStages = 3,
                               kScalarThreads = 256;
inline constexpr std::uint32_t kScalarPitch =
    kScalarRows + 4;  // of turned rows of A: copies meet two in a bank, not sixteen
inline constexpr std::uint32_t kScalarStage = kScalarDepth * (kScalarPitch + kScalarColumns);  // numbers

struct alignas(16) Four {
  float value[4];
};

// What one thread copies of A's tile, turned, step after step along k: one number of every kRowStep-th row.
class ScalarLoaderA {
 public:
  PIBENCH_DEVICE ScalarLoaderA(const GemmArguments& arguments, const Corner& corner) : columns_(arguments.k) {
    const std::int32_t row = corner.row + static_cast<std::int32_t>(first_row());
    from_ = static_cast<const float*>(arguments.a) +
            (static_cast<std::int64_t>(corner.matrix) * arguments.m + row) * columns_ + in_row();
    there_ = arguments.m - row;
  }
  // As TileLoader::load.
  PIBENCH_DEVICE void load(std::uint32_t stage, std::int32_t left) {
    const std::int32_t height = static_cast<std::int32_t>(in_row()) < left ? there_ : 0;
    const std::uint32_t to = stage + (in_row() * kScalarPitch + first_row()) * 4;
    PIBENCH_UNROLL
    for (std::uint32_t pass = 0; pass < kPasses; ++pass)
      copy_4_async(to + pass * kRowStep * 4, from_ + columns_ * (std::int64_t{pass} * kRowStep),
                   static_cast<std::int32_t>(pass * kRowStep) < height ? 4 : 0);
    from_ += kScalarDepth;
  }

 private:
  static constexpr std::uint32_t kRowStep = kScalarThreads / kScalarDepth;
  static constexpr std::uint32_t kPasses = kScalarRows / kRowStep;
  PIBENCH_DEVICE static std::uint32_t in_row() { return thread_index() % kScalarDepth; }
  PIBENCH_DEVICE static std::uint32_t first_row() { return thread_index() / kScalarDepth; }

  const float* from_;
  std::int32_t columns_;
  std::int32_t there_;  // how many rows exist from this thread's first on
};

// What a thread multiplies for one k: 8 numbers of A by 16 of B.
struct ScalarFragments {
  Four a[2], b[4];
  // From a stage; `a` and `b` are where this thread's are of its first k.
  PIBENCH_DEVICE void read(const float* of_a, const float* of_b, std::uint32_t k) {
    PIBENCH_UNROLL
    for (std::uint32_t i = 0; i < 2; ++i)
      a[i] = *reinterpret_cast<const Four*>(of_a + std::size_t{k} * kScalarPitch + std::size_t{i} * 16);
    PIBENCH_UNROLL
    for (std::uint32_t j = 0; j < 4; ++j)
      b[j] = *reinterpret_cast<const Four*>(of_b + std::size_t{k} * kScalarColumns + std::size_t{j} * 32);
  }
};

// A block of kScalarThreads threads for each tile.
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
  const auto of_a = [&](std::uint32_t stage) { return memory + std::size_t{stage} * kScalarStage + row; };
  const auto of_b = [&](std::uint32_t stage) {
    return memory + std::size_t{stage} * kScalarStage + std::size_t{kScalarDepth} * kScalarPitch + column;
  };
  float sums[8][16] = {};
  ScalarLoaderA loader_a(arguments, corner);
  TileLoader<kScalarDepth, kScalarColumns * 4, 4, kScalarThreads, Depth::down_columns> loader_b(
      MatrixView<4>(arguments.b, arguments.k, arguments.n, corner.matrix), 0, corner.column);
  ScalarFragments now;
  run_ring<kScalarStages, kScalarDepth>(
      arguments.k,
      [&](std::uint32_t stage, std::int32_t left) {
        const std::uint32_t to = address + stage * (kScalarStage * 4);
        loader_a.load(to, left);
        loader_b.load<aligned>(
            to + kScalarDepth * kScalarPitch * 4, left,
            [](std::uint32_t at, std::uint32_t chunk) { return at * (kScalarColumns * 4) + chunk * 16; });
      },
      [&](std::uint32_t stage) { now.read(of_a(stage), of_b(stage), 0); },
      [&](std::uint32_t stage, const auto& next) {
        PIBENCH_UNROLL
        for (std::uint32_t k = 0; k < kScalarDepth; ++k) {
          // What comes next is read while this is multiplied, also beyond the stage's end.
          const bool last = k + 1 == kScalarDepth;
          if (last) stage = next();
          ScalarFragments ahead;
          ahead.read(of_a(stage), of_b(stage), last ? 0 : k + 1);
          PIBENCH_UNROLL
          for (std::uint32_t i = 0; i < 8; ++i) {
            PIBENCH_UNROLL
            for (std::uint32_t j = 0; j < 16; ++j)
              sums[i][j] += now.a[i / 4].value[i % 4] * now.b[j / 4].value[j % 4];
          }
          now = ahead;
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
