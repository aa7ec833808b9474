// The clock: it goes forwards, and what is said about it can be true. And the CPU's own, from chains of
// instructions.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <utility>
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

// What a clock of this step says of readings that take so long each, with this scatter.
double step_of(double step, double reading, double scatter) {
  constexpr int kReadings = 20'000;
  std::mt19937_64 random(1);
  std::normal_distribution<double> jitter(0, scatter);
  std::vector<pibench::Nanoseconds> differences;
  double moment = 0;
  pibench::Nanoseconds last = 0;
  for (int i = 0; i < kReadings; ++i) {
    moment += std::max(reading + jitter(random), 1.0);
    const pibench::Nanoseconds next = std::llround(std::floor(std::floor(moment / step) * step));
    if (i > 0) differences.push_back(next - last);
    last = next;
  }
  return pibench::step_between(differences);
}

// So many differences of each length.
using Counted = std::vector<std::pair<pibench::Nanoseconds, int>>;
double step_in(const Counted& counted) {
  std::vector<pibench::Nanoseconds> differences;
  for (const auto& [length, count] : counted) differences.insert(differences.end(), count, length);
  return pibench::step_between(differences);
}

void check_steps(pibench::test::Checks& check) {
  constexpr double kRounding = 0.3;
  for (const double scatter : {1.0, 5.0}) {
    for (const auto& [step, reading] :
         {std::pair{10.0, 25.0}, std::pair{10.0, 34.0}, std::pair{20.5, 34.0}, std::pair{40.0, 25.0},
          std::pair{40.0, 30.0}, std::pair{40.0, 50.0}, std::pair{41.7, 45.0}, std::pair{100.0, 34.0},
          std::pair{100.0, 120.0}}) {
      const double found = step_of(step, reading, scatter);
      check.that(std::abs(found - step) < kRounding,
                 "a clock in steps of " + std::to_string(step) + " ns is seen to be one, readings of " +
                     std::to_string(reading) + " ns",
                 std::to_string(found));
    }
    check.equal(step_of(1, 34, scatter), 0.0, "one of a nanosecond shows no larger ones");
    check.equal(step_of(0.5, 21, scatter), 0.0, "nor does one of less");
  }
  // Ways of reading that are slow now and then are no steps.
  check.equal(step_in({{19, 6000}, {20, 7900}, {21, 6000}, {27, 12}, {34, 11}}), 0.0, "seldom ones");
  check.equal(step_in({{19, 6000}, {20, 7900}, {21, 6000}, {25, 12}, {29, 40}, {36, 11}}), 0.0, "several");
  check.equal(step_in({{20, 9000}, {21, 9000}, {45, 490}, {46, 490}, {70, 18}, {71, 17}}), 0.0,
              "those at one distance that is no multiple");
  check.equal(step_in({{20, 19'900}, {40, 90}}), 0.0, "twice as long, seldom");
  check.equal(step_in({}), 0.0, "of no readings nothing is told");
  check.equal(step_in({{30, 1000}}), 0.0, "nor of readings that all take the same");
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
