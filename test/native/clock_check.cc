// The clock: it goes forwards, and what is said about it can be true. And the CPU's own, from chains of
// instructions.
#include <array>
#include <cmath>

#include "../../native/measure/clock.h"
#include "../../native/telemetry/frequency.h"
#include "check.h"

using pibench::ChainTime;

namespace {

// Of a core at 2 GHz: 1000 cycles are 500 ns.
constexpr double kTwoGigahertz = 2e9;
constexpr ChainTime kSums{.least_cycles = 1000, .took = 500};

bool is_near(double got, double want) { return std::abs(got / want - 1) < 1e-9; }

void check_cpu_clock(pibench::test::Checks& check) {
  using pibench::clock_of;
  constexpr ChainTime kProductsOfThree{.least_cycles = 3000, .took = 1500};
  constexpr ChainTime kProductsOfFive{.least_cycles = 3000, .took = 2500};
  constexpr ChainTime kSumsBesideAnother{.least_cycles = 1000, .took = 700};
  check.that(is_near(clock_of(std::array{kSums, kProductsOfThree}), kTwoGigahertz),
             "chains that agree are the clock");
  check.that(is_near(clock_of(std::array{kSums, kProductsOfFive}), kTwoGigahertz),
             "multiplies of five cycles do not make it read low");
  check.that(is_near(clock_of(std::array{kSumsBesideAnother, kProductsOfThree}), kTwoGigahertz),
             "nor do sums that another hyperthread delays");
  check.equal(clock_of(std::array{ChainTime{.least_cycles = 1000, .took = 0}}), 0.0, "no time is no clock");

  const double clock = pibench::effective_frequency();
#if defined(__x86_64__) || defined(__aarch64__)
  // Any CPU's, and an emulator's: for units, not for speed.
  check.that(clock > 1e6 && clock < 1e11, "this CPU has a clock", std::to_string(clock));
  pibench::test::Checks::inform("effective clock " + std::to_string(clock * 1e-9) + " GHz");
#else
  check.equal(clock, 0.0, "there is no chain for this CPU");
#endif
}

}  // namespace

int main() {
  pibench::test::Checks check;
  constexpr int kReadings = 100'000;
  bool monotone = true;
  const pibench::Nanoseconds first = pibench::now();
  pibench::Nanoseconds last = first;
  for (int i = 0; i < kReadings; ++i) {
    const pibench::Nanoseconds next = pibench::now();
    monotone = monotone && next >= last;
    last = next;
  }
  check.that(monotone, "no reading is before the one before it");
  check.that(last > first, "time passes");

  const pibench::ClockQuality clock = pibench::measure_clock();
  // Six orders of magnitude above what a reading takes: for units, not for speed.
  constexpr double kAbsurd = 0.01;
  check.that(clock.overhead_seconds > 0 && clock.overhead_seconds < kAbsurd, "a reading costs something",
             std::to_string(clock.overhead_seconds));
  check.that(clock.resolution_seconds >= 1e-9 && clock.resolution_seconds < kAbsurd,
             "the resolution is at least a nanosecond", std::to_string(clock.resolution_seconds));
  check_cpu_clock(check);
  return check.finish();
}
