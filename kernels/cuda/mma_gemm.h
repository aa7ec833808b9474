// C = A B with the matrix instruction of a warp (mma), which every GPU from compute capability 8.0 on has:
// eight warps compute a tile of 128 x 128, or four one of 64 x 128, from a ring of tiles in shared memory,
// which asynchronous copies fill some steps ahead.
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

// What each warp has of a tile: two warps below each other or one, four side by side.
inline constexpr std::uint32_t kWarpRows = 64, kWarpColumns = 32;

template <Element operand>
struct MmaTiling {
  static constexpr detail::MmaTile kTile = detail::mma_tile(operand);
  static constexpr std::uint32_t kStages = detail::kMmaStages;
  static constexpr std::uint32_t kThreads = detail::mma_threads(operand);
  static constexpr std::uint32_t kWarpsDown = kTile.m / kWarpRows;
  static constexpr std::uint32_t kBytes = bytes_of(operand);
  static constexpr bool kTurned = bytes_of(operand) == 2;  // B lies by rows, and fragments are read turned
  static constexpr bool kByRows = kTurned || operand == Element::float64;
  static constexpr std::uint32_t kBytesA = kTile.m * kTile.k * kBytes;
  static constexpr std::uint32_t kBytesB = kTile.n * kTile.k * kBytes;
  static constexpr std::uint32_t kRowBytesA = kTile.k * kBytes;
  static constexpr std::uint32_t kRowBytesB = kTile.n * kBytes;  // where B lies by rows
  static_assert(kThreads == kWarpsDown * (kTile.n / kWarpColumns) * 32);
};

// Brings the tiles of one step along k to a stage, and the next time those of the next.
template <Element operand>
class MmaLoader {
  using T = MmaTiling<operand>;

 public:
  PIBENCH_DEVICE MmaLoader(const GemmArguments& arguments, const Corner& corner)
      : a_({arguments.a, arguments.m, arguments.k, corner.matrix}, corner.row, 0),
        b_(T::kByRows ? View(arguments.b, arguments.k, arguments.n, corner.matrix)
                      : View(arguments.b, arguments.n, arguments.k, corner.matrix),
           T::kByRows ? 0 : corner.column, T::kByRows ? corner.column : 0) {}

  template <bool aligned>
  PIBENCH_DEVICE void load(std::uint32_t stage, std::int32_t left) {
    a_.template load<aligned>(stage, left, [](std::uint32_t row, std::uint32_t chunk) {
      if constexpr (operand == Element::float64)
        return place_in_wide_rows(T::kRowBytesA, row, chunk);
      else
        return place_in_rows_64(row, chunk);
    });
    b_.template load<aligned>(stage + T::kBytesA, left, [](std::uint32_t row, std::uint32_t chunk) {
      if constexpr (operand == Element::float64)
        return place_in_wide_rows(T::kRowBytesB, row, chunk);
      else if constexpr (T::kTurned)
        return place_in_rows(T::kRowBytesB, row, chunk);
      else
        return place_in_rows_64(row, chunk);
    });
  }

 private:
  using View = MatrixView<T::kBytes>;
  TileLoader<T::kTile.m, T::kRowBytesA, T::kBytes, T::kThreads, Depth::along_rows> a_;
  std::conditional_t<T::kByRows,
                     TileLoader<T::kTile.k, T::kRowBytesB, T::kBytes, T::kThreads, Depth::down_columns>,
                     TileLoader<T::kTile.n, T::kRowBytesA, T::kBytes, T::kThreads, Depth::along_rows>>
      b_;
};

// Where a warp's operands are in a stage.
struct WarpPlace {
  std::uint32_t row, column, lane;
};

// What a warp multiplies of a stage: its 64 rows and 32 columns, the stage's whole depth.
template <Element operand, typename Sum>
PIBENCH_DEVICE void multiply_mma_stage(Sum (&sums)[4][4][4], std::uint32_t stage, const WarpPlace& warp) {
  using T = MmaTiling<operand>;
  const auto [row, column, lane] = warp;
  const std::uint32_t a = stage;
  const std::uint32_t b = stage + T::kBytesA;
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

// What a warp multiplies of a stage in float64, 16 rows of A by 8 columns of B at a time. Fragments are read
// one by one, while what was read before is multiplied, also beyond the stage's end. The matrix unit reads
// its operands for as long as it computes, and who fills their registers again waits for it: so that is done
// two products after the last that has them.
class DoubleFragments {
  using T = MmaTiling<Element::float64>;

 public:
  PIBENCH_DEVICE explicit DoubleFragments(const WarpPlace& warp) {
    const auto [row, column, lane] = warp;
    PIBENCH_UNROLL
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t along_k = lane % 4 + i * 4;
      const std::uint32_t along_n = column + i * 8 + lane / 4;
      of_a_[i] = place_in_wide_rows(T::kRowBytesA, row + lane / 4, along_k / 2) + along_k % 2 * 8;
      of_b_[i] = T::kBytesA + place_in_wide_rows(T::kRowBytesB, lane % 4, along_n / 2) + along_n % 2 * 8;
    }
  }

  // Those that multiply() takes to be there.
  PIBENCH_DEVICE void begin(std::uint32_t stage) {
    for (std::uint32_t i = 0; i < 2; ++i) read_a(stage, i);
    for (std::uint32_t j = 0; j < 3; ++j) read_b(stage, j);
  }
  // `next()` is run_ring's, as an address.
  template <typename Next>
  PIBENCH_DEVICE void multiply(double (&sums)[4][4][4], std::uint32_t stage, const Next& next) {
    std::uint32_t after = stage;
    PIBENCH_UNROLL
    for (std::uint32_t j = 0; j < 4; ++j) {
      PIBENCH_UNROLL
      for (std::uint32_t i = 0; i < 4; ++i) {
        multiply_add_double(sums[i][j], a_[i], b_[j]);
        if (j == 0 && i == 0) read_b(stage, 3);
        if (j == 0 && i < 2) read_a(stage, i + 2);
        if (j < 3) continue;
        if (i == 0) after = next();
        if (i < 2) read_b(after, i);
        if (i == 1) read_b(after, 2);
        if (i >= 2) read_a(after, i - 2);
      }
    }
  }

 private:
  // Rows 16 i and after.
  PIBENCH_DEVICE void read_a(std::uint32_t stage, std::uint32_t i) {
    PIBENCH_UNROLL
    for (std::uint32_t e = 0; e < 8; ++e)
      a_[i][e] = load_shared_double(stage + of_a_[e / 2] + (i * 16 + e % 2 * 8) * T::kRowBytesA);
  }
  // Columns 8 j and after.
  PIBENCH_DEVICE void read_b(std::uint32_t stage, std::uint32_t j) {
    PIBENCH_UNROLL
    for (std::uint32_t e = 0; e < 4; ++e)
      b_[j][e] = load_shared_double(stage + of_b_[j] + e * 4 * T::kRowBytesB);
  }

  std::uint32_t of_a_[4], of_b_[4];  // where in a stage this lane's are: by 4 along k, by 8 along n
  double a_[4][8], b_[4][4];
};

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

// A block for each tile; threads and sizes as in contract_gemm.h.
template <Element operand, Element result, bool aligned>
PIBENCH_DEVICE void mma_gemm(const GemmArguments& arguments) {
  using T = MmaTiling<operand>;
  using Sum = std::conditional_t<operand == Element::float64, double,
                                 std::conditional_t<operand == Element::int8, std::int32_t, float>>;
  const std::uint32_t memory = shared_address(shared_memory());
  const auto place = [memory](std::uint32_t stage) { return memory + stage * (T::kBytesA + T::kBytesB); };
  const Corner corner = corner_of_tile(arguments, T::kTile.m, T::kTile.n);
  const std::uint32_t number = thread_index() / 32;
  const WarpPlace warp{number % T::kWarpsDown * kWarpRows, number / T::kWarpsDown * kWarpColumns,
                       thread_index() % 32};
  Sum sums[4][4][4] = {};
  MmaLoader<operand> loader(arguments, corner);
  const auto load = [&](std::uint32_t stage, std::int32_t left) {
    loader.template load<aligned>(place(stage), left);
  };
  if constexpr (operand == Element::float64) {
    DoubleFragments fragments(warp);
    run_ring<T::kStages, T::kTile.k>(
        arguments.k, load, [&](std::uint32_t stage) { fragments.begin(place(stage)); },
        [&](std::uint32_t stage, const auto& next) {
          fragments.multiply(sums, place(stage), [&] { return place(next()); });
        });
  } else {
    run_ring<T::kStages, T::kTile.k>(
        arguments.k, load, [](std::uint32_t) {},
        [&](std::uint32_t stage, const auto& next) {
          multiply_mma_stage<operand>(sums, place(stage), warp);
          next();
        });
  }
  PIBENCH_UNROLL
  for (std::uint32_t i = 0; i < 4; ++i) {
    PIBENCH_UNROLL
    for (std::uint32_t j = 0; j < 4; ++j) {
      PIBENCH_UNROLL
      for (std::uint32_t half = 0; half < 2; ++half) {
        const std::int32_t at =
            corner.row + static_cast<std::int32_t>(warp.row + i * 16 + half * 8 + row_of_lane(warp.lane));
        if (at >= arguments.m) continue;
        write_results<result, aligned>(
            arguments.c, static_cast<std::int64_t>(corner.matrix) * arguments.m + at,
            corner.column + static_cast<std::int32_t>(warp.column + j * 8 + column_of_lane(warp.lane)),
            arguments.n, sums[i][j][half * 2], sums[i][j][half * 2 + 1]);
      }
    }
  }
}

}  // namespace pibench::kernels::cuda
