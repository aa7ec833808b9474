#include "frequency.h"

#include <algorithm>
#include <cstdint>

#include "../measure/clock.h"

namespace pibench {

#if defined(__x86_64__) || defined(__aarch64__)
namespace {

#if defined(__x86_64__)
constexpr std::uint64_t kRounds = 8000;
constexpr double kCyclesPerRound = 10 * 3;

void run_chain() noexcept {
  std::uint64_t value = 3;
  std::uint64_t rounds = kRounds;
  asm volatile(
      "1:\n\t"
      "imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\t"
      "imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\t"
      "dec %1\n\t"
      "jnz 1b"
      : "+r"(value), "+r"(rounds)
      :
      : "cc");
}
#else
// Many to a round, so that the loop's own two instructions do not count on cores that execute in order.
constexpr std::uint64_t kRounds = 2000;
constexpr double kCyclesPerRound = 128;

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

}  // namespace

double effective_frequency() noexcept {
  constexpr int kTries = 7;
  Nanoseconds best = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const Nanoseconds begin = now();
    run_chain();
    const Nanoseconds spent = now() - begin;
    best = attempt == 0 ? spent : std::min(best, spent);
  }
  return best > 0 ? kRounds * kCyclesPerRound / (static_cast<double>(best) * 1e-9) : 0;
}
#else
double effective_frequency() noexcept { return 0; }
#endif

}  // namespace pibench
