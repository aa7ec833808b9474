// When enough was measured: a rule sees each sample and says so.
#pragma once

#include <algorithm>
#include <cstdint>

#include "clock.h"

namespace pibench {

class StopRule {
 public:
  virtual ~StopRule() = default;
  // `taken` samples so far, the last of which took `sample` and ended at `at`.
  [[nodiscard]] virtual bool enough(std::uint64_t taken, Nanoseconds sample, Nanoseconds at) noexcept = 0;
};

// Exactly so many samples.
class FixedCount final : public StopRule {
 public:
  explicit FixedCount(std::uint64_t count) : count_(count) {}
  bool enough(std::uint64_t taken, Nanoseconds, Nanoseconds) noexcept override { return taken >= count_; }

 private:
  std::uint64_t count_;
};

// What a sample of a budget has to last, in seconds, so that the budget is used up before there are `most`;
// no longer than somebody who cancels had better wait.
inline double least_sample_seconds(double budget_seconds, std::uint64_t most) noexcept {
  constexpr double kLongest = 0.01;
  return std::min(budget_seconds / static_cast<double>(most), kLongest);
}

// As many samples as fit into a time, within limits.
class TimeBudget final : public StopRule {
 public:
  TimeBudget(Nanoseconds budget, std::uint64_t least, std::uint64_t most)
      : budget_(budget), least_(least), most_(most) {}
  bool enough(std::uint64_t taken, Nanoseconds sample, Nanoseconds at) noexcept override {
    if (start_ == 0) start_ = at - sample;
    return taken >= most_ || (taken >= least_ && at - start_ >= budget_);
  }

 private:
  Nanoseconds budget_;
  std::uint64_t least_, most_;
  Nanoseconds start_ = 0;
};

}  // namespace pibench
