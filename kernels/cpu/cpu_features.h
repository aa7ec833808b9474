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
  kCpuAmxTile = 1U << 8U,  // also: the kernel lets this process use tiles
  kCpuAmxBf16 = 1U << 9U,
  kCpuAmxInt8 = 1U << 10U,
  kCpuAvxVnni = 1U << 11U,
  kCpuAvx = 1U << 12U,
  // arm64
  kCpuDotprod = 1U << 24U,
  kCpuI8mm = 1U << 25U,
  kCpuArmBf16 = 1U << 26U,
  kCpuWideSve = 1U << 27U,  // SVE with vectors that units of NEON do not make up for
  kCpuSme = 1U << 28U,
};

// The features of this machine, found once. 0 on architectures without an entry here.
std::uint32_t cpu_features() noexcept;

// What pays where differs between cores with the same instructions and like caches. Those with rules of their
// own: of Intel, and AMD's Zen 5 (family 26).
enum class CoreKind : std::uint8_t { kOther, kIntel, kZen5 };

// Of this machine, found once.
CoreKind core_kind() noexcept;

}  // namespace pibench::kernels
