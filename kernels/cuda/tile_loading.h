// How the kernels without the copy engine bring tiles of operands to shared memory, and the ring in which
// they do it.
//
// Written over instructions.h, or a model of it, which has to be included before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arguments.h"
#include "arithmetic.h"

namespace pibench::kernels::cuda {

inline constexpr std::int32_t kTileBand = 16;  // rows of tiles that are walked together

// The first row and column of C that a block computes, and of which product.
struct Corner {
  std::int32_t row, column, matrix;
};

PIBENCH_DEVICE Corner corner_of_tile(const GemmArguments& arguments, std::uint32_t tile_m,
                                     std::uint32_t tile_n) {
  const auto height = static_cast<std::int32_t>(tile_m);
  const auto width = static_cast<std::int32_t>(tile_n);
  const TilePlace place = place_of_tile(block_index(), (arguments.m + height - 1) / height,
                                        (arguments.n + width - 1) / width, kTileBand);
  return {place.row * height, place.column * width, place.matrix};
}

// One matrix of a batch: `rows` x `columns`, dense, of elements of `bytes` bytes.
template <std::uint32_t bytes>
struct MatrixView {
  PIBENCH_DEVICE MatrixView(const void* batch, std::int32_t rows_, std::int32_t columns_, std::int32_t matrix)
      : data(static_cast<const std::uint8_t*>(batch) +
             static_cast<std::int64_t>(matrix) * rows_ * columns_ * static_cast<std::int64_t>(bytes)),
        rows(rows_),
        columns(columns_) {}
  const std::uint8_t* data;
  std::int32_t rows, columns;
};

// Up to 16 bytes of a row, element by element: those at `column` and after that exist, the rest zero.
template <std::uint32_t bytes>
PIBENCH_DEVICE Words gather(const std::uint8_t* first, std::int32_t count) {
  Words words{};
  PIBENCH_UNROLL
  for (std::uint32_t i = 0; i < 16 / bytes; ++i) {
    if (static_cast<std::int32_t>(i) >= count) continue;
    if constexpr (bytes == 8) {
      const auto both = reinterpret_cast<const std::uint64_t*>(first)[i];
      const std::size_t at = std::size_t{i} * 2;
      words.word[at] = static_cast<std::uint32_t>(both);
      words.word[at + 1] = static_cast<std::uint32_t>(both >> 32);
    } else if constexpr (bytes == 4) {
      words.word[i] = reinterpret_cast<const std::uint32_t*>(first)[i];
    } else {
      const std::uint32_t element = bytes == 2 ? reinterpret_cast<const std::uint16_t*>(first)[i]
                                               : static_cast<std::uint32_t>(first[i]);
      words.word[i * bytes / 4] |= element << (i * bytes % 4 * 8);
    }
  }
  return words;
}

// Brings a tile of `rows` rows of `row_bytes` bytes to shared memory at `to`: the one that begins at row
// `row` and column `column` of the matrix. All threads of a block of 256 take part. `place(row, chunk)` says
// where 16 bytes of a row go.
template <std::uint32_t rows, std::uint32_t row_bytes, std::uint32_t bytes, bool aligned, typename Place>
PIBENCH_DEVICE void load_tile(const MatrixView<bytes>& view, std::int32_t row, std::int32_t column,
                              std::uint32_t to, const Place& place) {
  constexpr std::uint32_t kThreads = 256;
  constexpr std::uint32_t kChunks = row_bytes / 16;
  constexpr std::uint32_t kPasses = rows * kChunks / kThreads;
  static_assert(rows * kChunks % kThreads == 0);
  PIBENCH_UNROLL
  for (std::uint32_t pass = 0; pass < kPasses; ++pass) {
    const std::uint32_t index = pass * kThreads + thread_index();
    const std::uint32_t in_tile = index / kChunks;
    const std::uint32_t chunk = index % kChunks;
    const std::int32_t at_row = row + static_cast<std::int32_t>(in_tile);
    const std::int32_t at_column = column + static_cast<std::int32_t>(chunk * (16 / bytes));
    const std::int32_t count = at_row < view.rows ? view.columns - at_column : 0;
    // Where nothing exists the address is not read; it names the begin of the matrix so that it is one.
    const std::int64_t element = count > 0 ? static_cast<std::int64_t>(at_row) * view.columns + at_column : 0;
    const std::uint8_t* from = view.data + element * static_cast<std::int64_t>(bytes);
    if constexpr (aligned)
      copy_16_async(to + place(in_tile, chunk), from, count > 0 ? 16 : 0);
    else
      store_shared(to + place(in_tile, chunk), gather<bytes>(from, count));
  }
}

// Walks along k in steps of `depth`, `stages` stages in a ring: while one is multiplied the next are on their
// way. `load(stage, k)` begins to fill a stage, `multiply(stage)` uses it.
template <std::uint32_t stages, std::uint32_t depth, typename Load, typename Multiply>
PIBENCH_DEVICE void run_ring(std::int32_t k, const Load& load, const Multiply& multiply) {
  const std::uint32_t steps = (static_cast<std::uint32_t>(k) + depth - 1) / depth;
  PIBENCH_UNROLL
  for (std::uint32_t step = 0; step < stages - 1; ++step) {
    if (step < steps) load(step, static_cast<std::int32_t>(step * depth));
    commit_copies();
  }
  std::uint32_t used = 0;
  std::uint32_t filled = stages - 1;
  for (std::uint32_t step = 0; step < steps; ++step) {
    wait_for_copies<static_cast<int>(stages) - 2>();
    // Everybody's copies of this stage are there, and everybody has used the stage that is filled next.
    block_barrier();
    const std::uint32_t next = step + stages - 1;
    if (next < steps) load(filled, static_cast<std::int32_t>(next * depth));
    commit_copies();
    multiply(used);
    used = used + 1 == stages ? 0 : used + 1;
    filled = filled + 1 == stages ? 0 : filled + 1;
  }
}

template <typename T>
struct alignas(2 * sizeof(T)) Two {
  T first, second;
};

}  // namespace pibench::kernels::cuda
