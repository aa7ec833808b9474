#include "frequency.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace pibench {

double clock_of(std::span<const ChainTime> chains) noexcept {
  double highest = 0;
  for (const ChainTime& chain : chains) {
    if (chain.took <= 0) continue;
    highest = std::max(highest, chain.least_cycles / (static_cast<double>(chain.took) * 1e-9));
  }
  return highest;
}

#if defined(__x86_64__) || defined(__aarch64__)
namespace {

// Many to a round, so that the loop's own two instructions do not count on cores that execute in order.
#if defined(__x86_64__)
constexpr std::uint64_t kSumRounds = 500;
constexpr double kCyclesOfSums = kSumRounds * 256;

void run_sums() noexcept {
  std::uint64_t value = 3;
  std::uint64_t rounds = kSumRounds;
  const std::uint64_t other = 5;
  // In turns: two exclusive-ors with the same register would be none.
  asm volatile(
      "1:\n\t"
      ".rept 128\n\t"
      "xor %2, %0\n\t"
      "add %2, %0\n\t"
      ".endr\n\t"
      "dec %1\n\t"
      "jnz 1b"
      : "+r"(value), "+r"(rounds)
      : "r"(other)
      : "cc");
}

constexpr std::uint64_t kProductRounds = 1000;
constexpr double kCyclesOfProducts = kProductRounds * 40 * 3;

void run_products() noexcept {
  std::uint64_t value = 3;
  std::uint64_t rounds = kProductRounds;
  asm volatile(
      "1:\n\t"
      ".rept 40\n\t"
      "imul %0, %0\n\t"
      ".endr\n\t"
      "dec %1\n\t"
      "jnz 1b"
      : "+r"(value), "+r"(rounds)
      :
      : "cc");
}
#else
constexpr std::uint64_t kRounds = 2000;
constexpr double kCycles = kRounds * 128;

void run_chain() noexcept {
  std::uint64_t value = 3;
  std::uint64_t rounds = kRounds;
  const std::uint64_t other = 5;
  asm volatile(
      "1:\n\t"
      ".rept 128\n\t"
      "eor %0, %0, %2\n\t"
      ".endr\n\t"
      "subs %1, %1, #1\n\t"
      "b.ne 1b"
      : "+r"(value), "+r"(rounds)
      : "r"(other)
      : "cc");
}
#endif

// The shortest of some tries, since an interrupt only makes one longer.
ChainTime time_of(void (*run)() noexcept, double least_cycles) noexcept {
  constexpr int kTries = 7;
  Nanoseconds best = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const Nanoseconds begin = now();
    run();
    const Nanoseconds spent = now() - begin;
    best = attempt == 0 ? spent : std::min(best, spent);
  }
  return {.least_cycles = least_cycles, .took = best};
}

}  // namespace

double effective_frequency() noexcept {
#if defined(__x86_64__)
  return clock_of(std::array{time_of(run_sums, kCyclesOfSums), time_of(run_products, kCyclesOfProducts)});
#else
  return clock_of(std::array{time_of(run_chain, kCycles)});
#endif
}
#else
double effective_frequency() noexcept { return 0; }
#endif

}  // namespace pibench
