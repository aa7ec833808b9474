// The host clock: CLOCK_MONOTONIC in nanoseconds, read through the vDSO, and what reading it costs.
#pragma once

#include <cstdint>
#include <ctime>

namespace pibench {

using Nanoseconds = std::int64_t;

inline Nanoseconds now() noexcept {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return Nanoseconds{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

struct ClockQuality {
  double overhead_seconds;    // one reading: the median of many back-to-back blocks
  double resolution_seconds;  // the smallest step between two different readings, at least clock_getres
};

// Takes about 2 ms.
ClockQuality measure_clock();

}  // namespace pibench
