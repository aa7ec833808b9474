#include "frequency.h"

#include <algorithm>
#include <cstdint>

#include "../measure/clock.h"

namespace pibench {

#if defined(__x86_64__)
double effective_frequency() noexcept {
  constexpr int kTries = 7;
  constexpr std::uint64_t kRounds = 8000;
  constexpr double kCyclesPerRound = 10 * 3;
  Nanoseconds best = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    std::uint64_t value = 3;
    std::uint64_t rounds = kRounds;
    const Nanoseconds begin = now();
    asm volatile(
        "1:\n\t"
        "imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\t"
        "imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\t"
        "dec %1\n\t"
        "jnz 1b"
        : "+r"(value), "+r"(rounds)
        :
        : "cc");
    const Nanoseconds spent = now() - begin;
    best = attempt == 0 ? spent : std::min(best, spent);
  }
  return best > 0 ? kRounds * kCyclesPerRound / (static_cast<double>(best) * 1e-9) : 0;
}
#else
double effective_frequency() noexcept { return 0; }
#endif

}  // namespace pibench
