// The host clock: CLOCK_MONOTONIC in nanoseconds, read through the vDSO, and what reading it costs.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace pibench {

using Nanoseconds = std::int64_t;

inline Nanoseconds now() noexcept {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return Nanoseconds{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

struct ClockQuality {
  double overhead_seconds;    // one reading: the median of many back-to-back blocks
  double resolution_seconds;  // the step in which readings differ, at least clock_getres
};

// The step of a clock, in nanoseconds, from how far readings one after the other were apart, with those that
// were the same: they lie around multiples of it, as far as rounding to whole nanoseconds leaves them, with
// nothing between. 0: they do not show it, as those of a clock whose step is a few nanoseconds.
double step_between(std::vector<Nanoseconds> differences);

// Takes about 2 ms, and where the clock's step is longer than that a step. Throws std::runtime_error where it
// stands still.
ClockQuality measure_clock();

// A clock as a record tells of it.
struct NamedClock {
  std::string name;
  ClockQuality quality;
};
// The host's, measured.
NamedClock host_clock();

}  // namespace pibench
