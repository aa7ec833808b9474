// The tile instructions of AMX as the CPU has them, for amx_kernel.h.
//
// In assembly: a compiler's intrinsics take the number of a register as a literal only, which rules out
// templates. No compiler uses tile registers of its own accord, so there is nothing to declare as clobbered
// but memory. In AT&T order, the destination is last and the tile of A before it.
//
// Everything is in an unnamed namespace, as in amx_kernel.h.
#pragma once

#include "amx_kernel.h"

namespace pibench::kernels {
namespace {

struct CpuTiles {
  static void configure(const TileConfig& config) noexcept { asm volatile("ldtilecfg %0" : : "m"(config)); }
  static void release() noexcept { asm volatile("tilerelease"); }

  template <int tile>
  static void zero() noexcept {
    asm volatile("tilezero %%tmm%c0" : : "i"(tile));
  }
  template <int tile>
  static void load(const void* from, std::int64_t stride) noexcept {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(tile) : "memory");
  }
  template <int tile>
  static void store(void* to, std::int64_t stride) noexcept {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(tile) : "memory");
  }
  template <int c, int a, int b>
  static void dot_bfloat16() noexcept {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(c), "i"(a), "i"(b));
  }
  template <int c, int a, int b>
  static void dot_int8() noexcept {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(c), "i"(a), "i"(b));
  }
};

}  // namespace
}  // namespace pibench::kernels
