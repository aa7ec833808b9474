// What share of its peak a call reaches, from short looks at the two in turns. Where a host gives its CPUs
// more at one moment than at the next, a median over seconds beside the best of some milliseconds says what
// the host did in between; neighbours in time have the same machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock.h"
#include "workload.h"

namespace pibench {

struct TurnPlan {
  Nanoseconds time;  // in all, unless that is less than `least` turns
  std::uint64_t least;
};

// peak() and work() make one look each, about equally long, and return operations per second; of the peak 0
// where its sums were wrong, which ends the looking: then there is no turn. A turn is a look at the work
// between two at the peak, whose mean it is a share of; what counts is the median of the turns.
template <class Peak, class Work>
[[nodiscard]] InTurns share_in_turns(const TurnPlan& plan, Peak&& peak, Work&& work) {
  std::vector<double> shares;
  const Nanoseconds until = now() + plan.time;
  double before = peak();
  while (shares.empty() || shares.size() < plan.least || now() < until) {
    if (!(before > 0)) return {};
    const double rate = work();
    const double after = peak();
    if (!(after > 0)) return {};
    shares.push_back(rate / ((before + after) / 2));
    before = after;
  }
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::nth_element(shares.begin(), middle, shares.end());
  const double below = shares.size() % 2 == 0 ? *std::max_element(shares.begin(), middle) : *middle;
  return {(below + *middle) / 2, shares.size()};
}

}  // namespace pibench
