// What the tiles of AVX-512 ask for ahead of its use. Everything is in an unnamed namespace, as in
// avx512_tile.h.
#pragma once

#include <immintrin.h>

#include "instruction_set.h"

namespace pibench::kernels {
namespace {

constexpr int kWide = 2;  // vectors
constexpr int kNarrow = 1;

// What is far away is asked for a little every few steps of the depth. The core has places for some two dozen
// lines that are on their way to L1; asked for at once, those of a tile of C fill them all, and until they
// come not even L2 can be read. (Measured on Zen 5, C in memory: 26 steps of the depth for each tile.)
constexpr std::int64_t kStepsPerAsk = 4;

// std::min would be a function that other files share.
constexpr std::int64_t lesser(std::int64_t a, std::int64_t b) noexcept { return a < b ? a : b; }

// Calls body(j) for each vector of a row.
template <int vectors, typename Body>
[[gnu::always_inline]] inline void on_vectors(const Body& body) noexcept {
  body(0);
  if constexpr (vectors == kWide) body(1);
}

// What a tile asks for while it computes: into L2, because A and B fill L1 until it is needed.
//   C      the rows of the tile, where they are not near and are not written past the caches
//   asked  the tile's share of the next panel of B
// All of this stays in memory, because the loop over the depth has no registers to spare for what most tiles
// do not need.
template <typename Arithmetic, int vectors>
class Requests {
 public:
  Requests(const Tile& tile, int rows) noexcept
      : c_left_(tile.prefetch_c && !tile.stream_c ? rows : 0),
        b_left_(tile.asks_evenly ? 0 : tile.asked_units) {
    if (!done()) plan(tile, rows);
  }
  [[nodiscard]] bool done() const noexcept { return (c_left_ | b_left_) == 0; }
  void ask() noexcept {
    asm("" : "+m"(*this));
    for (std::int64_t i = lesser(c_at_once_, c_left_); i > 0; --i, --c_left_, c_ += c_step_) ask_for(c_);
    for (std::int64_t i = lesser(b_at_once_, b_left_); i > 0; --i, --b_left_, b_ += b_step_) ask_for(b_);
  }

 private:
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  // So many at a time that the depth suffices: in a shallow tile all.
  [[gnu::noinline]] void plan(const Tile& tile, int rows) noexcept {
    c_ = static_cast<const Result*>(tile.c);
    c_step_ = tile.ldc;
    b_ = static_cast<const Unit*>(tile.asked);
    b_step_ = tile.asked_step / Arithmetic::kUnit;
    const std::int64_t turns = tile.depth / (Arithmetic::kUnit * kStepsPerAsk);
    c_at_once_ = turns >= rows ? 1 : 2 * turns >= rows ? 2 : rows;
    b_at_once_ = b_left_ <= turns ? 1 : b_left_ <= 2 * turns ? 2 : kStepsPerAsk;
  }
  template <typename T>
  static void ask_for(const T* row) noexcept {
    on_vectors<vectors>([&](int j) __attribute__((always_inline)) {
      _mm_prefetch(reinterpret_cast<const char*>(row + j * Arithmetic::kLanes) + kEndOfLine, _MM_HINT_T1);
    });
  }

  std::int64_t c_left_, b_left_;
  const Result* c_;
  std::int64_t c_step_, c_at_once_;
  const Unit* b_;
  std::int64_t b_step_, b_at_once_;
};

}  // namespace
}  // namespace pibench::kernels
