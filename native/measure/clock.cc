// Measures the clock that measures everything else.
#include "clock.h"

#include <algorithm>
#include <array>
#include <limits>

namespace pibench {

ClockQuality measure_clock() {
  constexpr int kBlocks = 51;
  constexpr int kReadings = 1000;
  std::array<double, kBlocks> cost{};
  Nanoseconds step = std::numeric_limits<Nanoseconds>::max();
  for (double& block : cost) {
    const Nanoseconds begin = now();
    Nanoseconds previous = begin;
    for (int i = 0; i < kReadings; ++i) {
      const Nanoseconds next = now();
      if (next > previous) step = std::min(step, next - previous);
      previous = next;
    }
    block = static_cast<double>(previous - begin) / kReadings;
  }
  std::nth_element(cost.begin(), cost.begin() + kBlocks / 2, cost.end());

  // Where a reading takes longer than the clock's tick, the smallest step seen is the reading and
  // not the tick.
  timespec declared{};
  clock_getres(CLOCK_MONOTONIC, &declared);
  const double declared_ns =
      static_cast<double>(declared.tv_sec) * 1e9 + static_cast<double>(declared.tv_nsec);
  const bool tick_hidden = static_cast<double>(step) <= 2 * cost[kBlocks / 2];
  const double resolution_ns = tick_hidden ? declared_ns : std::max(declared_ns, static_cast<double>(step));
  return {cost[kBlocks / 2] * 1e-9, resolution_ns * 1e-9};
}

}  // namespace pibench
