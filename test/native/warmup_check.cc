// Warm-up: where the transient is cut off a series, and when the warm-up ends by each rule. Time is the
// check's own.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "../../native/matmul/elements.h"
#include "../../native/measure/device_clock.h"
#include "../../native/measure/warmup.h"
#include "check.h"
#include "fake_clock.h"
#include "fake_workload.h"

namespace {

using pibench::Control;
using pibench::Nanoseconds;
using pibench::Warmup;
using pibench::WarmupKind;
using pibench::WarmupRule;
using pibench::test::Checks;
using pibench::test::fake_now;
using pibench::test::FakeWorkload;

constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();
constexpr Nanoseconds kMillisecond = 1'000'000;

double noise(std::uint64_t stream, std::uint64_t i) { return pibench::matmul::draw_real(stream, i); }

template <typename At>
std::vector<double> series(std::size_t length, const At& at) {
  std::vector<double> values(length);
  for (std::size_t i = 0; i < length; ++i) values[i] = at(static_cast<double>(i), i);
  return values;
}

void cuts_transients(Checks& check) {
  bool right = true;
  std::size_t worst = 0;
  for (std::uint64_t stream = 0; stream < 100; ++stream) {
    const auto values = series(400, [stream](double x, std::size_t i) {
      return 1 + 5 * std::exp(-x / 10) + 0.02 * noise(stream, i);
    });
    const std::size_t cut = pibench::mser_cut(values, 5);
    worst = std::max(worst, cut);
    // At 30 samples the transient is ten times the noise; what MSER cuts beyond is its own estimate.
    right = right && cut >= 30 && cut < 200;
  }
  check.that(right, "a decaying transient is cut off, and less than half of the series with it",
             "the largest cut is " + std::to_string(worst));

  int early = 0;
  for (std::uint64_t stream = 0; stream < 100; ++stream) {
    const auto values = series(400, [stream](double, std::size_t i) { return 1 + 0.02 * noise(stream, i); });
    if (pibench::mser_cut(values, 5) < 200) ++early;
  }
  check.that(early >= 80, "of stationary series nearly all are found steady",
             std::to_string(early) + " of 100");

  const auto step = series(100, [](double x, std::size_t) { return x < 25 ? 2.0 : 1.0; });
  check.equal(pibench::mser_cut(step, 5), std::size_t{25}, "a step is cut off where it is");
  check.equal(pibench::mser_cut(step, 1), std::size_t{25}, "also in batches of one");
}

void finds_no_steady_state(Checks& check) {
  for (const std::size_t length : {20, 100, 1000}) {
    const auto up = series(length, [](double x, std::size_t) { return x; });
    const auto down = series(length, [](double x, std::size_t) { return 1e6 - x; });
    check.equal(pibench::mser_cut(up, 5), length / 2 / 5 * 5,
                "a rising trend of " + std::to_string(length) + " is cut at the half");
    check.equal(pibench::mser_cut(down, 5), length / 2 / 5 * 5,
                "a falling trend of " + std::to_string(length) + " is cut at the half");
  }
}

void stands_small_and_constant_series(Checks& check) {
  const std::vector<double> constant(97, 0.125);
  check.equal(pibench::mser_cut(constant, 5), std::size_t{0}, "a constant series is not cut");
  const std::vector<double> thirds(60, 1.0 / 3.0);
  check.equal(pibench::mser_cut(thirds, 5), std::size_t{0}, "nor one whose mean rounds");
  for (const std::size_t length : {0, 1, 4, 5, 9}) {
    const std::vector<double> few(length, 1.0);
    check.equal(pibench::mser_cut(few, 5), std::size_t{0},
                std::to_string(length) + " samples are too few to cut");
  }
  const std::vector<double> two{9, 1};
  check.that(pibench::mser_cut(two, 1) <= 1, "two samples are cut at the half at most");
}

FakeWorkload takes(Nanoseconds time) {
  return FakeWorkload([time](std::uint64_t) { fake_now += time; });
}

void ends_by_count_and_time(Checks& check) {
  Control control;
  FakeWorkload workload([](std::uint64_t) { fake_now += 2 * kMillisecond; });
  Warmup warmup = pibench::warm_up(workload, {WarmupKind::count, 7, 0}, false, kNever, control);
  check.equal(warmup.calls, std::uint64_t{7}, "a count of calls is kept");
  check.equal(workload.runs, std::uint64_t{7}, "and that many calls are made");
  check.that(warmup.seconds == std::vector<double>(7, 0.002), "each call's seconds are kept");
  check.that(!warmup.judged && !warmup.steady, "nothing is said about what was not judged");
  check.equal(workload.evictions, std::uint64_t{0}, "caches stay warm unless asked");

  warmup = pibench::warm_up(workload, {WarmupKind::count, 0, 0}, false, kNever, control);
  check.that(warmup.calls == 0 && workload.runs == 7, "a count of 0 makes no call");

  warmup = pibench::warm_up(workload, {WarmupKind::time, 0, 9 * kMillisecond}, false, kNever, control);
  check.equal(warmup.calls, std::uint64_t{5}, "a time is over with the call that passes it");

  auto cold = takes(2 * kMillisecond);
  cold.on_evict = [] { fake_now += 100 * kMillisecond; };
  warmup = pibench::warm_up(cold, {WarmupKind::count, 3, 0}, true, kNever, control);
  check.that(cold.evictions == 3 && warmup.seconds == std::vector<double>(3, 0.002),
             "a cold warm-up evicts before each call, outside of its time");

  auto tiny = takes(10);
  warmup =
      pibench::warm_up(tiny, {WarmupKind::count, pibench::kMostWarmupCalls + 10, 0}, false, kNever, control);
  check.that(
      warmup.calls == pibench::kMostWarmupCalls + 10 && warmup.seconds.size() == pibench::kMostWarmupCalls,
      "calls beyond what is kept are made and counted");
}

void ends_when_steady(Checks& check) {
  Control control;
  const WarmupRule automatic{WarmupKind::automatic, 0, 0};
  const auto spent_in = [&](FakeWorkload& workload, Warmup& warmup) {
    const Nanoseconds start = fake_now;
    warmup = pibench::warm_up(workload, automatic, false, kNever, control);
    return fake_now - start;
  };
  Warmup warmup;
  auto constant = takes(kMillisecond);
  Nanoseconds spent = spent_in(constant, warmup);
  check.that(warmup.judged && warmup.steady, "constant times are steady");
  check.equal(spent, 50 * kMillisecond, "but not before 50 ms");

  FakeWorkload settling([](std::uint64_t call) {
    fake_now += static_cast<Nanoseconds>(
        1e6 * (1 + 10 * std::exp(-static_cast<double>(call) / 5) + 0.01 * noise(7, call)));
  });
  spent = spent_in(settling, warmup);
  check.that(warmup.steady, "times that settle become steady");
  check.that(warmup.calls > 30 && spent < 2000 * kMillisecond, "some time after they did",
             std::to_string(warmup.calls) + " calls");

  FakeWorkload rising([](std::uint64_t call) { fake_now += static_cast<Nanoseconds>(call + 1) * 10'000; });
  spent = spent_in(rising, warmup);
  check.that(warmup.judged && !warmup.steady, "times that only rise never are");
  check.that(spent >= 2000 * kMillisecond && spent < 2100 * kMillisecond,
             "and the wait for them ends after 2 s", std::to_string(spent));

  auto slow = takes(100 * kMillisecond);
  static_cast<void>(spent_in(slow, warmup));
  check.that(warmup.steady && warmup.calls == 4, "slow calls are judged one by one, from the fourth on",
             std::to_string(warmup.calls) + " calls");

  auto slower = takes(700 * kMillisecond);
  static_cast<void>(spent_in(slower, warmup));
  check.that(!warmup.judged && warmup.calls == 3,
             "of calls of which too few fit into the time nothing is said",
             std::to_string(warmup.calls) + " calls");

  auto tiny = takes(100);
  spent = spent_in(tiny, warmup);
  check.equal(spent, 50 * kMillisecond, "calls of which not all are kept go on for 50 ms, too");
  check.that(warmup.steady, "and are judged by those that are");
  check.equal(warmup.seconds.size(), pibench::kMostWarmupCalls, "so many of them");
}

void ends_when_told(Checks& check) {
  for (const WarmupKind kind : {WarmupKind::automatic, WarmupKind::count, WarmupKind::time}) {
    const WarmupRule rule{kind, 1000, 10'000 * kMillisecond};
    Control control;
    FakeWorkload cancelling([&control](std::uint64_t call) {
      fake_now += kMillisecond;
      if (call == 2) control.cancel = true;
    });
    Warmup warmup = pibench::warm_up(cancelling, rule, false, kNever, control);
    check.equal(warmup.calls, std::uint64_t{3},
                "cancelling ends the warm-up after the call, rule " + std::to_string(static_cast<int>(kind)));

    Control calm;
    auto workload = takes(kMillisecond);
    warmup = pibench::warm_up(workload, rule, false, fake_now + 5 * kMillisecond, calm);
    check.equal(warmup.calls, std::uint64_t{5},
                "the deadline ends the warm-up, rule " + std::to_string(static_cast<int>(kind)));
    check.that(!warmup.steady, "without a verdict");
  }
}

// A device whose calls take what they take while they are enqueued.
class FakeDevice final : public pibench::DeviceClock {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "fake"; }
  [[nodiscard]] pibench::ClockQuality quality() override { return {}; }
  void plan(std::uint64_t, double call_seconds) noexcept override { planned_ = call_seconds > 0; }
  [[nodiscard]] double most_calls() const noexcept override { return 50; }
  std::uint64_t group(std::uint64_t left) noexcept override {
    ++groups;
    begins_.clear();
    ends_.clear();
    return planned_ ? std::min<std::uint64_t>(left, 8) : 1;
  }
  Nanoseconds begin() noexcept override {
    begins_.push_back(fake_now);
    return 0;
  }
  Nanoseconds end() noexcept override {
    ends_.push_back(fake_now);
    return 0;
  }
  [[nodiscard]] bool collect(std::span<pibench::Sample> samples) noexcept override {
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = {begins_[i], ends_[i]};
    return groups < fails_at;
  }
  [[nodiscard]] std::string failure() const override { return {}; }

  std::uint64_t groups = 0;
  std::uint64_t fails_at = std::numeric_limits<std::uint64_t>::max();

 private:
  bool planned_ = false;
  std::vector<Nanoseconds> begins_, ends_;
};

void loads_a_device_as_the_repetitions_do(Checks& check) {
  Control control;
  const auto warmed = [&](FakeWorkload& workload, FakeDevice& device, const WarmupRule& rule, bool cold) {
    workload.device = &device;
    return pibench::warm_up(workload, rule, cold, kNever, control);
  };
  {
    FakeDevice device;
    auto workload = takes(kMillisecond);
    const Warmup warmup = warmed(workload, device, {WarmupKind::count, 20, 0}, false);
    check.that(workload.runs == 20 && warmup.calls == 20, "a count of calls is kept on a device");
    check.equal(device.groups, std::uint64_t{4}, "after the first call several are made without waiting");
    check.that(warmup.seconds == std::vector<double>(20, 0.001), "each call's seconds are kept there");
  }
  {
    FakeDevice device;
    auto workload = takes(10'000);
    const Warmup warmup = warmed(workload, device, {WarmupKind::time, 0, 20 * kMillisecond}, false);
    check.that(warmup.calls >= 2000 && warmup.calls < 2100, "a time is kept on a device",
               std::to_string(warmup.calls) + " calls");
    check.that(warmup.seconds.size() < 220, "short calls share a sample",
               std::to_string(warmup.seconds.size()) + " samples");
    check.that(warmup.seconds.front() == 1e-5 && std::abs(warmup.seconds.back() - 1e-5) < 1e-12,
               "of which the mean is kept");
  }
  {
    FakeDevice device;
    auto workload = takes(10'000);
    const Warmup warmup = warmed(workload, device, {WarmupKind::count, 1237, 0}, false);
    check.that(workload.runs == 1237 && warmup.calls == 1237, "a count of short calls is kept to the call",
               std::to_string(workload.runs));
    check.that(warmup.seconds.size() < 150, "though they share samples",
               std::to_string(warmup.seconds.size()) + " samples");
  }
  {
    FakeDevice device;
    auto workload = takes(10'000);
    const Warmup warmup = warmed(workload, device, {WarmupKind::time, 0, kMillisecond}, true);
    check.equal(workload.evictions, workload.runs, "a cold warm-up evicts before each call of a device");
    check.equal(warmup.seconds.size(), std::size_t{100}, "each of which is one sample");
  }
  {
    FakeDevice device;
    auto workload = takes(kMillisecond);
    workload.on_settled = [start = fake_now] { return fake_now - start > 3000 * kMillisecond; };
    const Warmup warmup = warmed(workload, device, {WarmupKind::automatic, 0, 0}, false);
    check.that(warmup.steady && warmup.calls >= 3000 && warmup.calls < 5000,
               "steady times are not enough while the device has not come to rest",
               std::to_string(warmup.calls) + " calls");
  }
  {
    FakeDevice device;
    device.fails_at = 3;
    auto workload = takes(kMillisecond);
    static_cast<void>(warmed(workload, device, {WarmupKind::count, 1000, 0}, false));
    check.equal(device.groups, std::uint64_t{3}, "a device that fails ends the warm-up");
  }
}

}  // namespace

int main() {
  Checks check;
  cuts_transients(check);
  finds_no_steady_state(check);
  stands_small_and_constant_series(check);
  ends_by_count_and_time(check);
  ends_when_steady(check);
  ends_when_told(check);
  loads_a_device_as_the_repetitions_do(check);
  return check.finish();
}
