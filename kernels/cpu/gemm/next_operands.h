// What the tiles of one product of a batch ask for of the operands of the next one, which come from L3: a
// share each, as they ask for the next panel of B. For loop_nest.cc alone, as blocked_gemm.h is.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "instruction_set.h"
#include "partition.h"

namespace pibench::kernels {
namespace {

// A stretch of memory.
struct Stretch {
  const std::byte* at;
  std::int64_t bytes;
};

class NextOperands {
 public:
  // Nothing.
  NextOperands() = default;
  NextOperands(const Stretch& a, const Stretch& b, std::int64_t tiles)
      : left_{a, b}, share_(ceil_div(a.bytes + b.bytes, tiles)) {}

  [[nodiscard]] bool none() const noexcept { return share_ == 0; }

  // Gives the tile its share. It asks for `columns` packed elements with each unit, or for a line if that is
  // more.
  void ask_by(Tile& tile, std::int64_t columns, const PackOperand& operand, const Packing& packing) noexcept {
    constexpr std::int64_t kLine = 64;
    const auto element = static_cast<std::int64_t>(packing.packed_size);
    const std::int64_t unit = std::max(kLine, columns * operand.unit * element);
    Stretch& from = left_[0].bytes > 0 ? left_[0] : left_[1];
    tile.asked = from.at;
    tile.asked_step = unit / element;
    tile.asked_units = ceil_div(std::min(share_, from.bytes), unit);
    from.at += tile.asked_units * unit;
    from.bytes = std::max<std::int64_t>(0, from.bytes - tile.asked_units * unit);
  }

 private:
  std::array<Stretch, 2> left_{};
  std::int64_t share_ = 0;
};

}  // namespace
}  // namespace pibench::kernels
