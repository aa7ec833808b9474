// What the CPU can execute and the operating system saves on a context switch. No dependency.
#pragma once

#include <cstdint>

namespace pibench::kernels {

// Bits of a feature set. An instruction set names the bits that it needs; none of them means "always".
enum CpuFeature : std::uint32_t {
  kCpuAvx2 = 1U << 0U,
  kCpuFma = 1U << 1U,
  kCpuAvx512F = 1U << 2U,
  kCpuAvx512Bw = 1U << 3U,
  kCpuAvx512Vl = 1U << 4U,
  kCpuAvx512Dq = 1U << 5U,
  kCpuAvx512Bf16 = 1U << 6U,
  kCpuAvx512Vnni = 1U << 7U,
};

// The features of this machine, found once. 0 on architectures without an entry here.
std::uint32_t cpu_features() noexcept;

}  // namespace pibench::kernels
