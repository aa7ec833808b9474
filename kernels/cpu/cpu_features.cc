// x86: CPUID says what the CPU executes; XGETBV says which registers the operating system saves. A vector
// extension is usable only when both agree: a hypervisor or kernel that does not save ZMM registers would
// corrupt results silently.
//
// arm64: the kernel passes both in one, the HWCAP words of the auxiliary vector. The registers of NEON are
// part of the baseline and saved always.
#include "cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#elif defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
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

// Asks the kernel to let this process use tiles; false where it does not, or has never heard of them. Tiles
// are 8 KiB of state that most programs never touch, so Linux keeps room for them only in processes that ask;
// in any other the first tile instruction is a SIGILL. The permission is for all threads, those that already
// run included, and holds to the end of the process. It is asked for here, because nothing that uses tiles is
// chosen before this has answered.
bool may_use_tiles() {
#if defined(__linux__)
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

std::uint32_t detect() {
  constexpr std::uint64_t kYmmState = 0x06;  // XMM and the upper halves of YMM
  constexpr std::uint64_t kZmmState = 0xe6;  // and mask registers, upper halves of ZMM, ZMM16 to ZMM31
  constexpr std::uint64_t kTileState = std::uint64_t{3} << 17U;  // the tiles and their configuration
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return 0;
  const bool os_uses_xsave = has_bit(ecx, 27);
  const bool fma = has_bit(ecx, 12);
  const bool avx = has_bit(ecx, 28);
  if (!os_uses_xsave) return 0;
  const std::uint64_t state = saved_state();
  std::uint32_t further = 0;
  if (__get_cpuid_count(7, 1, &further, &ebx, &ecx, &edx) == 0) further = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) ebx = ecx = edx = 0;

  std::uint32_t found = 0;
  if ((state & kTileState) == kTileState && has_bit(edx, 24) && may_use_tiles()) {
    found |= kCpuAmxTile;
    if (has_bit(edx, 22)) found |= kCpuAmxBf16;
    if (has_bit(edx, 25)) found |= kCpuAmxInt8;
  }
  if ((state & kYmmState) == kYmmState) {
    if (avx) found |= kCpuAvx;
    if (fma) found |= kCpuFma;
    if (has_bit(ebx, 5)) found |= kCpuAvx2;
    if (has_bit(further, 4)) found |= kCpuAvxVnni;
  }
  if ((state & kZmmState) == kZmmState) {
    if (has_bit(ebx, 16)) found |= kCpuAvx512F;
    if (has_bit(ebx, 17)) found |= kCpuAvx512Dq;
    if (has_bit(ebx, 30)) found |= kCpuAvx512Bw;
    if (has_bit(ebx, 31)) found |= kCpuAvx512Vl;
    if (has_bit(ecx, 11)) found |= kCpuAvx512Vnni;
    if (has_bit(further, 5)) found |= kCpuAvx512Bf16;
  }
  return found;
}

CoreKind detect_core_kind() {
  constexpr std::uint32_t kZen5Family = 26;
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0) return CoreKind::kOther;
  if (ebx == signature_INTEL_ebx && edx == signature_INTEL_edx && ecx == signature_INTEL_ecx)
    return CoreKind::kIntel;
  const bool amd = ebx == signature_AMD_ebx && edx == signature_AMD_edx && ecx == signature_AMD_ecx;
  if (!amd || __get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return CoreKind::kOther;
  // The base family in bits 8 to 11; 15 says that the extended one, in bits 20 to 27, is added to it.
  const std::uint32_t base = (eax >> 8U) & 0xfU;
  const std::uint32_t family = base == 0xfU ? base + ((eax >> 20U) & 0xffU) : base;
  return family == kZen5Family ? CoreKind::kZen5 : CoreKind::kOther;
}

#elif defined(__aarch64__)

CoreKind detect_core_kind() { return CoreKind::kOther; }

// Bytes of a vector of SVE; 0 where the kernel does not tell.
int sve_bytes() {
  constexpr int kGetVectorLength = 51;  // PR_SVE_GET_VL
  constexpr int kLengthMask = 0xffff;   // PR_SVE_VL_LEN_MASK
  const int length = prctl(kGetVectorLength, 0, 0, 0, 0);
  return length < 0 ? 0 : length & kLengthMask;
}

// By number, from Linux' asm/hwcap.h: the headers of an older system lack the later names.
std::uint32_t detect() {
  // A Neoverse V1 executes two vectors of 256 bits or four of NEON; an A64FX two of 512 or two of NEON.
  constexpr int kMadeUpFor = 32;
  constexpr unsigned long kHwcapAsimdDp = 1UL << 20U;
  constexpr unsigned long kHwcapSve = 1UL << 22U;
  constexpr unsigned long kHwcap2Sme = 1UL << 23U;
  constexpr unsigned long kHwcap2I8mm = 1UL << 13U;
  constexpr unsigned long kHwcap2Bf16 = 1UL << 14U;
  const unsigned long first = getauxval(AT_HWCAP);
  const unsigned long second = getauxval(AT_HWCAP2);
  std::uint32_t found = 0;
  if ((first & kHwcapAsimdDp) != 0) found |= kCpuDotprod;
  if ((second & kHwcap2I8mm) != 0) found |= kCpuI8mm;
  if ((second & kHwcap2Bf16) != 0) found |= kCpuArmBf16;
  if ((first & kHwcapSve) != 0 && sve_bytes() > kMadeUpFor) found |= kCpuWideSve;
  if ((second & kHwcap2Sme) != 0) found |= kCpuSme;
  return found;
}

#else

std::uint32_t detect() { return 0; }
CoreKind detect_core_kind() { return CoreKind::kOther; }

#endif

}  // namespace

std::uint32_t cpu_features() noexcept {
  static const std::uint32_t found = detect();
  return found;
}

CoreKind core_kind() noexcept {
  static const CoreKind found = detect_core_kind();
  return found;
}

}  // namespace pibench::kernels
