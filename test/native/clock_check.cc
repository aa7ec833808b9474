// The clock: it goes forwards, and what is said about it can be true. And the CPU's own, from chains of
// instructions.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

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

// What a clock of this step says of readings that take so long each, give or take a nanosecond or two, now
// and then twice as long: a number of steps, rounded to whole nanoseconds.
double step_of(double step, double reading) {
  constexpr int kReadings = 20'000;
  std::mt19937_64 random(1);
  std::normal_distribution<double> jitter(0, step + 1);
  std::vector<pibench::Nanoseconds> readings;
  double moment = 0;
  for (int i = 0; i < kReadings; ++i) {
    readings.push_back(std::llround(std::floor(moment / step) * step));
    const double took = reading * (i % 50 == 0 ? 2 : 1) + jitter(random);
    moment += std::max(took, 1.0);
  }
  std::vector<pibench::Nanoseconds> differences;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    if (readings[i] > readings[i - 1]) differences.push_back(readings[i] - readings[i - 1]);
  }
  return pibench::step_between(differences);
}

void check_steps(pibench::test::Checks& check) {
  constexpr double kRounding = 0.3;
  for (const double step : {10.0, 20.5, 41.7, 100.0}) {
    const double found = step_of(step, 34);
    check.that(std::abs(found - step) < kRounding,
               "a clock in steps of " + std::to_string(step) + " ns is seen to be one",
               std::to_string(found));
  }
  check.equal(step_of(1, 34), 0.0, "one of a nanosecond shows no larger ones");
  check.equal(step_of(0.5, 21), 0.0, "nor does one of less");
  check.equal(pibench::step_between({}), 0.0, "of no readings nothing is told");
  check.equal(pibench::step_between(std::vector<pibench::Nanoseconds>(1000, 30)), 0.0,
              "nor of readings that all take the same");
}

}  // namespace

int main() {
  pibench::test::Checks check;
  check_steps(check);
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
  pibench::test::Checks::inform("the clock's steps: " + std::to_string(clock.resolution_seconds * 1e9) +
                                " ns");
  check_cpu_clock(check);
  return check.finish();
}
