#include "warmup.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace pibench {
namespace {

// The automatic rule looks at the series when it has this many calls, and again each time it grew by half.
constexpr std::size_t kFirstLook = 20;
constexpr std::size_t kFirstLookSlow = 4;
// A clock that ramps up and a cache hierarchy that fills take time, however short a call is.
constexpr Nanoseconds kLeastTime = 50'000'000;
constexpr Nanoseconds kMostTime = 2'000'000'000;
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

Warmup warm_up(Workload& workload, const WarmupRule& rule, bool cold, Nanoseconds deadline,
               const Control& control) {
  Warmup warmup;
  warmup.judged = rule.kind == WarmupKind::automatic;
  if (rule.kind == WarmupKind::count && rule.count == 0) return warmup;
  warmup.seconds.reserve(std::min<std::size_t>(
      kMostWarmupCalls, rule.kind == WarmupKind::count ? rule.count : kMostWarmupCalls));

  const Nanoseconds start = now();
  std::size_t next_look = kFirstLook;
  for (;;) {
    if (cold) workload.evict();
    const Nanoseconds entry = now();
    workload.run();
    const Nanoseconds exit = now();
    const std::optional<Timed> timed = workload.measured({entry, exit, false});
    if (!timed) return warmup;
    ++warmup.calls;
    if (warmup.seconds.size() < kMostWarmupCalls)
      warmup.seconds.push_back(static_cast<double>(timed->exit - timed->entry) * 1e-9);

    if (exit >= deadline || control.cancel.load(std::memory_order_relaxed)) return warmup;
    const Nanoseconds spent = exit - start;
    switch (rule.kind) {
      case WarmupKind::count:
        if (warmup.calls >= rule.count) return warmup;
        break;
      case WarmupKind::time:
        if (spent >= rule.time) return warmup;
        break;
      case WarmupKind::automatic: {
        const bool slow = warmup.seconds.back() > kSlowCall;
        if (warmup.calls == 1 && slow) next_look = kFirstLookSlow;
        if (warmup.seconds.size() >= next_look && spent >= kLeastTime) {
          next_look =
              warmup.seconds.size() + std::max<std::size_t>(kFirstLookSlow, warmup.seconds.size() / 2);
          warmup.steady = is_steady(warmup.seconds, slow);
          if (warmup.steady) return warmup;
        }
        if (spent >= kMostTime || warmup.seconds.size() >= kMostWarmupCalls) return warmup;
        break;
      }
    }
  }
}

}  // namespace pibench
