// When a workload is warm: a fixed number of calls, a fixed time, or when its times are stationary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "clock.h"
#include "control.h"
#include "workload.h"

namespace pibench {

enum class WarmupKind : std::uint8_t { automatic, count, time };

struct WarmupRule {
  WarmupKind kind = WarmupKind::automatic;
  std::uint64_t count = 0;
  Nanoseconds time = 0;
};

struct Warmup {
  // Each warm-up call, in order, and on a device the calls of each sample, on average; the first
  // kMostWarmupCalls of them.
  std::vector<double> seconds;
  std::uint64_t calls = 0;
  bool judged = false;  // whether stationarity was looked for, which takes some calls within the time
  bool steady = false;  // and found
};

inline constexpr std::size_t kMostWarmupCalls = 100'000;
inline constexpr Nanoseconds kMostTime = 2'000'000'000;
// A device's power comes to rest more slowly than a CPU's caches fill.
inline constexpr Nanoseconds kMostDeviceTime = 8'000'000'000;

// MSER (White, 1997; in batches: Spratt, 1998): where to cut the transient off a series, in samples.
// Minimises sum((y - mean)^2) / (n - d)^2 over the batch means that remain after the first d. Returns the
// cut, at most half the series; a cut at the half means that no steady state was found.
std::size_t mser_cut(std::span<const double> series, std::size_t batch);

// Gets each warm-up call and says whether it was enough. Whoever makes the calls asks: the loop below, or
// JavaScript.
class WarmupJudge {
 public:
  // `begun` is when the first call began; an automatic warm-up ends after `most` at the latest.
  WarmupJudge(const WarmupRule& rule, Nanoseconds begun, Nanoseconds most = kMostTime);
  // False where the rule wants not a single call.
  [[nodiscard]] bool wants_calls() const noexcept;
  // Of `most` calls, how many the rule wants before it is asked again: at least 1.
  [[nodiscard]] std::uint64_t wanted(std::uint64_t most) const noexcept;
  // The next `calls` calls took from `entry` to `exit`. `settled`: whether what executes them has come to
  // rest, which the automatic rule asks where the times have.
  bool enough(
      Nanoseconds entry, Nanoseconds exit, const std::function<bool()>& settled = [] { return true; },
      std::uint64_t calls = 1);
  [[nodiscard]] const Warmup& result() const noexcept { return warmup_; }

 private:
  bool judge(Nanoseconds spent, const std::function<bool()>& settled);

  WarmupRule rule_;
  Nanoseconds begun_, most_;
  std::size_t next_look_;
  Warmup warmup_;
};

// Runs the workload until the rule holds, the deadline passes or somebody cancels.
Warmup warm_up(Workload& workload, const WarmupRule& rule, bool cold, Nanoseconds deadline,
               const Control& control);

}  // namespace pibench
