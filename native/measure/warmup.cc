#include "warmup.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "device_clock.h"
#include "timed_call.h"

namespace pibench {
namespace {

// The automatic rule looks at the series when it has this many calls, and again each time it grew by half.
constexpr std::size_t kFirstLook = 20;
constexpr std::size_t kFirstLookSlow = 4;
// A clock that ramps up and a cache hierarchy that fills take time, however short a call is.
constexpr Nanoseconds kLeastTime = 50'000'000;
// Calls longer than this are looked at one by one instead of in batches of five.
constexpr double kSlowCall = 0.02;
constexpr std::size_t kBatch = 5;

bool is_steady(std::span<const double> series, bool slow) {
  const std::size_t batch = slow ? 1 : kBatch;
  const std::size_t cut = mser_cut(series, batch);
  return cut + batch <= series.size() / 2;
}

}  // namespace

std::size_t mser_cut(std::span<const double> series, std::size_t batch) {
  const std::size_t batches = series.size() / batch;
  if (batches < 2) return 0;
  std::vector<double> means(batches);
  for (std::size_t i = 0; i < batches; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < batch; ++j) sum += series[i * batch + j];
    means[i] = sum / static_cast<double>(batch);
  }
  // Suffix sums, about the last batch mean so that squares do not cancel.
  const double origin = means.back();
  double sum = 0;
  double squares = 0;
  double best = std::numeric_limits<double>::infinity();
  std::size_t best_cut = 0;
  for (std::size_t d = batches; d-- > 0;) {
    const double y = means[d] - origin;
    sum += y;
    squares += y * y;
    const auto rest = static_cast<double>(batches - d);
    if (d > batches / 2) continue;
    const double score = std::max(0.0, squares - sum * sum / rest) / (rest * rest);
    if (score <= best) {
      best = score;
      best_cut = d;
    }
  }
  return best_cut * batch;
}

WarmupJudge::WarmupJudge(const WarmupRule& rule, Nanoseconds begun, Nanoseconds most)
    : rule_(rule), begun_(begun), most_(most), next_look_(kFirstLook) {
  warmup_.seconds.reserve(std::min<std::size_t>(
      kMostWarmupCalls, rule.kind == WarmupKind::count ? rule.count : kMostWarmupCalls));
}

bool WarmupJudge::wants_calls() const noexcept { return rule_.kind != WarmupKind::count || rule_.count > 0; }

std::uint64_t WarmupJudge::wanted(std::uint64_t most) const noexcept {
  if (rule_.kind != WarmupKind::count) return most;
  return std::clamp<std::uint64_t>(rule_.count - warmup_.calls, 1, most);
}

bool WarmupJudge::enough(Nanoseconds entry, Nanoseconds exit, const std::function<bool()>& settled,
                         std::uint64_t calls) {
  warmup_.calls += calls;
  if (warmup_.seconds.size() < kMostWarmupCalls)
    warmup_.seconds.push_back(static_cast<double>(exit - entry) * 1e-9 / static_cast<double>(calls));
  const Nanoseconds spent = exit - begun_;
  switch (rule_.kind) {
    case WarmupKind::count:
      return warmup_.calls >= rule_.count;
    case WarmupKind::time:
      return spent >= rule_.time;
    case WarmupKind::automatic:
      return judge(spent, settled);
  }
  return true;
}

bool WarmupJudge::judge(Nanoseconds spent, const std::function<bool()>& settled) {
  const auto& seconds = warmup_.seconds;
  const bool slow = seconds.back() > kSlowCall;
  if (warmup_.calls == 1 && slow) next_look_ = kFirstLookSlow;
  // Calls so short that no more of them are kept go on until the least time, too.
  const bool full = seconds.size() >= kMostWarmupCalls;
  if ((full || seconds.size() >= next_look_) && spent >= kLeastTime) {
    next_look_ = seconds.size() + std::max<std::size_t>(kFirstLookSlow, seconds.size() / 2);
    warmup_.judged = true;
    warmup_.steady = is_steady(seconds, slow) && settled();
    if (warmup_.steady || full) return true;
  }
  return spent >= most_;
}

namespace {

// What a sample of a device's warm-up lasts at least, where its calls are shorter and share one.
constexpr double kLeastSample = 1e-4;

void warm_up_device(Workload& workload, DeviceClock& device, WarmupJudge& judge, bool one_by_one, bool cold,
                    Nanoseconds deadline, const Control& control) {
  std::vector<Sample> samples(DeviceClock::kMostSamples);
  std::uint64_t most = 1;  // calls of a sample
  bool enough = !judge.wants_calls();
  while (!enough) {
    const std::uint64_t wanted = judge.wanted(most * DeviceClock::kMostSamples);
    const std::uint64_t calls = std::min(most, wanted);
    const std::span<const Sample> group =
        timed_group(workload, device, std::span(samples).first(wanted / calls), calls, cold);
    if (group.empty()) return;
    // What is left of a group after the sample that was enough was made, too, and is not counted.
    for (const auto& [entry, exit] : group)
      enough = enough || judge.enough(
                             entry, exit, [&workload] { return workload.settled(); }, calls);
    if (control.cancel.load(std::memory_order_relaxed) || now() >= deadline) return;
    const double seconds =
        static_cast<double>(group.back().exit - group.back().entry) * 1e-9 / static_cast<double>(calls);
    if (!one_by_one && seconds > 0)
      most = static_cast<std::uint64_t>(std::clamp(kLeastSample / seconds, 1.0, device.most_calls()));
    device.plan(most, seconds);
  }
}

}  // namespace

Warmup warm_up(Workload& workload, const WarmupRule& rule, bool cold, Nanoseconds deadline,
               const Control& control) {
  if (DeviceClock* const device = workload.device_clock()) {
    WarmupJudge judge(rule, now(), kMostDeviceTime);
    warm_up_device(workload, *device, judge, cold || workload.times_each_call(), cold, deadline, control);
    return judge.result();
  }
  WarmupJudge judge(rule, now());
  while (judge.wants_calls()) {
    if (cold) workload.evict();
    const Nanoseconds call = timed_call(workload);
    const Nanoseconds exit = now();
    const std::optional<Timed> timed = workload.measured({exit - call, exit, false});
    if (!timed || judge.enough(timed->entry, timed->exit, [&workload] { return workload.settled(); }) ||
        exit >= deadline || control.cancel.load(std::memory_order_relaxed))
      break;
  }
  return judge.result();
}

}  // namespace pibench
