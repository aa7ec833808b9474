// Repetitions beside which a thread was off its CPU that should have been at work all the time: known only
// once that thread is back, when the repetition may be over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "loop.h"
#include "workload.h"

namespace pibench {

// Calls each of them disturbed that has a moment in common with an absence. Repetitions follow one another.
inline void disturb(Samples& samples, std::vector<Interval> absences) {
  std::ranges::sort(absences, {}, &Interval::begin);
  std::uint64_t first = 0;
  for (const auto& [begin, end] : absences) {
    // Of later absences none begins before this one, though one may end before.
    while (first < samples.taken && samples.times[first].exit <= begin) ++first;
    for (std::uint64_t i = first; i < samples.taken && samples.times[i].entry < end; ++i)
      samples.disturbed[i] = 1;
  }
}

}  // namespace pibench
