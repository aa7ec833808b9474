// The measuring loop: how many samples, what is inside of them, and when it stops. Time is the check's own.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <span>
#include <thread>
#include <vector>

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
using pibench::test::on_reading;
using pibench::test::readings;

constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();
constexpr Nanoseconds kMillisecond = 1'000'000;
constexpr Nanoseconds kRun = 100'000;

void take_time(std::uint64_t /*call*/) { fake_now += kRun; }

// Counts the meetings, each of which takes time that no sample may contain.
struct SlowRendezvous {
  static constexpr bool kTakesTime = true;
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

// Takes time to decide: between the readings of the clock, and in no call.
class SlowRule final : public pibench::StopRule {
 public:
  static constexpr Nanoseconds kTime = 40;
  [[nodiscard]] bool enough(std::uint64_t taken, Nanoseconds /*sample*/,
                            Nanoseconds /*at*/) noexcept override {
    fake_now += kTime;
    return taken >= 50;
  }
};

void repeats_back_to_back(Checks& check) {
  Control control;
  FakeWorkload workload(take_time);
  SlowRule stop;
  const std::uint64_t before = readings;
  const Samples samples = measure(workload, stop, control);
  check.equal(readings - before, std::uint64_t{51}, "one reading of the clock a repetition, and one before");
  bool adjacent = true;
  bool complete = samples.times[0].exit - samples.times[0].entry == kRun;
  for (std::size_t i = 1; i < samples.taken; ++i) {
    const auto [entry, exit] = samples.times[i];
    adjacent = adjacent && entry == samples.times[i - 1].exit;
    complete = complete && exit - entry == SlowRule::kTime + kRun;
  }
  check.that(adjacent, "each repetition begins where the one before ended");
  check.that(complete, "so that nothing of the time is in none of them");
}

// What lies between two repetitions belongs to neither.
void keeps_its_own_work_out(Checks& check) {
  const auto all_take_a_run = [](FakeWorkload& workload, auto rendezvous, bool cold) {
    Control control;
    SlowRule stop;
    Samples samples(50);
    pibench::HostTimer timer;
    pibench::repeat(workload, timer, rendezvous, stop, 1, cold, kNever, control, samples);
    return samples.taken == 50 && all_take(samples, kRun);
  };
  FakeWorkload workload(take_time);
  check.that(all_take_a_run(workload, SlowRendezvous{}, false),
             "a repetition for which ranks meet begins after that");
  check.that(all_take_a_run(workload, pibench::SoloRendezvous{}, true),
             "one with cold caches after eviction");
  FakeWorkload preparing([](std::uint64_t) { fake_now += 2 * kRun; });
  preparing.before = kRun;
  check.that(all_take_a_run(preparing, pibench::SoloRendezvous{}, false),
             "and one of a workload that times itself when that says so");
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

// Of a device: groups of five, whose calls take no time of the host and each a run of the device.
struct GroupTimer {
  static constexpr bool kTellsAtOnce = false;
  Nanoseconds between = 0;  // that it stood still from the end of one group to the beginning of the next
  Nanoseconds ended = 0;
  static std::uint64_t group(std::uint64_t left) noexcept { return std::min<std::uint64_t>(left, 5); }
  static std::uint64_t alike_group(std::uint64_t left) noexcept { return group(left); }
  static bool enqueued() noexcept { return false; }
  static Nanoseconds begin() noexcept { return 0; }
  static Nanoseconds end() noexcept { return 0; }
  bool collect(std::span<pibench::Sample> samples) noexcept {
    if (ended > 0) between += fake_now - ended;
    for (auto& [entry, exit] : samples) {
      entry = fake_now;
      fake_now += kRun;
      exit = fake_now;
    }
    ended = fake_now;
    return true;
  }
};

void counts_what_a_device_waits_once(Checks& check) {
  Control control;
  FakeWorkload workload;
  workload.on_evict = [] { fake_now += 2 * kMillisecond; };
  pibench::FixedCount stop(20);
  Samples samples(20);
  GroupTimer timer;
  pibench::SoloRendezvous rendezvous;
  pibench::repeat(workload, timer, rendezvous, stop, 1, true, kNever, control, samples);
  check.that(all_take(samples, kRun) && timer.between == 15 * 2 * kMillisecond,
             "a device stands still while what takes turns is enqueued for its next group");
  const Nanoseconds wall = samples.times[samples.taken - 1].exit - samples.times[0].entry;
  check.equal(wall - timer.between - samples.evicting, Nanoseconds{20} * kRun,
              "which is taken off the wall clock once");
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

// How often the calling thread has left its CPU.
long switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

// A sleep may be over before it begins, where a host stops this machine just then.
void lose_cpu() {
  const long before = switches();
  do std::this_thread::sleep_for(std::chrono::microseconds{100});
  while (switches() == before);
}

void flags_disturbed_samples(Checks& check) {
  constexpr std::uint64_t kSleeping = 3;
  Control control;
  FakeWorkload workload([](std::uint64_t call) {
    fake_now += kRun;
    if (call == kSleeping) lose_cpu();
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

// Which of four repetitions are flagged when the thread loses its CPU once, in a call or while the clock is
// read. Others than are expected may be flagged because somebody else wants this CPU: the fewest of some
// tries, and of more of them for as long as it is more than `expected`.
std::vector<std::uint8_t> fewest_flagged(std::optional<std::uint64_t> in_call,
                                         std::optional<std::uint64_t> in_reading, std::ptrdiff_t expected) {
  constexpr int kTries = 50;
  constexpr int kMostTries = 20'000;
  std::vector<std::uint8_t> fewest(4, 1);
  for (int i = 0; i < kTries || (i < kMostTries && std::ranges::count(fewest, 1) > expected); ++i) {
    Control control;
    FakeWorkload workload([&](std::uint64_t call) {
      fake_now += kRun;
      if (call == in_call) lose_cpu();
    });
    const std::uint64_t before = readings;
    on_reading = [&](std::uint64_t reading) {
      if (reading - before == in_reading) lose_cpu();
    };
    pibench::FixedCount stop(4);
    Samples samples = measure(workload, stop, control);
    on_reading = [](std::uint64_t) {};
    samples.disturbed.resize(4);
    if (std::ranges::count(samples.disturbed, 1) < std::ranges::count(fewest, 1)) fewest = samples.disturbed;
  }
  return fewest;
}

void flags_what_contains_it(Checks& check) {
  if (!pibench::PreemptionWire::available()) return;
  using Flags = std::vector<std::uint8_t>;
  const auto flags = [&](std::optional<std::uint64_t> in_call, std::optional<std::uint64_t> in_reading,
                         const Flags& expected, const char* what) {
    const Flags fewest = fewest_flagged(in_call, in_reading, std::ranges::count(expected, 1));
    std::string got;
    for (const std::uint8_t one : fewest) got += one != 0 ? '1' : '0';
    check.that(fewest == expected, what, "flagged: " + got);
  };
  flags(std::nullopt, std::nullopt, {0, 0, 0, 0}, "nothing happened: none flagged");
  flags(1, std::nullopt, {0, 1, 0, 0}, "what happens in a call is that one's alone");
  flags(std::nullopt, 0, {1, 0, 0, 0}, "what happens while the first reading is made is the first one's");
  flags(std::nullopt, 2, {0, 1, 1, 0},
        "while a reading is made between two repetitions it is both of theirs");
  flags(std::nullopt, 4, {0, 0, 0, 1}, "while the last one is made it is the last one's");
}

void calibrates(Checks& check) {
  // 30 ns are 0.1 % of 30 us.
  const pibench::ClockQuality clock{30e-9, 1e-9};
  // What a call takes is known with a reading of the clock in it.
  check.equal(pibench::calibrate(30.04e-6, clock, false), std::uint64_t{1},
              "a call that is long enough is a sample");
  check.equal(pibench::calibrate(130e-9, clock, false), std::uint64_t{300},
              "a reading is no part of a short call");
  check.equal(pibench::calibrate(1, clock, false), std::uint64_t{1}, "so is a longer one");
  check.equal(pibench::calibrate(2.03e-6, clock, false), std::uint64_t{15}, "a shorter one is repeated");
  check.equal(pibench::calibrate(2.03e-6, clock, true), std::uint64_t{1}, "but not with cold caches");
  check.equal(pibench::calibrate(2.001e-6, {1e-9, 30e-9}, false), std::uint64_t{15},
              "the resolution counts like the overhead");
  const std::uint64_t shortest = pibench::calibrate(1e-9, clock, false);
  check.that(shortest >= 29'999 && shortest <= 30'001, "a call of a nanosecond", std::to_string(shortest));
  check.equal(pibench::calibrate(0, clock, false), shortest,
              "a call of no time is taken for one of a nanosecond");
  check.equal(pibench::calibrate(0, {1, 1}, false), std::uint64_t{1'000'000}, "there is an end to it");
  check.equal(pibench::calibrate(1.00003e-3, clock, false, 0.08), std::uint64_t{100},
              "a sample lasts as long as is asked");
  check.equal(pibench::calibrate(0.0801, clock, false, 0.08), std::uint64_t{1}, "and is one call that does");
  check.equal(pibench::calibrate(1e-3, clock, true, 0.1), std::uint64_t{1},
              "but for calls that are to be alone");
  check.equal(pibench::calibrate(1e-3, clock, false, 0.1, 7), std::uint64_t{7},
              "and up to what fits into one");
}

}  // namespace

int main() {
  Checks check;
  takes_the_count(check);
  repeats_back_to_back(check);
  keeps_its_own_work_out(check);
  keeps_other_work_out(check);
  keeps_preparation_out(check);
  counts_what_a_device_waits_once(check);
  stops_at_the_budget(check);
  stops_when_told(check);
  flags_disturbed_samples(check);
  flags_what_contains_it(check);
  calibrates(check);
  return check.finish();
}
