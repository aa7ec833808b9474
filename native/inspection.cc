#include "inspection.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "cache_flush.h"
#include "measure/absences.h"
#include "measure/device_clock.h"
#include "measure/glimpse.h"
#include "measure/in_turns.h"
#include "measure/rendezvous.h"
#include "measure/timed_call.h"
#include "measure/timer.h"
#include "telemetry/frequency.h"

namespace pibench {
namespace {

// Spans without gap or overlap: one ends where the next begins.
class Spans {
 public:
  explicit Spans(std::vector<Span>& spans) : spans_(spans), begin_(now()) {}
  void end(const char* name) {
    const Nanoseconds at = now();
    spans_.push_back({name, begin_, at});
    begin_ = at;
  }

 private:
  std::vector<Span>& spans_;
  Nanoseconds begin_;
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// What one call takes, for the calibration: the later half of the warm-up, or a call made for the purpose.
double call_seconds(const Warmup& warmup, Workload& workload) {
  if (!warmup.seconds.empty()) {
    const auto half = static_cast<std::ptrdiff_t>(warmup.seconds.size() / 2);
    return median({warmup.seconds.begin() + half, warmup.seconds.end()});
  }
  return static_cast<double>(timed_call(workload)) * 1e-9;
}

// Reading files, or the clock many times, cools the caches and lets the team fall asleep: some calls bring
// back what the warm-up had reached. Of a long call that is little, and more of them would be much of what is
// looked at around the repetitions.
void settle(Workload& workload, double call_seconds, int least_calls) {
  constexpr Nanoseconds kTime = 1'000'000;
  constexpr double kLongCall = 0.5;
  if (call_seconds > kLongCall) return;
  const Nanoseconds until = now() + kTime;
  for (int call = 0; call < least_calls || now() < until; ++call) static_cast<void>(timed_call(workload));
}

// Others who are to begin with this launch are not where it is. Its calls go on meanwhile, so that clocks,
// heat and caches stay as the warm-up left them; one that starts cold has to sleep.
void wait_at_gate(Workload& workload, bool starts_cold, const Outcome& outcome, bool cold,
                  Nanoseconds deadline, Control& control) {
  std::vector<Sample> samples(DeviceClock::kMostSamples);
  DeviceClock* const device = workload.device_clock();
  control.phase.store(Phase::gate, std::memory_order_relaxed);
  while (control.gate_closed.load(std::memory_order_acquire) &&
         !control.cancel.load(std::memory_order_relaxed) && now() < deadline) {
    if (starts_cold)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    else if (device == nullptr)
      static_cast<void>(timed_call(workload));
    else if (timed_group(workload, *device, samples, outcome.calls_per_sample, cold).empty())
      return;
  }
}

// That are to run into each other; fewer where they are long, for then their ends are little of them.
std::uint64_t calls_together(const Workload& workload, double call_seconds, double most) {
  constexpr double kLongest = 0.1;
  const auto least = static_cast<double>(workload.least_calls());
  const double fitting = call_seconds > 0 ? std::floor(kLongest / call_seconds) : least;
  return static_cast<std::uint64_t>(std::max(1.0, std::min({least, fitting, most})));
}

// Of the repetitions, for one call.
double median_call(const Outcome& outcome) {
  std::vector<double> seconds;
  seconds.reserve(outcome.samples.taken);
  for (std::uint64_t i = 0; i < outcome.samples.taken; ++i) {
    const auto [entry, exit] = outcome.samples.times[i];
    seconds.push_back(static_cast<double>(exit - entry) * 1e-9);
  }
  return median(std::move(seconds)) / static_cast<double>(outcome.calls_per_sample);
}

// The better of two looks at a ceiling; one that found wrong sums leaves it unknown.
double better(double one, double other) { return one > 0 && other > 0 ? std::max(one, other) : 0; }

// What is faster than its peak did not do what it was told, and that will be said of it. But a peak is
// measured at another moment than the repetitions, which may have a lower clock or less of the CPUs: one that
// a rate is above is measured again for a while, and the best counts. src/frameworks/ceilings.ts is the twin.
Ceilings ceilings_of(Workload& workload, const Job& job, double call) {
  constexpr int kMostLooks = 30;
  constexpr Nanoseconds kTime = 1'000'000'000;
  Ceilings best = workload.ceilings(job.cold);
  if (job.operations == 0) return best;
  const Nanoseconds until = now() + kTime;
  for (int look = 1; look < kMostLooks && now() < until; ++look) {
    if (best.operations_per_second == 0 || job.operations <= best.operations_per_second * call) break;
    const Ceilings again = workload.ceilings(job.cold);
    best.operations_per_second = better(best.operations_per_second, again.operations_per_second);
    best.bytes_per_second = better(best.bytes_per_second, again.bytes_per_second);
  }
  return best;
}

// What share of the peak a call reaches, from looks at both in turns. Looks shorter than kLook would be at
// the waking of the team; calls so long that the machine moves meanwhile have no turns, nor have those that
// are not alone what a repetition is. A look whose sums were wrong makes the peak unknown, as in any of its
// bursts.
void look_in_turns(Workload& workload, const Job& job, double call, const Control& control,
                   Ceilings& ceilings) {
  constexpr double kLook = 0.002, kLongestCall = 0.2;
  constexpr TurnPlan kPlan{.time = 500'000'000, .least = 3};
  const bool known = ceilings.operations_per_second > 0 && job.operations > 0 && call <= kLongestCall;
  if (!known || !job.in_turns || job.cold || control.cancel.load(std::memory_order_relaxed)) return;
  if (workload.times_itself() || workload.device_clock() != nullptr) return;
  const double calls = std::ceil(kLook / std::max(call, 1e-9));
  const auto look = static_cast<Nanoseconds>(calls * call * 1e9);
  const std::optional<double> first = workload.glance_at_peak(look);
  if (!first) return;
  if (*first > 0)
    ceilings.in_turns = share_in_turns(
        kPlan, [&] { return workload.glance_at_peak(look).value_or(0); },
        [&] {
          const Nanoseconds begin = now();
          workload.run_calls(static_cast<std::uint64_t>(calls));
          return job.operations * calls / (static_cast<double>(now() - begin) * 1e-9);
        });
  if (ceilings.in_turns.turns == 0) ceilings.operations_per_second = 0;
}

// Calls that were enqueued cannot throw: what failed is told between the phases.
void raise_failure(const DeviceClock* device) {
  if (device == nullptr) return;
  const std::string failure = device->failure();
  if (!failure.empty()) throw std::runtime_error(failure);
}

// The clock rate of this thread's CPU says nothing about a device.
// Of the first member, while all of them work: a core that works alone may be clocked higher.
double frequency_of(Workload& workload) {
  if (workload.device_clock() != nullptr) return 0;
  double first = 0;
  workload.team().run(
      [](void* context, int member) {
        const double hertz = effective_frequency();
        if (member == 0) *static_cast<double*>(context) = hertz;
      },
      &first);
  return first;
}

// A library's threads are there after its first call; the warm-up is of threads where they will stay.
void meet_library_threads(Workload& workload) {
  if (!workload.library()) return;
  workload.run();
  workload.bind_library_threads();
}

// Of a library whose first call was a repetition: its threads, and what it chose, are known only afterwards.
// Nobody binds them any more: they were measured where they are.
void know_library_late(Workload& workload, Outcome& outcome) {
  if (!workload.library()) return;
  workload.find_library_threads();
  outcome.thread_ids = workload.thread_ids();
  outcome.library = workload.library();
}

std::unique_ptr<StopRule> stop_rule(const Job& job) {
  if (job.repetitions > 0) return std::make_unique<FixedCount>(job.repetitions);
  return std::make_unique<TimeBudget>(job.budget, job.least, job.most);
}

// The output of the repetitions, and, where that is right, of one call more, which reads other values.
Verification verify(Workload& workload) {
  Verification repetitions = workload.verify();
  if (!repetitions.passed || workload.verifies_one_call()) return repetitions;
  workload.renew();
  workload.poison();
  workload.run_calls(1);
  workload.finish();
  const Glimpse returned(workload.output());
  Verification one = workload.verify();
  if (one.passed) returned.compare(workload.output(), one);
  return with_one_call(repetitions, one);
}

// The phases in their order. `workload` is the caller's, who can still ask it when one of them threw.
Outcome go_through(const Job& job, Control& control, std::unique_ptr<Workload>& workload) {
  Outcome outcome;
  Spans spans(outcome.spans);
  const Nanoseconds deadline =
      job.time_limit > 0 ? now() + job.time_limit : std::numeric_limits<Nanoseconds>::max();

  outcome.samples = Samples(job.repetitions > 0 ? job.repetitions : job.most);
  workload = with_fault(job.make_workload(), job.fault, control);
  DeviceClock* const device = workload->device_clock();
  // A device's caches are not flushed: its workload takes other operands.
  if (job.cold && device == nullptr) require_flush(kCanFlush);
  spans.end(device == nullptr ? "allocate" : "device init");
  workload->prepare();
  outcome.implementation = workload->implementation();
  outcome.huge_pages = huge_pages_behind(workload->arrays());
  spans.end("fill");
  const bool starts_cold = job.warmup.kind == WarmupKind::count && job.warmup.count == 0;
  if (!starts_cold) meet_library_threads(*workload);

  control.phase.store(Phase::warm_up, std::memory_order_relaxed);
  outcome.warmup = warm_up(*workload, job.warmup, job.cold, deadline, control);
  raise_failure(device);
  workload->bind_library_threads();
  outcome.thread_ids = workload->thread_ids();
  // A device that works off its queue does not notice that the thread which filled it lost its CPU.
  outcome.preemption_known =
      device == nullptr && PreemptionWire::available() && workload->every_thread_is_watched();
  outcome.library = workload->library();
  spans.end("warm-up");

  control.phase.store(Phase::calibrate, std::memory_order_relaxed);
  outcome.clock =
      device == nullptr ? workload->timing_clock() : NamedClock{device->name(), device->quality()};
  const double call = starts_cold ? 0 : call_seconds(outcome.warmup, *workload);
  const double most_calls = device == nullptr ? kMostCalls : device->most_calls();
  const double least =
      job.repetitions > 0 ? 0 : least_sample_seconds(static_cast<double>(job.budget) * 1e-9, job.most);
  const bool alone = job.cold || workload->times_each_call();
  const std::uint64_t for_clock =
      starts_cold ? 1 : calibrate(call, outcome.clock.quality, alone, least, most_calls);
  outcome.calls_per_sample = job.cold ? 1 : std::max(for_clock, calls_together(*workload, call, most_calls));
  if (device != nullptr) device->plan(outcome.calls_per_sample, call);
  if (job.gate) {
    spans.end("calibrate");
    wait_at_gate(*workload, starts_cold, outcome, job.cold, deadline, control);
    raise_failure(device);
    spans.end("gate");
  }
  // A core whose clock depends on the instructions has that of reading the clock by now.
  if (!starts_cold) settle(*workload, call, 1);
  outcome.frequency_before = frequency_of(*workload);
  outcome.before = take_snapshot(job.snapshot_paths, outcome.thread_ids);
  if (!starts_cold) settle(*workload, call, 2);
  workload->poison();
  raise_failure(device);
  spans.end(job.gate ? "settle" : "calibrate");

  const Nanoseconds measuring = now();
  if (!control.cancel.load(std::memory_order_relaxed)) {
    control.phase.store(Phase::measure, std::memory_order_relaxed);
    workload->begin_samples(job.repetitions > 0 ? job.repetitions : job.most);
    SoloRendezvous rendezvous;
    const auto stop = stop_rule(job);
    const auto repeat_with = [&](auto& timer) {
      repeat(*workload, timer, rendezvous, *stop, outcome.calls_per_sample, job.cold, deadline, control,
             outcome.samples);
    };
    HostTimer host;
    if (device == nullptr)
      repeat_with(host);
    else
      repeat_with(*device);
    workload->samples_taken();
    raise_failure(device);
  } else {
    outcome.samples.cancelled = true;
  }
  spans.end("measure");

  if (const std::string why = workload->failure(); !why.empty()) throw std::runtime_error(why);
  control.phase.store(Phase::cool_down, std::memory_order_relaxed);
  // While the clock is that of the repetitions: to read files lets the team fall asleep.
  outcome.frequency_after = frequency_of(*workload);
  if (starts_cold) know_library_late(*workload, outcome);
  // Some libraries choose with their first call.
  if (workload->library()) outcome.implementation = workload->implementation();
  outcome.after = take_snapshot(job.snapshot_paths, outcome.thread_ids);
  workload->end_samples();
  outcome.traffic = workload->traffic();
  if (outcome.traffic) disturb(outcome.samples, outcome.traffic->absences);
  PreemptionWire::disarm();
  spans.end("cool-down");

  const double median = median_call(outcome);
  if (job.ceilings && !outcome.samples.cancelled && !outcome.samples.out_of_time)
    outcome.ceilings = ceilings_of(*workload, job, median);
  raise_failure(device);
  spans.end("ceilings");
  if (const RankTimes* const times = workload->rank_times()) outcome.ranks = *times;
  outcome.parts.assign(workload->parts().begin(), workload->parts().end());

  control.phase.store(Phase::verify, std::memory_order_relaxed);
  if (outcome.samples.taken > 0) outcome.verification = verify(*workload);
  raise_failure(device);
  // Whoever reads the output may be the first to find an error in the memory where it lies.
  outcome.device = workload->device_report(measuring, outcome.after.at);
  // When all is known of the repetitions' output, which more calls write over.
  if (job.in_turns) {
    spans.end("verify");
    look_in_turns(*workload, job, median, control, outcome.ceilings);
  }
  workload.reset();
  spans.end(job.in_turns ? "in turns" : "verify");
  control.phase.store(Phase::done, std::memory_order_relaxed);
  return outcome;
}

}  // namespace

Outcome inspect(const Job& job, Control& control) {
  std::unique_ptr<Workload> workload;
  try {
    return go_through(job, control, workload);
  } catch (const std::runtime_error& error) {
    // A fault of the hardware ends the launch here: its counters have to be read while somebody still can.
    const std::string seen = workload == nullptr ? "" : workload->fault_report();
    if (seen.empty()) throw;
    throw DeviceFailure(error.what(), seen);
  }
}

}  // namespace pibench
