// The data types of matmul: what the operands and the result hold, how random elements are
// drawn, how they widen.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "../../kernels/cpu/gemm/gemm.h"
#include "../random.h"

namespace pibench::matmul {

using kernels::DataType;

// Uniform in [-1, 1), 53 bits.
inline double draw_real(std::uint64_t stream, std::uint64_t i) noexcept {
  return static_cast<double>(draw(stream, i) >> 11) * 0x1p-52 - 1.0;
}

struct Bfloat16 {
  std::uint16_t bits;
};

inline double widen(float x) noexcept { return x; }
inline double widen(double x) noexcept { return x; }
inline double widen(Bfloat16 x) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}

// One specialisation per data type. `Wide` is the type in which results are checked; `kUnit` the unit
// roundoff of the accumulation, 0 where it is exact; `poison` a value that no right result has.
template <DataType>
struct Elements;

template <>
struct Elements<DataType::float32> {
  using Operand = float;
  using Result = float;
  using Wide = double;
  static constexpr double kUnit = 0x1p-24;
  static Operand random(std::uint64_t stream, std::uint64_t i) noexcept {
    return static_cast<float>(draw_real(stream, i));
  }
  static Result poison() noexcept { return std::numeric_limits<float>::quiet_NaN(); }
};

template <>
struct Elements<DataType::float64> {
  using Operand = double;
  using Result = double;
  using Wide = long double;
  static constexpr double kUnit = 0x1p-53;
  static Operand random(std::uint64_t stream, std::uint64_t i) noexcept { return draw_real(stream, i); }
  static Result poison() noexcept { return std::numeric_limits<double>::quiet_NaN(); }
};

template <>
struct Elements<DataType::bfloat16> {
  using Operand = Bfloat16;
  using Result = float;
  using Wide = double;
  // Products of two 8-bit significands are exact in float32; only the sums round.
  static constexpr double kUnit = 0x1p-24;
  static Operand random(std::uint64_t stream, std::uint64_t i) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(draw_real(stream, i)));
    return {static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
  }
  static Result poison() noexcept { return std::numeric_limits<float>::quiet_NaN(); }
};

template <>
struct Elements<DataType::int8> {
  using Operand = std::int8_t;
  using Result = std::int32_t;
  using Wide = std::int64_t;
  static constexpr double kUnit = 0;
  // -127 to 127: the products of one row and column stay within int32 up to k = 133,144.
  static Operand random(std::uint64_t stream, std::uint64_t i) noexcept {
    return static_cast<std::int8_t>(static_cast<int>((draw(stream, i) >> 32) % 255) - 127);
  }
  static Result poison() noexcept { return std::numeric_limits<std::int32_t>::min(); }
};

}  // namespace pibench::matmul
