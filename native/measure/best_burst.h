// The fastest of several equal bursts of work, each long enough that the call around it is small beside it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "clock.h"

namespace pibench {

struct BestBurst {
  Nanoseconds time;     // of the fastest burst
  std::uint64_t count;  // how often each burst did its work
};

struct BurstPlan {
  std::uint64_t first;  // how often the shortest burst does its work
  std::uint64_t most;   // the longest
  int bursts;           // how many of one length are compared
  Nanoseconds least = 1'000'000;
};

// run(count) does the work `count` times and returns how long that took, or nothing where its result was
// wrong, which ends the search with nothing. Whether bursts are long enough is asked of the fastest: one
// alone that took long may only have lost its CPU, and what follows from a few microseconds is the cost of
// the call, not a rate.
template <class Run>
[[nodiscard]] std::optional<BestBurst> best_burst(const BurstPlan& plan, Run&& run) {
  for (std::uint64_t count = plan.first;; count *= 2) {
    const bool longest = count > plan.most / 2;
    std::optional<Nanoseconds> best = run(count);
    if (!best) return std::nullopt;
    if (*best < plan.least && !longest) continue;
    for (int i = 1; i < plan.bursts; ++i) {
      const std::optional<Nanoseconds> time = run(count);
      if (!time) return std::nullopt;
      best = std::min(*best, *time);
    }
    if (*best >= plan.least || longest) return BestBurst{*best, count};
  }
}

}  // namespace pibench
