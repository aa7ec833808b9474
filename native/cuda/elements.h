// The element types of products on a GPU, by name, and what a host needs to check them: operands as numbers
// that hold every element exactly, and the unit roundoff of what multiplies.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "../../kernels/cuda/arithmetic.h"
#include "../../kernels/cuda/types.h"

namespace pibench::cuda {

using kernels::cuda::Element;

struct NamedElement {
  Element element;
  const char* name;
};
inline constexpr NamedElement kElements[] = {
    {Element::float64, "float64"}, {Element::float32, "float32"},   {Element::tf32, "tf32"},
    {Element::float16, "float16"}, {Element::bfloat16, "bfloat16"}, {Element::float8_e4m3, "float8_e4m3"},
    {Element::int8, "int8"},
};

// Throws std::invalid_argument.
inline Element element_named(const std::string& name) {
  for (const auto& [element, known] : kElements) {
    if (name == known) return element;
  }
  throw std::invalid_argument("unknown data type " + name);
}
inline std::string name_of(Element element) {
  for (const auto& [known, name] : kElements) {
    if (known == element) return name;
  }
  return "int32";
}

// Of a product: what its sums are made and stored in.
constexpr Element result_of(Element operand) {
  if (operand == Element::float64) return Element::float64;
  return operand == Element::int8 ? Element::int32 : Element::float32;
}

// 2^exponent, of a normal number, without a call for each element.
inline float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(127 + exponent) << 23U);
}

// The number that `exponent` and `fraction` bits of a format with subnormal numbers stand for.
inline float decoded(std::uint32_t bits, int exponent, int fraction) {
  const int bias = (1 << (exponent - 1)) - 1;
  const auto field = static_cast<int>((bits >> fraction) & ((1U << exponent) - 1));
  const float rest = static_cast<float>(bits & ((1U << fraction) - 1)) * power_of_two(-fraction);
  const float size = field == 0 ? rest * power_of_two(1 - bias) : (1 + rest) * power_of_two(field - bias);
  return ((bits >> (exponent + fraction)) & 1U) != 0 ? -size : size;
}

// Element `i` of a stream as the device's fill stores it, as a number.
inline double drawn_number(std::uint64_t stream, std::uint64_t i, Element element,
                           kernels::cuda::Values values, std::uint32_t limit) {
  const double value = kernels::cuda::drawn_value(stream, i, element, values, limit);
  switch (element) {
    case Element::float64:
    case Element::int8:
    case Element::int32:
      return value;
    case Element::bfloat16:
      return std::bit_cast<float>(kernels::cuda::bits_in(element, value) << 16U);
    case Element::float16:
      return decoded(kernels::cuda::bits_in(element, value), 5, 10);
    case Element::float8_e4m3:
      return decoded(kernels::cuda::bits_in(element, value), 4, 3);
    case Element::float32:
    case Element::tf32:
      return std::bit_cast<float>(kernels::cuda::bits_in(element, value));
  }
  return value;
}

// Kinds of arithmetic to check results against, as native/matmul/elements.h has them for the CPU. Operands as
// float hold every type exactly but float64.
//
// Matrix units drop what lies below their accumulator instead of rounding: one bit less than float32. Those
// of Hopper keep some 14 bits of a sum of float8 products (seen by DeepSeek-AI, arXiv 2412.19437,
// section 3.5.2). What they drop is always towards zero, so that errors do not cancel: of a sum that wanders
// they grow with the root of its length. Simulated, 2000 sums of k products each, added four at a time to 24
// bits (as few as any unit adds, Fasi, Higham, Mikaitis & Pranesh, PeerJ Computer Science 7:e330, 2021): the
// largest error is 0.71 of the limit for rounding at k = 4096, 1.2 at 8192 and 3.3 at 65536, which is 0.33 to
// 0.42 of that limit times sqrt(k) / 32.
template <typename OperandType, typename ResultType, typename WideType, int unit_exponent, bool drops = false>
struct Arithmetic {
  using Operand = OperandType;
  using Result = ResultType;
  using Wide = WideType;
  static constexpr double kUnit = unit_exponent == 0 ? 0 : 1.0 / static_cast<double>(1ULL << -unit_exponent);
  static constexpr bool kDrops = drops;  // what does not fit into a sum, instead of rounding it
};
using InFloat64 = Arithmetic<double, double, long double, -53>;
using InFloat32 = Arithmetic<float, float, double, -24>;
using InMatrixUnits = Arithmetic<float, float, double, -23, true>;
using InFloat8Units = Arithmetic<float, float, double, -13, true>;
using InInt32 = Arithmetic<std::int8_t, std::int32_t, std::int64_t, 0>;
// Whole numbers in whatever type, whose sums are exact: compared bit for bit.
using InIntegers = Arithmetic<std::int8_t, std::int64_t, std::int64_t, 0>;

// The largest whole number to draw, so that every sum of `k` products is exact in the accumulator.
inline std::uint32_t integer_limit(Element element, std::int64_t k) {
  constexpr double kFloat32Exact = 1 << 22;
  switch (element) {
    case Element::float64:
    case Element::int8:
      return 127;
    case Element::float8_e4m3:
      return 1;
    default: {
      const double most = std::floor(std::sqrt(kFloat32Exact / static_cast<double>(k)));
      return most < 1 ? 1 : most > 127 ? 127 : static_cast<std::uint32_t>(most);
    }
  }
}

}  // namespace pibench::cuda
