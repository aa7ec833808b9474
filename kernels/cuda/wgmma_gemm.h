// C = A B on Hopper: tiles of 128 x N, for which the bulk copy engine brings operands to a ring in shared
// memory while two warpgroups multiply what is there with wgmma, 64 rows each.
//
// - A third warpgroup only gives orders to the copy engine. Whoever multiplies needs most registers, and gets
// its.
// - Two blocks are a cluster and compute tiles below each other. Both need the same B: each loads half of it,
// to both.
// - A stage of the ring is full when its bytes are there, and empty when all warps of both blocks have
// multiplied it.
// - Blocks stay and take the next tile, so the loads of the next tile overlap the results of this one, which
// go through
//   shared memory, where the copy engine fetches them in whole lines.
//
// Written over hopper_instructions.h and wgmma_instructions.h, or a model of them, which has to be included
// before.
#pragma once

#include <cstdint>
#include <type_traits>

#include "arguments.h"
#include "arithmetic.h"
#include "types.h"

namespace pibench::kernels::cuda {

inline constexpr std::uint32_t kTileRows = 128;
inline constexpr std::uint32_t kGroupThreads = 128;  // a warpgroup
inline constexpr std::uint32_t kRowBytes =
    128;  // of an operand's tile along k, and of a box of 16-bit B along n
inline constexpr std::uint32_t kClusterBlocks = 2;
inline constexpr std::int32_t kBand = 8;                 // rows of clusters that are walked together
inline constexpr std::uint32_t kRingBytes = 192 * 1024;  // as contract_gemm.h counts it
inline constexpr std::uint32_t kSliceBytes =
    64 * 128;  // of results that one store takes: 64 rows of 128 bytes
inline constexpr std::uint32_t kStageArrivals = 8 * kClusterBlocks;  // warps that multiply

template <Element operand, std::uint32_t tile_n>
struct WgmmaTile {
  static constexpr bool kByRows = bytes_of(operand) == 2;  // B's rows lie along n
  static constexpr std::uint32_t kDepth = kRowBytes / bytes_of(operand);
  static constexpr std::uint32_t kBytesA = kTileRows * kRowBytes;
  static constexpr std::uint32_t kBytesB = tile_n * kRowBytes;
  static constexpr std::uint32_t kBytes = kBytesA + kBytesB;
  static constexpr std::uint32_t kStages = kRingBytes / kBytes;
  static constexpr std::uint32_t kBoxBytesB = kByRows ? kDepth * kRowBytes : kBytesB / kClusterBlocks;
};

// Which tile of which product a block computes in each of its rounds.
struct WgmmaWalk {
  std::int32_t rows, columns;  // of clusters' tiles
  std::int64_t tiles;
  std::uint32_t steps;  // along k, of one tile
};

template <std::uint32_t tile_n>
PIBENCH_DEVICE WgmmaWalk wgmma_walk(const TensorGemmArguments& arguments, std::uint32_t depth) {
  WgmmaWalk walk;
  walk.rows = tiles_along(arguments.m, kTileRows * kClusterBlocks);
  walk.columns = tiles_along(arguments.n, static_cast<std::int32_t>(tile_n));
  walk.tiles = static_cast<std::int64_t>(walk.rows) * walk.columns * arguments.batch;
  walk.steps = static_cast<std::uint32_t>(tiles_along(arguments.k, static_cast<std::int32_t>(depth)));
  return walk;
}

// The place in the ring and the parity of its phase.
struct RingPlace {
  std::uint32_t stage = 0;
  std::uint32_t phase = 0;
  PIBENCH_DEVICE void next(std::uint32_t stages) {
    if (++stage == stages) {
      stage = 0;
      phase ^= 1;
    }
  }
};

// What one thread does: orders all loads of this block.
template <Element operand, std::uint32_t tile_n>
PIBENCH_DEVICE void load_tiles(const TensorGemmArguments& arguments, std::uint32_t ring, std::uint32_t full,
                               std::uint32_t empty) {
  using Tile = WgmmaTile<operand, tile_n>;
  const WgmmaWalk walk = wgmma_walk<tile_n>(arguments, Tile::kDepth);
  const std::uint32_t rank = rank_in_cluster();
  constexpr std::uint16_t kBoth = 3;
  RingPlace at;
  for (std::int64_t tile = block_index() / kClusterBlocks; tile < walk.tiles;
       tile += blocks_of_grid() / kClusterBlocks) {
    const TilePlace place = place_of_tile(tile, walk.rows, walk.columns, kBand);
    const std::int32_t row =
        (place.row * static_cast<std::int32_t>(kClusterBlocks) + static_cast<std::int32_t>(rank)) *
        static_cast<std::int32_t>(kTileRows);
    const std::int32_t column = place.column * static_cast<std::int32_t>(tile_n);
    for (std::uint32_t step = 0; step < walk.steps; ++step) {
      const auto depth = static_cast<std::int32_t>(step * Tile::kDepth);
      // A fresh barrier counts as if the phase before its first had ended.
      barrier_wait(empty + at.stage * 8, at.phase ^ 1);
      const std::uint32_t arrived = full + at.stage * 8;
      const std::uint32_t a = ring + at.stage * Tile::kBytes;
      const std::uint32_t b = a + Tile::kBytesA;
      barrier_expect(arrived, Tile::kBytes);
      load_box(a, arguments.a, arrived, depth, row, place.matrix);
      if constexpr (Tile::kByRows) {
        constexpr std::uint32_t kBoxes = tile_n * bytes_of(operand) / kRowBytes / kClusterBlocks;
        for (std::uint32_t i = 0; i < kBoxes; ++i) {
          const std::uint32_t box = rank * kBoxes + i;
          load_box_to(b + box * Tile::kBoxBytesB, arguments.b, arrived,
                      column + static_cast<std::int32_t>(box * Tile::kDepth), depth, place.matrix, kBoth);
        }
      } else {
        load_box_to(b + rank * Tile::kBoxBytesB, arguments.b, arrived, depth,
                    column + static_cast<std::int32_t>(rank * (tile_n / kClusterBlocks)), place.matrix,
                    kBoth);
      }
      at.next(Tile::kStages);
    }
  }
}

// Two neighbouring results as they lie in shared memory.
template <Element result, typename Sum>
PIBENCH_DEVICE void store_results(std::uint32_t to, Sum first, Sum second) {
  if constexpr (result == Element::bfloat16)
    store_shared_1(to, two_bfloat16(first, second));
  else if constexpr (result == Element::float16)
    store_shared_1(to, two_float16(first, second));
  else if constexpr (result == Element::float32)
    store_shared_2(to, first, second);
  else
    store_shared_2(to, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second));
}

// Hands the sums of a warpgroup to the copy engine, in slices of 64 rows of 128 bytes through two places.
template <Element result, std::uint32_t tile_n, typename Sum>
PIBENCH_DEVICE void store_sums(const TensorGemmArguments& arguments, const Sum (&sums)[tile_n / 2],
                               std::uint32_t places, std::uint32_t group, std::int32_t row,
                               std::int32_t column, std::int32_t matrix) {
  constexpr std::uint32_t kColumns = kRowBytes / bytes_of(result);
  const std::uint32_t thread = thread_index() % kGroupThreads;
  const std::uint32_t lane = thread % 32;
  const std::uint32_t line = thread / 32 * 16 + row_of_lane(lane);
  const bool elected = thread == 0;
  PIBENCH_UNROLL
  for (std::uint32_t slice = 0; slice < tile_n / kColumns; ++slice) {
    const std::uint32_t to = places + slice % 2 * kSliceBytes;
    if (elected) wait_until_read<1>();  // the store before the last is done with this place
    named_barrier(1 + group, kGroupThreads);
    PIBENCH_UNROLL
    for (std::uint32_t i = 0; i < kColumns / 8; ++i) {
      const std::uint32_t offset = line * kRowBytes + (i * 8 + column_of_lane(lane)) * bytes_of(result);
      const std::uint32_t sum = (slice * kColumns / 8 + i) * 4;
      store_results<result>(to + swizzle_128(offset), sums[sum], sums[sum + 1]);
      store_results<result>(to + swizzle_128(offset + 8 * kRowBytes), sums[sum + 2], sums[sum + 3]);
    }
    fence_for_engines();
    named_barrier(1 + group, kGroupThreads);
    if (elected) {
      store_box(arguments.c, to, column + static_cast<std::int32_t>(slice * kColumns), row, matrix);
      commit_stores();
    }
  }
}

// What a warpgroup of the two does that multiply: `group` 0 has the upper 64 rows of each tile, 1 the lower.
template <Element operand, Element result, std::uint32_t tile_n>
PIBENCH_DEVICE void multiply_tiles(const TensorGemmArguments& arguments, std::uint32_t ring,
                                   std::uint32_t places, std::uint32_t full, std::uint32_t empty,
                                   std::uint32_t group) {
  using Tile = WgmmaTile<operand, tile_n>;
  using Sum = std::conditional_t<operand == Element::int8, std::int32_t, float>;
  const WgmmaWalk walk = wgmma_walk<tile_n>(arguments, Tile::kDepth);
  const std::uint32_t rank = rank_in_cluster();
  const std::uint32_t lane = thread_index() % 32;
  // A stage is empty when each warp has told both blocks, whose loads write to both.
  const auto release = [&](std::uint32_t stage) {
    if (lane < kClusterBlocks) barrier_arrive_at(empty + stage * 8, lane);
  };
  RingPlace at;
  Sum sums[tile_n / 2];
  for (std::int64_t tile = block_index() / kClusterBlocks; tile < walk.tiles;
       tile += blocks_of_grid() / kClusterBlocks) {
    std::uint32_t before = 0;
    for (std::uint32_t step = 0; step < walk.steps; ++step) {
      barrier_wait(full + at.stage * 8, at.phase);
      const std::uint32_t a = ring + at.stage * Tile::kBytes + group * (64 * kRowBytes);
      const std::uint32_t b = ring + at.stage * Tile::kBytes + Tile::kBytesA;
      hold(sums);
      wgmma_fence();
      PIBENCH_UNROLL
      for (std::uint32_t part = 0; part < 4; ++part) {  // 32 bytes along k in each
        const std::uint64_t of_a = wgmma_descriptor(a + part * 32, 16, 8 * kRowBytes);
        const std::uint64_t of_b =
            Tile::kByRows ? wgmma_descriptor(b + part * 16 * kRowBytes, Tile::kBoxBytesB, 8 * kRowBytes)
                          : wgmma_descriptor(b + part * 32, 16, 8 * kRowBytes);
        multiply_async<operand>(sums, of_a, of_b, step > 0 || part > 0 ? 1 : 0);
      }
      wgmma_commit();
      hold(sums);
      if (step > 0) {
        wgmma_wait<1>();  // the products of the step before are over; this step's go on
        release(before);
      }
      before = at.stage;
      at.next(Tile::kStages);
    }
    wgmma_wait<0>();
    hold(sums);
    release(before);
    const TilePlace place = place_of_tile(tile, walk.rows, walk.columns, kBand);
    const std::int32_t row =
        (place.row * static_cast<std::int32_t>(kClusterBlocks) + static_cast<std::int32_t>(rank)) *
            static_cast<std::int32_t>(kTileRows) +
        static_cast<std::int32_t>(group * 64);
    store_sums<result, tile_n>(arguments, sums, places + group * 2 * kSliceBytes, group, row,
                               place.column * static_cast<std::int32_t>(tile_n), place.matrix);
  }
  if (thread_index() % kGroupThreads == 0) wait_until_written();
}

// k has to be at least 1. Three warpgroups, a cluster of two blocks, sizes and boxes as in contract_gemm.h.
template <Element operand, Element result, std::uint32_t tile_n>
PIBENCH_DEVICE void wgmma_gemm(const TensorGemmArguments& arguments) {
  using Tile = WgmmaTile<operand, tile_n>;
  const std::uint32_t ring = (shared_address(shared_memory()) + 1023) / 1024 * 1024;
  const std::uint32_t places = ring + kRingBytes;
  const std::uint32_t full = places + 4 * kSliceBytes;
  const std::uint32_t empty = full + Tile::kStages * 8;
  const std::uint32_t thread = thread_index();
  if (thread == 0) {
    prefetch_map(arguments.a);
    prefetch_map(arguments.b);
    prefetch_map(arguments.c);
    for (std::uint32_t stage = 0; stage < Tile::kStages; ++stage) {
      barrier_init(full + stage * 8, 1);
      barrier_init(empty + stage * 8, kStageArrivals);
    }
    barrier_init_fence();
  }
  cluster_begin();
  const std::uint32_t group = of_whole_warp(thread / kGroupThreads);
  if (group == 0) {
    give_registers<40>();
    if (thread == 0) load_tiles<operand, tile_n>(arguments, ring, full, empty);
  } else {
    take_registers<232>();
    multiply_tiles<operand, result, tile_n>(arguments, ring, places, full, empty, group - 1);
  }
  // Nobody leaves while the other block may still write to its shared memory.
  cluster_barrier();
}

}  // namespace pibench::kernels::cuda
