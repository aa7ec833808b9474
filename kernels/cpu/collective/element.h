// The element types and operators of a collective. A header of its own, without any include that could emit
// code, because the files that are compiled for one instruction set may include nothing else.
#pragma once

#include <cstdint>

namespace pibench::kernels::collective {

enum class Element : std::uint8_t {
  float32,
  float64,
  bfloat16,
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float8_e4m3
};
inline constexpr int kElements = 11;

// avg divides the sum by the number of ranks; integers are divided towards zero and wrap like unsigned ones.
enum class Redop : std::uint8_t { sum, prod, min, max, avg };
inline constexpr int kRedops = 5;

}  // namespace pibench::kernels::collective
