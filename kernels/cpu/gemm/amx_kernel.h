// The micro-kernel and the peak loop of every AMX instruction set: 2 x 2 tiles of C, 32 rows by 32 columns.
//
// A tile register holds up to 16 rows of 64 bytes. One instruction multiplies a tile of A (16 rows, 64 bytes
// of the depth) by a tile of B (64 bytes of the depth, 16 columns; each of its 16 rows holds a pair or
// quadruple of the depth for each column) and adds to a tile of C (16 x 16). A is packed, or lies in memory,
// so that a row of a tile is contiguous; a panel of B is two tiles wide, and their rows alternate.
//
// The code is written over Tiles, the tile instructions: the CPU's own (amx_tiles.h), or a model of them in
// C++, with which the checks execute this very code on any machine. Tiles:
//   configure(const TileConfig&), release()
//   zero<t>(), load<t>(const void*, stride in bytes), store<t>(void*, stride in bytes)
//   dot_bfloat16<c, a, b>(), dot_int8<c, a, b>()
//
// The tile unit computes for many cycles after a few instructions: meanwhile a Packer packs the next panel of
// B, with pack(PanelAhead&, groups).
//
// Everything is in an unnamed namespace: each file that includes this gets code of its own, compiled with its
// own flags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "instruction_set.h"

namespace pibench::kernels {
namespace {

constexpr int kTileRows = 16;
constexpr int kTileRowBytes = 64;
constexpr int kTileRegisters = 8;
constexpr int kPanelBytes = 2 * kTileRowBytes;  // from one row of a tile of B to the next
constexpr int kMostRows = 2 * kTileRows;
constexpr int kPanelColumns = 2 * kTileRowBytes / 4;

// The operand of LDTILECFG.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfig) == 64);

// Which register holds what: C is 0 1 over 2 3, A is 4 over 5, B is 6 beside 7.
constexpr TileConfig make_config(int rows) {
  TileConfig config;
  for (int tile = 0; tile < kTileRegisters; ++tile) {
    config.row_bytes[tile] = kTileRowBytes;
    config.rows[tile] = static_cast<std::uint8_t>(tile < 6 ? rows : kTileRows);
  }
  return config;
}

// For one row of A and C in a tile, for two, and so on.
template <typename Sequence>
struct Configs;
template <int... below>
struct Configs<std::integer_sequence<int, below...>> {
  TileConfig by_rows[sizeof...(below)] = {make_config(below + 1)...};
};
constexpr Configs<std::make_integer_sequence<int, kTileRows>> kConfigs;

struct Bfloat16Dot {
  using Operand = std::uint16_t;
  using Result = float;
  static constexpr DataType kType = DataType::bfloat16;
  static constexpr Operand kOne = 0x3f80;
  template <typename Tiles, int c, int a, int b>
  static void multiply_add() noexcept {
    Tiles::template dot_bfloat16<c, a, b>();
  }
  // Exact up to 2^29, where one more 32 is lost in rounding.
  static Result sum_of_ones(std::uint64_t depth) noexcept {
    constexpr std::uint64_t kLast = std::uint64_t{1} << 29U;
    return static_cast<Result>(depth < kLast ? depth : kLast);
  }
};

struct Int8Dot {
  using Operand = std::int8_t;
  using Result = std::int32_t;
  static constexpr DataType kType = DataType::int8;
  static constexpr Operand kOne = 1;
  template <typename Tiles, int c, int a, int b>
  static void multiply_add() noexcept {
    Tiles::template dot_int8<c, a, b>();
  }
  // Modulo 2^32.
  static Result sum_of_ones(std::uint64_t depth) noexcept {
    return static_cast<Result>(static_cast<std::uint32_t>(depth));
  }
};

// Elements of the depth in one row of a tile of A.
template <typename Dot>
constexpr int kDepthOfTile = kTileRowBytes / static_cast<int>(sizeof(typename Dot::Operand));

// Heights above 16 need no configuration of their own: the lower tiles then overlap the upper ones. Rows in
// both are computed twice, to the same result, from a C that is read before either is written. (Setting up
// other heights for each tile would cost more.) Heights below 16, which only blocks of so few rows have, are
// set up for the whole block.
template <typename Tiles, typename Dot, typename Packer, int rows, bool in_place>
void compute_tile(const Tile& tile) noexcept {
  constexpr bool kTwo = rows > kTileRows;
  constexpr std::int64_t kOverlapping = kTwo ? rows - kTileRows : 0;
  constexpr std::int64_t kUnitOfB = std::int64_t{kTileRows} * kPanelBytes;
  const std::int64_t a_row =
      in_place ? tile.a_row * static_cast<std::int64_t>(sizeof(typename Dot::Operand)) : kTileRowBytes;
  const std::int64_t a_unit = in_place ? kTileRowBytes : std::int64_t{rows} * kTileRowBytes;
  const std::int64_t c_row = tile.ldc * static_cast<std::int64_t>(sizeof(typename Dot::Result));
  const auto* a = static_cast<const std::byte*>(tile.a);
  const auto* b = static_cast<const std::byte*>(tile.b);
  auto* c = static_cast<std::byte*>(tile.c);
  std::byte* const lower_c = c + kOverlapping * c_row;
  const std::int64_t units = tile.depth / kDepthOfTile<Dot>;

  if (tile.accumulate) {
    Tiles::template load<0>(c, c_row);
    Tiles::template load<1>(c + kTileRowBytes, c_row);
    if constexpr (kTwo) {
      Tiles::template load<2>(lower_c, c_row);
      Tiles::template load<3>(lower_c + kTileRowBytes, c_row);
    }
  } else {
    Tiles::template zero<0>();
    Tiles::template zero<1>();
    if constexpr (kTwo) {
      Tiles::template zero<2>();
      Tiles::template zero<3>();
    }
  }
  auto* target = static_cast<char*>(tile.target);
  const std::int64_t target_row = tile.target_row * static_cast<std::int64_t>(sizeof(typename Dot::Result));
  int unasked = tile.prefetch_c ? rows : 0;
  const int at_once = tile.prefetch_c ? static_cast<int>((rows + units - 1) / units) : 0;
  const auto meanwhile = [&] {
    for (int i = 0; i < at_once && unasked > 0; ++i, --unasked) {
      __builtin_prefetch(target + kEndOfLine, 1);
      __builtin_prefetch(target + kTileRowBytes + kEndOfLine, 1);
      target += target_row;
    }
    if (tile.ahead != nullptr) Packer::pack(*tile.ahead, tile.ahead->at_once);
  };

  Tiles::template load<4>(a, a_row);
  if constexpr (kTwo) Tiles::template load<5>(a + kOverlapping * a_row, a_row);
  Tiles::template load<6>(b, kPanelBytes);
  Tiles::template load<7>(b + kTileRowBytes, kPanelBytes);
  for (std::int64_t unit = 1; unit < units; ++unit) {
    a += a_unit;
    b += kUnitOfB;
    meanwhile();
    // Each operand of the next unit is loaded when the last product with its predecessor has been begun.
    Dot::template multiply_add<Tiles, 0, 4, 6>();
    if constexpr (!kTwo) Tiles::template load<6>(b, kPanelBytes);
    Dot::template multiply_add<Tiles, 1, 4, 7>();
    Tiles::template load<4>(a, a_row);
    if constexpr (kTwo) {
      Dot::template multiply_add<Tiles, 2, 5, 6>();
      Tiles::template load<6>(b, kPanelBytes);
      Dot::template multiply_add<Tiles, 3, 5, 7>();
      Tiles::template load<5>(a + kOverlapping * a_row, a_row);
    }
    Tiles::template load<7>(b + kTileRowBytes, kPanelBytes);
  }
  meanwhile();
  Dot::template multiply_add<Tiles, 0, 4, 6>();
  Dot::template multiply_add<Tiles, 1, 4, 7>();
  if constexpr (kTwo) {
    Dot::template multiply_add<Tiles, 2, 5, 6>();
    Dot::template multiply_add<Tiles, 3, 5, 7>();
  }
  Tiles::template store<0>(c, c_row);
  Tiles::template store<1>(c + kTileRowBytes, c_row);
  if constexpr (kTwo) {
    Tiles::template store<2>(lower_c, c_row);
    Tiles::template store<3>(lower_c + kTileRowBytes, c_row);
  }
}

struct TilesByRows {
  ComputeTile by_rows[kMostRows];
};

template <typename Tiles, typename Dot, typename Packer, bool in_place, std::size_t... below>
constexpr TilesByRows tiles_by_rows(std::index_sequence<below...>) {
  return {{compute_tile<Tiles, Dot, Packer, static_cast<int>(below) + 1, in_place>...}};
}

template <typename Tiles, typename Dot, typename Packer, bool in_place>
constexpr TilesByRows kTilesByRows =
    tiles_by_rows<Tiles, Dot, Packer, in_place>(std::make_index_sequence<kMostRows>());

template <typename Tiles>
void enter_tiles(std::int64_t rows) noexcept {
  Tiles::configure(kConfigs.by_rows[(rows < kTileRows ? rows : kTileRows) - 1]);
}

template <typename Tiles>
void leave_tiles() noexcept {
  Tiles::release();
}

// `speed` and `thin` as in MicroKernel.
template <typename Tiles, typename Dot, typename Packer>
constexpr MicroKernel amx_kernel(const Packing& packing, int speed, const ThinKernel* thin = nullptr) {
  return {.type = Dot::kType,
          .packing = &packing,
          .result_size = sizeof(typename Dot::Result),
          .mr = kMostRows,
          .nr = kPanelColumns,
          .by_rows = kTilesByRows<Tiles, Dot, Packer, false>.by_rows,
          .in_place = kTilesByRows<Tiles, Dot, Packer, true>.by_rows,
          .pack_ahead = Packer::pack,
          .thin = thin,
          .most_vectors = kMostVectors,
          .enter = enter_tiles<Tiles>,
          .leave = leave_tiles<Tiles>,
          .row_multiple = kTileRows,
          .speed = speed};
}

// Six independent sums: four would do for a latency of 52 cycles at one instruction each 16 (Intel's
// optimization manual). Products of ones.
template <typename Tiles, typename Dot>
std::uint64_t peak(std::uint64_t iterations) noexcept {
  constexpr int kChains = 6;
  constexpr int kDepth = kDepthOfTile<Dot>;
  alignas(64) typename Dot::Operand ones[kDepth];
  for (auto& one : ones) one = Dot::kOne;
  alignas(64) typename Dot::Result sums[kChains][kTileRows][kTileRows];
  constexpr std::int64_t kSumsRow = sizeof(sums[0][0]);

  enter_tiles<Tiles>(kTileRows);
  Tiles::template load<6>(ones, 0);  // the same row sixteen times
  Tiles::template load<7>(ones, 0);
  Tiles::template zero<0>();
  Tiles::template zero<1>();
  Tiles::template zero<2>();
  Tiles::template zero<3>();
  Tiles::template zero<4>();
  Tiles::template zero<5>();
  for (std::uint64_t i = 0; i < iterations; ++i) {
    Dot::template multiply_add<Tiles, 0, 6, 7>();
    Dot::template multiply_add<Tiles, 1, 6, 7>();
    Dot::template multiply_add<Tiles, 2, 6, 7>();
    Dot::template multiply_add<Tiles, 3, 6, 7>();
    Dot::template multiply_add<Tiles, 4, 6, 7>();
    Dot::template multiply_add<Tiles, 5, 6, 7>();
  }
  Tiles::template store<0>(sums[0], kSumsRow);
  Tiles::template store<1>(sums[1], kSumsRow);
  Tiles::template store<2>(sums[2], kSumsRow);
  Tiles::template store<3>(sums[3], kSumsRow);
  Tiles::template store<4>(sums[4], kSumsRow);
  Tiles::template store<5>(sums[5], kSumsRow);
  Tiles::release();

  const typename Dot::Result right = Dot::sum_of_ones(iterations * kDepth);
  for (const auto& chain : sums) {
    for (const auto& row : chain) {
      for (const auto sum : row) {
        if (sum != right) return 0;
      }
    }
  }
  return iterations * kChains * kTileRows * kTileRows * kDepth * 2;
}

}  // namespace
}  // namespace pibench::kernels
