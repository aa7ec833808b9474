// A tile and those beside and below it, by a function that computes one. Everything is in an unnamed
// namespace, as in avx512_tile.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "instruction_set.h"

namespace pibench::kernels {
namespace {

// `compute` is put in once. Only the first tile asks for something of B.
template <int columns, typename Result, typename Compute>
[[gnu::always_inline]] inline void compute_each(const Tile& tile, const Compute& compute) noexcept {
  Tile other;
  const Tile* one = &tile;
  for (std::int64_t strip = 0, panel = 0;;) {
    compute(*one);
    if (panel < tile.more) {
      ++panel;
    } else if (strip < tile.below) {
      ++strip;
      panel = 0;
    } else {
      return;
    }
    if (one == &tile) {
      other = tile;
      other.asked_units = 0;
      one = &other;
    }
    other.a = static_cast<const std::byte*>(tile.a) + strip * tile.a_strip;
    other.b = static_cast<const std::byte*>(tile.b) + panel * tile.b_panel;
    other.c = static_cast<std::byte*>(tile.c) + strip * tile.c_strip +
              panel * columns * std::int64_t{sizeof(Result)};
  }
}

}  // namespace
}  // namespace pibench::kernels
