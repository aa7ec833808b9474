// The peak loop of every NEON instruction set. Everything is in an unnamed namespace, as in neon_tile.h.
#pragma once

#include <arm_neon.h>

#include <cstdint>

#include "peak_sums.h"

namespace pibench::kernels {
namespace {

// Independent chains enough for four units of latency 4 or 5, the widest cores with vectors of 128 bits: 20,
// and 24 so that a round divides what a call of the indicator has to do (src/indicators/peak.ts).
constexpr int kChains = 24;

// Tells the compiler that a register changed, so that it neither folds the loop nor moves the register to
// memory.
template <typename Vector>
[[gnu::always_inline]] inline void keep(Vector& value) noexcept {
  asm volatile("" : "+w"(value));
}

// `step` does a multiply-add on a chain, which adds `adds` to each lane. Returns the chains' steps, 0 where a
// sum is wrong.
template <typename Sum, typename Vector, typename Step>
[[gnu::always_inline]] inline std::uint64_t run_chains(std::uint64_t iterations, Step step,
                                                       std::uint32_t adds) noexcept {
  Vector chains[kChains] = {};
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 24
    for (auto& chain : chains) {
      chain = step(chain);
      keep(chain);
    }
  }
  return all_count<Sum>(chains, iterations, adds) ? iterations * kChains : 0;
}

}  // namespace
}  // namespace pibench::kernels
