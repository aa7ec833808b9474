// The peak loop of every NEON instruction set. Everything is in an unnamed namespace, as in neon_tile.h.
#pragma once

#include <arm_neon.h>

#include <cstdint>

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

// `step` does a multiply-add on a chain, which holds `start` at first and has to hold `want(iterations)` in
// each lane at the end. Returns the chains' steps, 0 where a sum is wrong.
template <typename Vector, typename Step, typename Element>
[[gnu::always_inline]] inline std::uint64_t run_chains(Vector start, std::uint64_t iterations, Step step,
                                                       Element want) noexcept {
  Vector chains[kChains];
#pragma GCC unroll 24
  for (auto& chain : chains) chain = start;
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 24
    for (auto& chain : chains) {
      chain = step(chain);
      keep(chain);
    }
  }
  bool right = true;
#pragma GCC unroll 24
  for (const Vector chain : chains) {
    Element lanes[sizeof(Vector) / sizeof(Element)];
    __builtin_memcpy(lanes, &chain, sizeof(lanes));
    for (const Element lane : lanes) right = right && lane == want;
  }
  return right ? iterations * kChains : 0;
}

// What an int32 holds to which `step` was added so many times: sums wrap around.
constexpr std::int32_t wrapped_sum(std::uint64_t iterations, std::uint32_t step) noexcept {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(iterations) * step);
}

}  // namespace
}  // namespace pibench::kernels
