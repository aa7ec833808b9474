// What the instructions of the model of cuda_model.h are made of: boxes of tensors, numbers from their bits,
// meetings of threads, and what is later than it was asked for.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "../../kernels/cuda/arithmetic.h"
#include "cuda_model.h"

namespace pibench::model {

// What a TensorMap points to here.
struct Tensor {
  std::byte* data;
  std::int64_t extent[3];      // innermost first, in elements
  std::uint32_t inner, outer;  // of the box
  std::uint32_t bytes;         // of an element
};

inline Tensor* tensor_of(const kernels::cuda::TensorMap& map) {
  return std::bit_cast<Tensor*>(static_cast<std::uintptr_t>(map.opaque[0]));
}

// Calls `move(place in shared memory, bytes of the tensor or null, how many bytes)` for each piece of a box:
// 16 bytes, which stay together in shared memory, or an element of those 16 bytes that the tensor ends
// within.
inline void over_box(const Tensor& tensor, std::uint32_t address, std::int32_t x, std::int32_t y,
                     std::int32_t z, const auto& move) {
  if (tensor.inner * tensor.bytes != 128 || address % 1024 != 0)
    throw Failure("a box is not of 128 bytes a row, or not on a multiple of 1 KiB");
  const std::uint32_t together = 16 / tensor.bytes;
  for (std::uint32_t row = 0; row < tensor.outer; ++row) {
    const std::int64_t line = std::int64_t{y} + row;
    const bool there = line >= 0 && z >= 0 && line < tensor.extent[1] && z < tensor.extent[2];
    const std::int64_t begin = (z * tensor.extent[1] + line) * tensor.extent[0];
    const auto piece = [&](std::uint32_t i, std::uint32_t count, bool inside) {
      move(address + kernels::cuda::swizzle_128(row * 128 + i * tensor.bytes),
           inside ? tensor.data + (begin + x + i) * tensor.bytes : nullptr, count * tensor.bytes);
    };
    for (std::uint32_t i = 0; i < tensor.inner; i += together) {
      const std::int64_t first = std::int64_t{x} + i;
      const std::int64_t end = first + together;
      const auto inside = [&](std::int64_t from, std::int64_t to) {
        return there && from >= 0 && to <= tensor.extent[0];
      };
      if (inside(first, end) || !there || end <= 0 || first >= tensor.extent[0]) {
        piece(i, together, inside(first, end));
      } else {
        for (std::uint32_t j = 0; j < together; ++j) piece(i + j, 1, inside(first + j, first + j + 1));
      }
    }
  }
}

// Every small floating-point number by its bits, computed once: a product asks for each many times.
template <int exponent, int fraction>
double small_number(std::uint32_t bits) {
  static const auto numbers = [] {
    std::vector<double> all(std::size_t{1} << (1 + exponent + fraction));
    const int bias = (1 << (exponent - 1)) - 1;
    for (std::uint32_t x = 0; x < all.size(); ++x) {
      const auto power = static_cast<int>(x >> fraction & ((1U << exponent) - 1));
      const double part = std::ldexp(x & ((1U << fraction) - 1), -fraction);
      const double size = power == 0 ? std::ldexp(part, 1 - bias) : std::ldexp(1 + part, power - bias);
      all[x] = (x >> (exponent + fraction) & 1) != 0 ? -size : size;
    }
    return all;
  }();
  return numbers[bits];
}

// Of a size that the compiler knows, so that no function has to be called to copy two bytes.
template <typename T>
T read(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof(value));
  return value;
}

// Values as numbers, from their bits.
inline double number_in(kernels::cuda::Element element, const std::byte* place) {
  using kernels::cuda::Element;
  switch (element) {
    case Element::bfloat16:
      return std::bit_cast<float>(std::uint32_t{read<std::uint16_t>(place)} << 16);
    case Element::float16:
      return small_number<5, 10>(read<std::uint16_t>(place));
    case Element::float8_e4m3:
      return small_number<4, 3>(read<std::uint8_t>(place));
    case Element::tf32:
      return std::bit_cast<float>(read<std::uint32_t>(place) & ~0x1fffU);
    case Element::int8:
      return read<std::int8_t>(place);
    case Element::int32:
      return read<std::int32_t>(place);
    case Element::float64:
      return read<double>(place);
    default:
      return read<float>(place);
  }
}

// All lanes of a warp give something and wait until the last has come, who computes from what all gave.
template <typename Given, typename Compute>
void with_warp(const Given& given, const Compute& compute) {
  Thread& self = device().self();
  Warp& warp = *self.warp;
  warp.given[self.index % 32] = &given;
  const std::uint32_t round = warp.round;
  const std::uint32_t all = std::min<std::uint32_t>(32, device().block_threads());
  if (++warp.here == all) {
    compute([&](std::uint32_t lane) -> const Given& { return *static_cast<const Given*>(warp.given[lane]); },
            all);
    warp.here = 0;
    ++warp.round;
    return;
  }
  device().wait([&warp, round] { return warp.round != round; });
}

inline void meet(Meeting& meeting, std::uint32_t all) {
  const std::uint32_t round = meeting.round;
  if (++meeting.here == all) {
    meeting.here = 0;
    ++meeting.round;
    return;
  }
  device().wait([&meeting, round] { return meeting.round != round; });
}

// Runs the groups but the last `pending`.
inline void finish(std::deque<std::vector<Work>>& groups, std::size_t pending) {
  while (groups.size() > pending) {
    for (const Work& work : groups.front()) work();
    groups.pop_front();
  }
}

inline void commit(std::vector<Work>& begun, std::deque<std::vector<Work>>& groups) {
  groups.push_back(std::move(begun));
  begun.clear();
}

inline void check_clean(std::uint32_t first, std::uint32_t count) {
  // Those of one block lie beside each other, in the order of the blocks.
  const std::uint32_t all = device().block_threads();
  const std::size_t begin = std::size_t{device().self().block->rank} * all;
  for (std::uint32_t index = first; index < std::min(first + count, all); ++index) {
    if (device().threads()[begin + index].dirty)
      throw Failure("an engine may read what thread " + std::to_string(index) + " wrote without a fence");
  }
}

}  // namespace pibench::model
