// The clock: it goes forwards, and what is said about it can be true.
#include "../../native/measure/clock.h"
#include "check.h"

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
  return check.finish();
}
