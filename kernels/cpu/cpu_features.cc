// CPUID says what the CPU executes; XGETBV says which registers the operating system saves. A vector
// extension is usable only when both agree: a hypervisor or kernel that does not save ZMM registers would
// corrupt results silently.
#include "cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace pibench::kernels {
namespace {

#if defined(__x86_64__)

constexpr bool has_bit(std::uint32_t word, unsigned bit) { return ((word >> bit) & 1U) != 0; }

// Extended control register 0. By inline assembly, because the intrinsic needs the file to be compiled for
// XSAVE.
std::uint64_t saved_state() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<std::uint64_t>(high) << 32U) | low;
}

std::uint32_t detect() {
  constexpr std::uint64_t kYmmState = 0x06;  // XMM and the upper halves of YMM
  constexpr std::uint64_t kZmmState = 0xe6;  // and mask registers, upper halves of ZMM, ZMM16 to ZMM31
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return 0;
  const bool os_uses_xsave = has_bit(ecx, 27);
  const bool fma = has_bit(ecx, 12);
  if (!os_uses_xsave) return 0;
  const std::uint64_t state = saved_state();
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return 0;

  std::uint32_t found = 0;
  if ((state & kYmmState) == kYmmState) {
    if (fma) found |= kCpuFma;
    if (has_bit(ebx, 5)) found |= kCpuAvx2;
  }
  if ((state & kZmmState) == kZmmState) {
    if (has_bit(ebx, 16)) found |= kCpuAvx512F;
    if (has_bit(ebx, 17)) found |= kCpuAvx512Dq;
    if (has_bit(ebx, 30)) found |= kCpuAvx512Bw;
    if (has_bit(ebx, 31)) found |= kCpuAvx512Vl;
    if (has_bit(ecx, 11)) found |= kCpuAvx512Vnni;
    if (__get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && has_bit(eax, 5)) found |= kCpuAvx512Bf16;
  }
  return found;
}

#else

std::uint32_t detect() { return 0; }

#endif

}  // namespace

std::uint32_t cpu_features() noexcept {
  static const std::uint32_t found = detect();
  return found;
}

}  // namespace pibench::kernels
