// The measuring loop: calibrate, repeat, stop. Written once; what varies comes in through Workload, Timer,
// Rendezvous and StopRule.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "clock.h"
#include "control.h"
#include "disturbances.h"
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
  // the caches, or on new ones. Not of what is enqueued on a device: its clock has all that the host did
  // between two groups.
  Nanoseconds evicting = 0;
  bool cancelled = false;
  bool failed = false;  // what executes the calls did; the workload, or its clock, says why
  bool out_of_time = false;
};

// Calls per sample, so that the clock's overhead and resolution stay under 0.1 % of a sample: `call_seconds`
// is what one call takes. Where one is shorter than `least_seconds`, so many also that a sample lasts longer,
// with a reserve, for calls may turn out to be faster than the one that is known. 1 where that holds by
// itself, and where each call must be `alone`; at most `most`. What the loop itself adds to samples that
// share readings comes on top: less than another reading (npm run bench).
inline constexpr double kMostCalls = 1e6;
inline std::uint64_t calibrate(double call_seconds, const ClockQuality& clock, bool alone,
                               double least_seconds = 0, double most = kMostCalls) {
  constexpr double kShare = 0.001;
  // The time of a call was taken with a reading of its own.
  const double alone_seconds = std::max(call_seconds - clock.overhead_seconds, 1e-9);
  constexpr double kReserve = 1.25;
  const double for_clock = std::max(clock.overhead_seconds, clock.resolution_seconds) / kShare;
  const double for_budget = alone_seconds < least_seconds ? kReserve * least_seconds : 0;
  const double needed = std::max(for_clock, for_budget) / alone_seconds;
  if (alone || needed <= 1) return 1;
  return static_cast<std::uint64_t>(std::min(std::ceil(needed), most));
}

// A timer says how many samples make a group, which it lets run and collects together: 1 on the host. In an
// `adjacent` series a repetition begins with the reading of the clock that ended the one before.
template <bool adjacent, typename Timer, typename Rendezvous>
void repeat_series(Workload& workload, Timer& timer, Rendezvous& rendezvous, StopRule& stop,
                   std::uint64_t calls, bool cold, Nanoseconds deadline, Control& control, Samples& samples) {
  const bool times_itself = !adjacent && workload.times_itself();
  const bool alike = !cold && !times_itself && !Rendezvous::kTakesTime && workload.calls_alike();
  Disturbances disturbances(workload.team());
  Sample* const times = samples.times.data();
  std::uint64_t taken = 0;
  // What a repetition did after what is measured of it: it lies between two of them once there is another.
  Nanoseconds after = 0;
  Nanoseconds last_exit = 0;
  for (;;) {
    const std::uint64_t first = taken;
    const std::uint64_t left = samples.times.size() - first;
    const std::uint64_t end = first + (alike ? timer.alike_group(left) : timer.group(left));
    if (timer.enqueued()) taken = end;
    while (taken < end) {
      if (!adjacent && cold) {
        const Nanoseconds begin = now();
        workload.evict();
        if (Timer::kTellsAtOnce && taken > 0) samples.evicting += now() - begin;
      }
      Nanoseconds entry = last_exit;
      if (!adjacent || taken == 0) {
        rendezvous.meet();
        disturbances.begin();
        entry = timer.begin();
      }
      workload.run_calls(calls);
      if (adjacent) disturbances.before_shared_reading();
      last_exit = timer.end();
      bool disturbed = disturbances.after_reading();

      Nanoseconds exit = last_exit;
      if (times_itself) {
        const std::optional<Timed> timed = workload.measured({entry, last_exit, disturbed});
        if (!timed) {
          samples.failed = true;
          return;
        }
        if (taken > 0) samples.evicting += after + timed->entry - entry;
        after = last_exit - timed->exit;
        entry = timed->entry;
        exit = timed->exit;
        disturbed = timed->disturbed;
      }
      times[taken] = {entry, exit};
      samples.disturbed[taken] = static_cast<std::uint8_t>(disturbed);
      ++taken;
    }
    samples.taken = taken;
    control.taken.store(taken, std::memory_order_relaxed);
    if constexpr (adjacent) {
      if (stop.enough(taken, last_exit - times[first].entry, last_exit)) return;
    } else {
      if (!timer.collect({times + first, taken - first})) {
        samples.failed = true;
        return;
      }
      // What a repetition did beside what is measured of it ended later than that.
      last_exit = std::max(last_exit, times[taken - 1].exit);
      for (std::uint64_t i = first; i < taken; ++i) {
        const auto [entry, exit] = times[i];
        if (stop.enough(i + 1, exit - entry, i + 1 == taken ? last_exit : exit)) return;
      }
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

// Where nothing has to happen between two repetitions, the series is adjacent: a sample then contains one
// whole reading of the clock, as two readings around it would add, and the few nanoseconds of the loop's own
// stores and questions, which would lie between two samples otherwise.
template <typename Timer, typename Rendezvous>
void repeat(Workload& workload, Timer& timer, Rendezvous& rendezvous, StopRule& stop, std::uint64_t calls,
            bool cold, Nanoseconds deadline, Control& control, Samples& samples) {
  if constexpr (Timer::kTellsAtOnce && !Rendezvous::kTakesTime) {
    if (!cold && !workload.times_itself()) {
      repeat_series<true>(workload, timer, rendezvous, stop, calls, cold, deadline, control, samples);
      return;
    }
  }
  repeat_series<false>(workload, timer, rendezvous, stop, calls, cold, deadline, control, samples);
}

}  // namespace pibench
