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
#include "stop_rule.h"
#include "workload.h"

namespace pibench {

struct Sample {
  Nanoseconds entry, exit;
};

// Written by the loop, allocated and touched before it.
struct Samples {
  explicit Samples(std::uint64_t capacity) : times(capacity), disturbed(capacity) {}
  std::vector<Sample> times;
  std::vector<std::uint8_t> disturbed;  // 1 where a measuring thread was taken off its CPU meanwhile
  std::uint64_t taken = 0;
  // Time between what is measured, spent on bringing operands out of the caches, or on new ones.
  Nanoseconds evicting = 0;
  bool cancelled = false;
  bool failed = false;  // the workload says why
  bool out_of_time = false;
};

// Calls per sample, so that the clock's overhead and resolution stay under 0.1 % of a sample: `call_seconds`
// is what one call takes. 1 where that holds by itself, and where each call must be `alone`.
inline std::uint64_t calibrate(double call_seconds, const ClockQuality& clock, bool alone) {
  constexpr double kShare = 0.001;
  constexpr double kMostCalls = 1e6;
  const double needed =
      std::max(clock.overhead_seconds, clock.resolution_seconds) / (kShare * std::max(call_seconds, 1e-9));
  if (alone || needed <= 1) return 1;
  return static_cast<std::uint64_t>(std::min(std::ceil(needed), kMostCalls));
}

template <typename Timer, typename Rendezvous>
void repeat(Workload& workload, Timer& timer, Rendezvous& rendezvous, StopRule& stop, std::uint64_t calls,
            bool cold, Nanoseconds deadline, Control& control, Samples& samples) {
  Team& team = workload.team();
  for (;;) {
    if (cold) {
      const Nanoseconds begin = now();
      workload.evict();
      samples.evicting += now() - begin;
    }
    rendezvous.meet();
    const std::uint64_t disturbances = team.disturbances();
    PreemptionWire::arm();
    const Nanoseconds entry = timer.begin();
    workload.run_calls(calls);
    const Nanoseconds exit = timer.end();
    const bool disturbed = PreemptionWire::tripped() || team.disturbances() != disturbances;

    const std::optional<Timed> timed = workload.measured({entry, exit, disturbed});
    if (!timed) {
      samples.failed = true;
      return;
    }
    const Nanoseconds sample = timed->exit - timed->entry;
    samples.evicting += exit - entry - sample;
    const std::uint64_t i = samples.taken++;
    samples.times[i] = {timed->entry, timed->exit};
    samples.disturbed[i] = static_cast<std::uint8_t>(timed->disturbed);
    control.taken.store(samples.taken, std::memory_order_relaxed);
    if (stop.enough(samples.taken, sample, exit)) return;
    if (control.cancel.load(std::memory_order_relaxed)) {
      samples.cancelled = true;
      return;
    }
    if (exit >= deadline) {
      samples.out_of_time = true;
      return;
    }
  }
}

}  // namespace pibench
