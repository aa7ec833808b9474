// The measuring loop: calibrate, repeat, stop. Written once; what varies comes in through Workload, Timer,
// Rendezvous and StopRule.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
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
  // Time between what is measured, from the first to the last repetition, spent on bringing operands out of
  // the caches, or on new ones.
  Nanoseconds evicting = 0;
  bool cancelled = false;
  bool failed = false;  // what executes the calls did; the workload, or its clock, says why
  bool out_of_time = false;
};

// Calls per sample, so that the clock's overhead and resolution stay under 0.1 % of a sample: `call_seconds`
// is what one call takes. 1 where that holds by itself, and where each call must be `alone`; at most `most`.
inline constexpr double kMostCalls = 1e6;
inline std::uint64_t calibrate(double call_seconds, const ClockQuality& clock, bool alone,
                               double most = kMostCalls) {
  constexpr double kShare = 0.001;
  const double needed =
      std::max(clock.overhead_seconds, clock.resolution_seconds) / (kShare * std::max(call_seconds, 1e-9));
  if (alone || needed <= 1) return 1;
  return static_cast<std::uint64_t>(std::min(std::ceil(needed), most));
}

// A timer says how many samples make a group, which it lets run and collects together: 1 on the host.
template <typename Timer, typename Rendezvous>
void repeat(Workload& workload, Timer& timer, Rendezvous& rendezvous, StopRule& stop, std::uint64_t calls,
            bool cold, Nanoseconds deadline, Control& control, Samples& samples) {
  Team& team = workload.team();
  // What a repetition did after what is measured of it: it lies between two of them once there is another.
  Nanoseconds after = 0;
  for (;;) {
    const std::uint64_t first = samples.taken;
    const std::uint64_t end = first + timer.group(samples.times.size() - first);
    Nanoseconds last_exit = 0;
    while (samples.taken < end) {
      if (cold) {
        const Nanoseconds begin = now();
        workload.evict();
        if (samples.taken > 0) samples.evicting += now() - begin;
      }
      rendezvous.meet();
      const std::uint64_t disturbances = team.disturbances();
      PreemptionWire::arm();
      const Nanoseconds entry = timer.begin();
      workload.run_calls(calls);
      last_exit = timer.end();
      const bool disturbed = PreemptionWire::tripped() || team.disturbances() != disturbances;

      const std::optional<Timed> timed = workload.measured({entry, last_exit, disturbed});
      if (!timed) {
        samples.failed = true;
        return;
      }
      if (samples.taken > 0) samples.evicting += after + timed->entry - entry;
      after = last_exit - timed->exit;
      const std::uint64_t i = samples.taken++;
      samples.times[i] = {timed->entry, timed->exit};
      samples.disturbed[i] = static_cast<std::uint8_t>(timed->disturbed);
      control.taken.store(samples.taken, std::memory_order_relaxed);
    }
    if (!timer.collect({&samples.times[first], samples.taken - first})) {
      samples.failed = true;
      return;
    }
    // What a repetition did beside what is measured of it ended later than that.
    last_exit = std::max(last_exit, samples.times[samples.taken - 1].exit);
    for (std::uint64_t i = first; i < samples.taken; ++i) {
      const auto [entry, exit] = samples.times[i];
      if (stop.enough(i + 1, exit - entry, i + 1 == samples.taken ? last_exit : exit)) return;
    }
    if (control.cancel.load(std::memory_order_relaxed)) {
      samples.cancelled = true;
      return;
    }
    if (last_exit >= deadline) {
      samples.out_of_time = true;
      return;
    }
  }
}

}  // namespace pibench
