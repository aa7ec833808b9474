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
  const TilePlace place = place_of_tile(block_index(), tiles_along(arguments.m, height),
                                        tiles_along(arguments.n, width), kTileBand);
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

// How k lies in a matrix: along its rows, as in A, or down its columns, as in a B by rows.
enum class Depth : std::uint8_t { along_rows, down_columns };

// What one thread copies of a tile of `rows` rows of `row_bytes` bytes, step after step along k: 16 bytes of
// every kRowStep-th row, or in several places of it. What stays from step to step is worked out once, for it
// would cost more than the copies. All `threads` threads of a block take part.
template <std::uint32_t rows, std::uint32_t row_bytes, std::uint32_t bytes, std::uint32_t threads,
          Depth depth>
class TileLoader {
 public:
  // The tile that begins at row `row` and column `column` is the first.
  PIBENCH_DEVICE TileLoader(const MatrixView<bytes>& view, std::int32_t row, std::int32_t column)
      : columns_(view.columns) {
    const std::int32_t at_row = row + static_cast<std::int32_t>(first_row());
    const std::int32_t at_column = column + static_cast<std::int32_t>(first_chunk() * kElements);
    from_ = view.data + (at_row * static_cast<std::int64_t>(columns_) + at_column) * kBytes;
    there_ = depth == Depth::along_rows ? view.rows - at_row : view.columns - at_column;
  }

  // Brings the tile to `to` in shared memory and goes on to the next; `left` are the elements along k from
  // its begin to the matrix's end. `place(row, chunk)` says where 16 bytes of a row go.
  template <bool aligned, typename Place>
  PIBENCH_DEVICE void load(std::uint32_t to, std::int32_t left, const Place& place) {
    // How many rows of the tile exist, counted from this thread's first or from the tile's, and how many
    // elements of a row from those on that this thread copies; also none and less.
    const std::int32_t height = depth == Depth::along_rows ? there_ : left;
    const std::int32_t width =
        depth == Depth::along_rows ? left - static_cast<std::int32_t>(first_chunk() * kElements) : there_;
    PIBENCH_UNROLL
    for (std::uint32_t below = 0; below < rows; below += kRowStep) {
      const std::uint32_t row = first_row() + below;
      const bool exists = static_cast<std::int32_t>(depth == Depth::along_rows ? below : row) < height;
      PIBENCH_UNROLL
      for (std::uint32_t beside = 0; beside < kChunks; beside += kAcross) {
        const std::int32_t count = exists ? width - static_cast<std::int32_t>(beside * kElements) : 0;
        // Where nothing exists the address may be outside, and nothing is read.
        const std::uint8_t* from =
            from_ + columns_ * (std::int64_t{below} * kBytes) + std::size_t{beside} * 16;
        const std::uint32_t at = to + place(row, first_chunk() + beside);
        if constexpr (aligned)
          copy_16_async(at, from, count > 0 ? 16 : 0);
        else
          store_shared(at, gather<bytes>(from, count));
      }
    }
    from_ += depth == Depth::along_rows ? std::int64_t{row_bytes} : columns_ * (std::int64_t{rows} * kBytes);
  }

 private:
  static constexpr std::uint32_t kElements = 16 / bytes;
  static constexpr auto kBytes = static_cast<std::int64_t>(bytes);
  static constexpr std::uint32_t kChunks = row_bytes / 16;
  // Of a row at once, so that four rows at least are: after so many or twice as many a place begins again.
  static constexpr std::uint32_t kAcross = kChunks * 4 <= threads ? kChunks : threads / 4;
  static constexpr std::uint32_t kRowStep = threads / kAcross;
  static_assert(threads % kAcross == 0 && kChunks % kAcross == 0 && rows % kRowStep == 0);

  PIBENCH_DEVICE static std::uint32_t first_chunk() { return thread_index() % kAcross; }
  PIBENCH_DEVICE static std::uint32_t first_row() { return thread_index() / kAcross; }

  const std::uint8_t* from_;
  std::int32_t columns_;
  std::int32_t there_;  // how many rows exist from this thread's first on, or elements of a row
};

// Walks along k in steps of `depth`, `stages` stages in a ring: while one is multiplied the next are on their
// way. `load(stage, left)` begins to fill a stage, of whose depth `left` or less exists; `begin(stage)` is
// told the first. `multiply(stage, next)` uses one, and calls `next()` once, after its last reading of it:
// that waits until the stage after it is there, and returns it.
template <std::uint32_t stages, std::uint32_t depth, typename Load, typename Begin, typename Multiply>
PIBENCH_DEVICE void run_ring(std::int32_t k, Load&& load, Begin&& begin, Multiply&& multiply) {
  constexpr auto kDepth = static_cast<std::int32_t>(depth);
  // Everybody's copies of the next stage are there, and everybody has read the stage before it.
  const auto wait = [] {
    wait_for_copies<static_cast<int>(stages) - 2>();
    block_barrier();
  };
  PIBENCH_UNROLL
  for (std::uint32_t stage = 0; stage < stages - 1; ++stage) {
    const std::int32_t left = k - static_cast<std::int32_t>(stage) * kDepth;
    if (left > 0) load(stage, left);
    commit_copies();
  }
  wait();
  begin(0U);
  std::uint32_t used = 0;
  std::uint32_t filled = stages - 1;
  for (std::int32_t left = k - static_cast<std::int32_t>(stages - 1) * kDepth;
       left > -static_cast<std::int32_t>(stages - 1) * kDepth; left -= kDepth) {
    if (left > 0) load(filled, left);
    commit_copies();
    filled = used;
    used = used + 1 == stages ? 0 : used + 1;
    multiply(filled, [&] {
      wait();
      return used;
    });
  }
}

template <typename T>
struct alignas(2 * sizeof(T)) Two {
  T first, second;
};

}  // namespace pibench::kernels::cuda
