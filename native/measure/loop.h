// The measuring loop: calibrate, repeat, stop. Written once; what varies comes in through Workload, Timer,
// Rendezvous and StopRule.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../threads/preemption.h"
#include "../threads/team.h"
#include "clock.h"
#include "control.h"
#include "sample.h"
#include "stop_rule.h"
#include "workload.h"

namespace pibench {

// Written by the loop, allocated and touched before it.
struct Samples {
  explicit Samples(std::uint64_t capacity) : times(capacity), disturbed(capacity) {}
  std::vector<Sample> times;
  std::vector<std::uint8_t> disturbed;  // 1 where a measuring thread was taken off its CPU meanwhile
  std::uint64_t taken = 0;
  Nanoseconds evicting = 0;  // time between repetitions spent on bringing operands out of the caches
  bool cancelled = false;
  bool out_of_time = false;
  bool failed = false;  // the device did; its clock says why
};

// Calls per sample, so that the clock's overhead and resolution stay under 0.1 % of a sample: `call_seconds`
// is what one call takes. 1 where that holds by itself, and where each call must find cold caches; at most
// `most`.
inline constexpr double kMostCalls = 1e6;
inline std::uint64_t calibrate(double call_seconds, const ClockQuality& clock, bool cold,
                               double most = kMostCalls) {
  constexpr double kShare = 0.001;
  const double needed =
      std::max(clock.overhead_seconds, clock.resolution_seconds) / (kShare * std::max(call_seconds, 1e-9));
  if (cold || needed <= 1) return 1;
  return static_cast<std::uint64_t>(std::min(std::ceil(needed), most));
}

// A timer says how many samples make a group, which it lets run and collects together: 1 on the host.
template <typename Timer, typename Rendezvous>
void repeat(Workload& workload, Timer& timer, Rendezvous& rendezvous, StopRule& stop, std::uint64_t calls,
            bool cold, Nanoseconds deadline, Control& control, Samples& samples) {
  Team& team = workload.team();
  for (;;) {
    const std::uint64_t first = samples.taken;
    const std::uint64_t end = first + timer.group(samples.times.size() - first);
    while (samples.taken < end) {
      if (cold) {
        const Nanoseconds begin = now();
        workload.evict();
        samples.evicting += now() - begin;
      }
      rendezvous.meet();
      const std::uint64_t disturbances = team.disturbances();
      PreemptionWire::arm();
      const Nanoseconds entry = timer.begin();
      for (std::uint64_t call = 0; call < calls; ++call) workload.run();
      const Nanoseconds exit = timer.end();
      const bool disturbed = PreemptionWire::tripped() || team.disturbances() != disturbances;

      const std::uint64_t i = samples.taken++;
      samples.times[i] = {entry, exit};
      samples.disturbed[i] = static_cast<std::uint8_t>(disturbed);
      control.taken.store(samples.taken, std::memory_order_relaxed);
    }
    if (!timer.collect({&samples.times[first], samples.taken - first})) {
      samples.failed = true;
      return;
    }
    for (std::uint64_t i = first; i < samples.taken; ++i) {
      const auto [entry, exit] = samples.times[i];
      if (stop.enough(i + 1, exit - entry, exit)) return;
    }
    if (control.cancel.load(std::memory_order_relaxed)) {
      samples.cancelled = true;
      return;
    }
    if (samples.times[samples.taken - 1].exit >= deadline) {
      samples.out_of_time = true;
      return;
    }
  }
}

}  // namespace pibench
