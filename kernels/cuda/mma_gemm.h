// C = A B with the matrix instruction of a warp (mma), which every GPU from compute capability 8.0 on has:
// eight warps compute a tile of 128 x 128 from a ring of tiles in shared memory, which asynchronous copies
// fill two steps ahead.
//
// In shared memory 16 bytes are moved about (arithmetic.h) so that neither the copies nor the reading of
// fragments meet in one bank. Any m, n and k: what lies outside is read as zero and not written. Where rows
// are no multiple of 16 bytes the copies go element by element (`aligned` false), which is slow.
//
// Written over instructions.h, or a model of it, which has to be included before.
#pragma once

#include <cstdint>
#include <type_traits>

#include "arguments.h"
#include "arithmetic.h"
#include "contract_gemm.h"
#include "tile_loading.h"
#include "types.h"

namespace pibench::kernels::cuda {

// Of a tile of 128 x 128 each warp has 64 x 32: two warps below each other, four side by side.
inline constexpr std::uint32_t kWarpRows = 64, kWarpColumns = 32;

template <Element operand>
struct MmaTiling {
  static constexpr detail::MmaTile kTile = detail::mma_tile(operand);
  static constexpr std::uint32_t kStages = detail::mma_stages(operand);
  static constexpr std::uint32_t kBytes = bytes_of(operand);
  static constexpr bool kTurned = bytes_of(operand) == 2;  // B lies by rows, and fragments are read turned
  static constexpr std::uint32_t kBytesA = kTile.m * kTile.k * kBytes;
  static constexpr std::uint32_t kBytesB = kTile.n * kTile.k * kBytes;
  static constexpr std::uint32_t kRowBytesB = kTile.n * kBytes;  // where B lies by rows
};

// Loads the tiles of one step along k to a stage.
template <Element operand, bool aligned>
PIBENCH_DEVICE void load_mma_stage(const GemmArguments& arguments, const Corner& corner, std::uint32_t stage,
                                   std::int32_t depth) {
  using T = MmaTiling<operand>;
  const MatrixView<T::kBytes> a(arguments.a, arguments.m, arguments.k, corner.matrix);
  load_tile<T::kTile.m, T::kTile.k * T::kBytes, T::kBytes, aligned>(
      a, corner.row, depth, stage, [](std::uint32_t row, std::uint32_t chunk) {
        if constexpr (operand == Element::float64)
          return place_in_wide_rows(T::kTile.k * T::kBytes, row, chunk);
        else
          return place_in_rows_64(row, chunk);
      });
  if constexpr (operand == Element::float64 || T::kTurned) {
    const MatrixView<T::kBytes> b(arguments.b, arguments.k, arguments.n, corner.matrix);
    load_tile<T::kTile.k, T::kRowBytesB, T::kBytes, aligned>(
        b, depth, corner.column, stage + T::kBytesA, [](std::uint32_t row, std::uint32_t chunk) {
          if constexpr (operand == Element::float64)
            return place_in_wide_rows(T::kRowBytesB, row, chunk);
          else
            return place_in_rows(T::kRowBytesB, row, chunk);
        });
  } else {
    const MatrixView<T::kBytes> b(arguments.b, arguments.n, arguments.k, corner.matrix);
    load_tile<T::kTile.n, T::kTile.k * T::kBytes, T::kBytes, aligned>(
        b, corner.column, depth, stage + T::kBytesA,
        [](std::uint32_t row, std::uint32_t chunk) { return place_in_rows_64(row, chunk); });
  }
}

// What a warp multiplies of a stage: its 64 rows and 32 columns, the stage's whole depth.
template <Element operand, typename Sum>
PIBENCH_DEVICE void multiply_mma_stage(Sum (&sums)[4][4][4], std::uint32_t a, std::uint32_t b,
                                       std::uint32_t row, std::uint32_t column, std::uint32_t lane) {
  using T = MmaTiling<operand>;
  PIBENCH_UNROLL
  for (std::uint32_t part = 0; part < 2; ++part) {  // 32 bytes along k in each
    std::uint32_t of_a[4][4];
    PIBENCH_UNROLL
    for (std::uint32_t i = 0; i < 4; ++i)
      load_matrices(of_a[i], a + place_in_rows_64(row + i * 16 + lane % 16, part * 2 + lane / 16));
    PIBENCH_UNROLL
    for (std::uint32_t pair = 0; pair < 2; ++pair) {  // 16 columns in each
      std::uint32_t of_b[4];  // the first 8 columns: two halves along k; the next 8: the same
      if constexpr (T::kTurned)
        load_matrices_turned(of_b, b + place_in_rows(T::kRowBytesB, part * 16 + lane % 16,
                                                     (column + pair * 16) / 8 + lane / 16));
      else
        load_matrices(of_b, b + place_in_rows_64(column + pair * 16 + lane / 16 * 8 + lane % 8,
                                                 part * 2 + lane / 8 % 2));
      PIBENCH_UNROLL
      for (std::uint32_t i = 0; i < 4; ++i) {
        multiply_add<operand>(sums[i][pair * 2], of_a[i], of_b[0], of_b[1]);
        multiply_add<operand>(sums[i][pair * 2 + 1], of_a[i], of_b[2], of_b[3]);
      }
    }
  }
}

// The same in float64: fragments are read one by one.
template <Element operand>
PIBENCH_DEVICE void multiply_mma_stage(double (&sums)[4][4][4], std::uint32_t a, std::uint32_t b,
                                       std::uint32_t row, std::uint32_t column, std::uint32_t lane) {
  using T = MmaTiling<operand>;
  double of_b[4][4];
  PIBENCH_UNROLL
  for (std::uint32_t j = 0; j < 4; ++j) {
    PIBENCH_UNROLL
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t at = column + j * 8 + lane / 4;
      of_b[j][i] =
          load_shared_double(b + place_in_wide_rows(T::kRowBytesB, lane % 4 + i * 4, at / 2) + at % 2 * 8);
    }
  }
  PIBENCH_UNROLL
  for (std::uint32_t i = 0; i < 4; ++i) {
    double of_a[8];
    PIBENCH_UNROLL
    for (std::uint32_t e = 0; e < 8; ++e) {
      const std::uint32_t at = lane % 4 + e / 2 * 4;
      of_a[e] = load_shared_double(
          a + place_in_wide_rows(T::kTile.k * T::kBytes, row + i * 16 + lane / 4 + e % 2 * 8, at / 2) +
          at % 2 * 8);
    }
    PIBENCH_UNROLL
    for (std::uint32_t j = 0; j < 4; ++j) multiply_add_double(sums[i][j], of_a, of_b[j]);
  }
}

// Writes two neighbouring results of a row, as far as they exist.
template <Element result, bool aligned, typename Sum>
PIBENCH_DEVICE void write_results(void* c, std::int64_t row, std::int32_t column, std::int32_t n, Sum first,
                                  Sum second) {
  if (column >= n) return;
  const std::int64_t at = row * n + column;
  if constexpr (bytes_of(result) == 2) {
    const std::uint32_t both =
        result == Element::bfloat16 ? two_bfloat16(first, second) : two_float16(first, second);
    auto* to = static_cast<std::uint16_t*>(c) + at;
    if constexpr (aligned) {
      *reinterpret_cast<std::uint32_t*>(to) = both;
    } else {
      to[0] = static_cast<std::uint16_t>(both);
      if (column + 1 < n) to[1] = static_cast<std::uint16_t>(both >> 16);
    }
  } else {
    auto* to = static_cast<Sum*>(c) + at;
    if constexpr (aligned) {
      *reinterpret_cast<Two<Sum>*>(to) = {first, second};
    } else {
      to[0] = first;
      if (column + 1 < n) to[1] = second;
    }
  }
}

// 256 threads; a block for each tile; sizes as in contract_gemm.h.
template <Element operand, Element result, bool aligned>
PIBENCH_DEVICE void mma_gemm(const GemmArguments& arguments) {
  using T = MmaTiling<operand>;
  using Sum = std::conditional_t<operand == Element::float64, double,
                                 std::conditional_t<operand == Element::int8, std::int32_t, float>>;
  const std::uint32_t memory = shared_address(shared_memory());
  const Corner corner = corner_of_tile(arguments, T::kTile.m, T::kTile.n);
  const std::uint32_t warp = thread_index() / 32;
  const std::uint32_t lane = thread_index() % 32;
  const std::uint32_t row = warp % 2 * kWarpRows;
  const std::uint32_t column = warp / 2 * kWarpColumns;
  Sum sums[4][4][4] = {};
  run_ring<T::kStages, T::kTile.k>(
      arguments.k,
      [&](std::uint32_t stage, std::int32_t depth) {
        load_mma_stage<operand, aligned>(arguments, corner, memory + stage * (T::kBytesA + T::kBytesB),
                                         depth);
      },
      [&](std::uint32_t stage) {
        const std::uint32_t a = memory + stage * (T::kBytesA + T::kBytesB);
        multiply_mma_stage<operand>(sums, a, a + T::kBytesA, row, column, lane);
      });
  PIBENCH_UNROLL
  for (std::uint32_t i = 0; i < 4; ++i) {
    PIBENCH_UNROLL
    for (std::uint32_t j = 0; j < 4; ++j) {
      PIBENCH_UNROLL
      for (std::uint32_t half = 0; half < 2; ++half) {
        const std::int32_t at =
            corner.row + static_cast<std::int32_t>(row + i * 16 + half * 8 + row_of_lane(lane));
        if (at >= arguments.m) continue;
        write_results<result, aligned>(
            arguments.c, static_cast<std::int64_t>(corner.matrix) * arguments.m + at,
            corner.column + static_cast<std::int32_t>(column + j * 8 + column_of_lane(lane)), arguments.n,
            sums[i][j][half * 2], sums[i][j][half * 2 + 1]);
      }
    }
  }
}

}  // namespace pibench::kernels::cuda
