// A few calls of micro-kernels that are the same for several places in memory: products of one shape, planned
// once. To decide for each product anew would take longer than to compute 16 cubed. For loop_nest.cc alone,
// as blocked_gemm.h is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "instruction_set.h"

namespace pibench::kernels {
namespace {

// A tile and, in bytes, how far from the beginning of each operand it is.
struct TileCall {
  ComputeTile compute;
  Tile tile;
  std::size_t a, b, c;
  bool streams;  // past the caches, where lines of C begin tiles
};

class TileCalls {
 public:
  void add(const TileCall& call) noexcept { calls_.at(count_++) = call; }
  void clear() noexcept { count_ = 0; }

  // All of them. `aligned`: each row of C begins a line.
  void compute(const std::byte* a, const std::byte* b, std::byte* c, bool aligned) noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      TileCall& call = calls_[i];
      call.tile.a = a + call.a;
      call.tile.b = b + call.b;
      call.tile.c = call.tile.target = c + call.c;
      call.tile.stream_c = call.streams && aligned;
      call.compute(call.tile);
    }
  }

 private:
  // More than there are: three runs of strips, of whole tiles and of two pieces of what these leave.
  static constexpr std::size_t kMost = 9;
  std::array<TileCall, kMost> calls_;
  std::size_t count_ = 0;
};

}  // namespace
}  // namespace pibench::kernels
