// The measuring loop: how many samples, what is inside of them, and when it stops. Time is the check's own.
#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "../../native/measure/loop.h"
#include "../../native/measure/rendezvous.h"
#include "../../native/measure/timer.h"
#include "check.h"
#include "fake_clock.h"
#include "fake_workload.h"

namespace {

using pibench::Control;
using pibench::Nanoseconds;
using pibench::Samples;
using pibench::test::Checks;
using pibench::test::fake_now;
using pibench::test::FakeWorkload;

constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();
constexpr Nanoseconds kMillisecond = 1'000'000;
constexpr Nanoseconds kRun = 100'000;

void take_time(std::uint64_t /*call*/) { fake_now += kRun; }

// Counts the meetings, each of which takes time that no sample may contain.
struct SlowRendezvous {
  int meetings = 0;
  void meet() noexcept {
    ++meetings;
    fake_now += 7 * kMillisecond;
  }
};

struct Given {
  std::uint64_t calls = 1;
  bool cold = false;
  Nanoseconds deadline = kNever;
};

Samples measure(FakeWorkload& workload, pibench::StopRule& stop, Control& control, const Given& given = {}) {
  constexpr std::uint64_t kCapacity = 1000;
  Samples samples(kCapacity);
  pibench::HostTimer timer;
  pibench::SoloRendezvous rendezvous;
  pibench::repeat(workload, timer, rendezvous, stop, given.calls, given.cold, given.deadline, control,
                  samples);
  return samples;
}

// Whether each of the samples taken is exactly `time` long.
bool all_take(const Samples& samples, Nanoseconds time) {
  const auto end = samples.times.begin() + static_cast<std::ptrdiff_t>(samples.taken);
  return std::all_of(samples.times.begin(), end,
                     [time](const pibench::Sample& sample) { return sample.exit - sample.entry == time; });
}

void takes_the_count(Checks& check) {
  for (const std::uint64_t count : {1U, 2U, 1000U}) {
    Control control;
    FakeWorkload workload(take_time);
    pibench::FixedCount stop(count);
    const Samples samples = measure(workload, stop, control);
    check.equal(samples.taken, count, "exactly the count of samples");
    check.that(workload.runs == count && workload.evictions == 0, "with one call each");
    check.that(all_take(samples, kRun), "each as long as its call");
    check.that(!samples.cancelled && !samples.out_of_time, "and nothing cut it short");
    check.equal(control.taken.load(), count, "the onlooker sees the count");
  }
  Control control;
  FakeWorkload workload(take_time);
  pibench::FixedCount stop(10);
  const Samples samples = measure(workload, stop, control, {.calls = 25});
  check.that(samples.taken == 10 && workload.runs == 250 && all_take(samples, 25 * kRun),
             "a sample of 25 calls contains 25 calls");
}

void keeps_other_work_out(Checks& check) {
  Control control;
  FakeWorkload workload(take_time);
  workload.on_evict = [] { fake_now += 2 * kMillisecond; };
  pibench::FixedCount stop(50);
  Samples samples(50);
  pibench::HostTimer timer;
  SlowRendezvous rendezvous;
  pibench::repeat(workload, timer, rendezvous, stop, 1, true, kNever, control, samples);
  check.equal(workload.evictions, std::uint64_t{50}, "cold: one eviction before each repetition");
  check.equal(rendezvous.meetings, 50, "one meeting before each repetition");
  check.that(all_take(samples, kRun), "neither is inside the timed region");
  check.equal(samples.evicting, Nanoseconds{49} * 2 * kMillisecond,
              "and the time of the evictions between repetitions is known");
}

// A repetition that prepares and checks beside what is measured of it: of the wall clock, which begins and
// ends with what is measured, only that between repetitions is taken off.
void keeps_preparation_out(Checks& check) {
  Control control;
  FakeWorkload workload([](std::uint64_t) { fake_now += 5 * kRun; });
  workload.before = 3 * kRun;
  workload.after = kRun;
  pibench::FixedCount stop(10);
  Samples samples(10);
  pibench::HostTimer timer;
  pibench::SoloRendezvous rendezvous;
  pibench::repeat(workload, timer, rendezvous, stop, 1, false, kNever, control, samples);
  check.that(all_take(samples, kRun), "only what the workload says is measured");
  check.equal(samples.evicting, Nanoseconds{9} * 4 * kRun,
              "what it does beside is known between repetitions");
  const Nanoseconds wall = samples.times[samples.taken - 1].exit - samples.times[0].entry;
  check.equal(wall - samples.evicting, Nanoseconds{10} * kRun,
              "and nothing else is taken off the wall clock");
}

void stops_at_the_budget(Checks& check) {
  const auto taken_in = [](Nanoseconds budget, std::uint64_t least, std::uint64_t most) {
    Control control;
    FakeWorkload workload(take_time);
    pibench::TimeBudget stop(budget, least, most);
    return measure(workload, stop, control).taken;
  };
  check.equal(taken_in(100 * kRun, 1, 1000), std::uint64_t{100}, "as many samples as fill the budget");
  check.equal(taken_in(100 * kRun + 1, 1, 1000), std::uint64_t{101}, "the last one may pass it");
  check.equal(taken_in(10 * kRun, 30, 1000), std::uint64_t{30}, "at least `least`");
  check.equal(taken_in(100 * kRun, 1, 40), std::uint64_t{40}, "at most `most`");
  check.equal(taken_in(0, 1, 40), std::uint64_t{1}, "a budget of nothing still takes one");

  Control control;
  FakeWorkload workload(take_time);
  workload.on_evict = [] { fake_now += 9 * kRun; };
  pibench::TimeBudget stop(100 * kRun, 1, 1000);
  check.equal(measure(workload, stop, control, {.cold = true}).taken, std::uint64_t{11},
              "the budget is of wall time: evictions count");
}

void stops_when_told(Checks& check) {
  {
    Control control;
    FakeWorkload workload(take_time);
    pibench::FixedCount stop(1000);
    const Samples samples = measure(workload, stop, control, {.deadline = fake_now + 20 * kRun});
    check.that(samples.out_of_time && !samples.cancelled, "the deadline stops it and is told");
    check.equal(samples.taken, std::uint64_t{20}, "after the sample that reached it, which is kept");
  }
  {
    Control control;
    FakeWorkload workload(take_time);
    pibench::FixedCount stop(1000);
    const Samples samples = measure(workload, stop, control, {.deadline = 0});
    check.that(samples.out_of_time && samples.taken == 1, "a deadline that has passed leaves one sample");
  }
  {
    Control control;
    FakeWorkload workload([&control](std::uint64_t call) {
      fake_now += kRun;
      if (call == 12) control.cancel = true;
    });
    pibench::FixedCount stop(1000);
    const Samples samples = measure(workload, stop, control);
    check.that(samples.cancelled && !samples.out_of_time, "cancelling stops it and is told");
    check.equal(samples.taken, std::uint64_t{13}, "after the sample in which it happened");
  }
  {
    Control control;
    control.cancel = true;
    FakeWorkload workload(take_time);
    pibench::FixedCount stop(1);
    const Samples samples = measure(workload, stop, control, {.deadline = 0});
    check.that(!samples.cancelled && !samples.out_of_time, "what was complete anyway was not cut short");
  }
}

void flags_disturbed_samples(Checks& check) {
  constexpr std::uint64_t kSleeping = 3;
  Control control;
  FakeWorkload workload([](std::uint64_t call) {
    fake_now += kRun;
    if (call == kSleeping) std::this_thread::sleep_for(std::chrono::milliseconds{2});
  });
  pibench::FixedCount stop(200);
  const Samples samples = measure(workload, stop, control);
  const auto disturbed = std::count(samples.disturbed.begin(), samples.disturbed.end(), 1);
  if (!pibench::PreemptionWire::available()) {
    check.equal(disturbed, std::ptrdiff_t{0}, "without a trip wire nothing is flagged");
    return;
  }
  check.that(samples.disturbed[kSleeping] == 1, "a repetition during which the thread slept is flagged");
  check.that(disturbed < 100, "and most of the others are not", std::to_string(disturbed) + " of 200");
}

void calibrates(Checks& check) {
  // 30 ns are 0.1 % of 30 us.
  const pibench::ClockQuality clock{30e-9, 1e-9};
  check.equal(pibench::calibrate(30e-6, clock, false), std::uint64_t{1},
              "a call that is long enough is a sample");
  check.equal(pibench::calibrate(1, clock, false), std::uint64_t{1}, "so is a longer one");
  check.equal(pibench::calibrate(2e-6, clock, false), std::uint64_t{15}, "a shorter one is repeated");
  check.equal(pibench::calibrate(2e-6, clock, true), std::uint64_t{1}, "but not with cold caches");
  check.equal(pibench::calibrate(2e-6, {1e-9, 30e-9}, false), std::uint64_t{15},
              "the resolution counts like the overhead");
  const std::uint64_t shortest = pibench::calibrate(1e-9, clock, false);
  check.that(shortest >= 29'999 && shortest <= 30'001, "a call of a nanosecond", std::to_string(shortest));
  check.equal(pibench::calibrate(0, clock, false), shortest,
              "a call of no time is taken for one of a nanosecond");
  check.equal(pibench::calibrate(0, {1, 1}, false), std::uint64_t{1'000'000}, "there is an end to it");
}

}  // namespace

int main() {
  Checks check;
  takes_the_count(check);
  keeps_other_work_out(check);
  keeps_preparation_out(check);
  stops_at_the_budget(check);
  stops_when_told(check);
  flags_disturbed_samples(check);
  calibrates(check);
  return check.finish();
}
