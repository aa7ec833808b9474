// The element types of the kernels for NVIDIA GPUs, what multiplies them, and the compute capability that a
// kernel needs.
#pragma once

#include <cstdint>

namespace pibench::kernels::cuda {

enum class Element : std::uint32_t { float64, float32, tf32, float16, bfloat16, float8_e4m3, int8, int32 };

constexpr std::uint32_t bytes_of(Element element) {
  switch (element) {
    case Element::float64:
      return 8;
    case Element::float32:
    case Element::tf32:  // a float32 of which the matrix units read 19 bits
    case Element::int32:
      return 4;
    case Element::float16:
    case Element::bfloat16:
      return 2;
    case Element::float8_e4m3:
    case Element::int8:
      return 1;
  }
  return 0;
}

// The compute capability, 10 * major + minor.
struct Target {
  std::uint32_t least;
  bool only;  // this capability and no later one: machine code of an architecture-specific target (sm_90a)
};

constexpr bool runs_on(const Target& target, std::uint32_t capability) {
  return target.only ? capability == target.least : capability >= target.least;
}

// What multiplies: the warpgroup's matrix instruction of Hopper, the warp's, or scalar multiply-adds.
enum class Engine : std::uint8_t { wgmma, mma, scalar };

}  // namespace pibench::kernels::cuda
