// An inspection from end to end, with real products.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "../../kernels/cpu/data_type_name.h"
#include "../../kernels/cpu/gemm/gemm.h"
#include "../../native/inspection.h"
#include "../../native/workloads.h"
#include "check.h"
#include "fake_workload.h"
#include "matrices.h"

namespace {

using pibench::Control;
using pibench::Job;
using pibench::Nanoseconds;
using pibench::Outcome;
using pibench::ParameterValue;
using pibench::WarmupKind;
using pibench::test::Checks;

using Parameters = std::map<std::string, ParameterValue>;

struct Layout {
  std::string transpose_a = "N", transpose_b = "N";
  double batch = 1, prepack = 0;
};

Parameters matmul_parameters(const std::string& dtype, int threads, const Layout& layout = {}) {
  return {{"m", 64.0},
          {"n", 72.0},
          {"k", 80.0},
          {"transposeA", layout.transpose_a},
          {"transposeB", layout.transpose_b},
          {"batch", layout.batch},
          {"prepack", layout.prepack},
          {"dtype", dtype},
          {"isa", std::string()},
          {"threads", static_cast<double>(threads)},
          {"seed", 5.0},
          {"cpus", std::vector<int>()}};
}

Job matmul_job(const Parameters& parameters) {
  Job job;
  job.make_workload = pibench::find_workload("matmul", pibench::WorkloadParameters(parameters));
  job.warmup = {WarmupKind::count, 3, 0};
  job.repetitions = 25;
  job.snapshot_paths = {"/proc/self/task/{tid}/stat", "/no/such/file"};
  return job;
}

Outcome inspect(const Job& job) {
  Control control;
  return pibench::inspect(job, control);
}

bool gapless(const Outcome& outcome) {
  bool right = !outcome.spans.empty();
  for (std::size_t i = 0; i < outcome.spans.size(); ++i) {
    right = right && outcome.spans[i].begin <= outcome.spans[i].end;
    right = right && (i == 0 || outcome.spans[i].begin == outcome.spans[i - 1].end);
  }
  return right;
}

// One after the other, each inside of the span of the measurement.
bool in_order(const Outcome& outcome) {
  const auto measure = std::ranges::find_if(
      outcome.spans, [](const auto& span) { return std::string(span.name) == "measure"; });
  if (measure == outcome.spans.end()) return false;
  pibench::Nanoseconds last = measure->begin;
  for (std::size_t i = 0; i < outcome.samples.taken; ++i) {
    const auto& [entry, exit] = outcome.samples.times[i];
    if (entry < last || exit < entry) return false;
    last = exit;
  }
  return last <= measure->end;
}

double median_seconds(const Outcome& outcome) {
  std::vector<pibench::Nanoseconds> times;
  for (std::size_t i = 0; i < outcome.samples.taken; ++i)
    times.push_back(outcome.samples.times[i].exit - outcome.samples.times[i].entry);
  std::ranges::sort(times);
  return static_cast<double>(times.at(times.size() / 2)) * 1e-9 /
         static_cast<double>(outcome.calls_per_sample);
}

void check_matmul(Checks& check, const std::string& dtype, int threads) {
  std::array<double, 2> medians{};
  for (const bool cold : {false, true}) {
    const std::string name =
        dtype + ", " + std::to_string(threads) + " threads, " + (cold ? "cold: " : "hot: ");
    Job job = matmul_job(matmul_parameters(dtype, threads));
    job.cold = cold;
    const Outcome outcome = inspect(job);
    const auto threads_count = static_cast<std::size_t>(threads);

    std::string names;
    for (const auto& span : outcome.spans) names += std::string(span.name) + " ";
    check.that(names == "allocate fill warm-up calibrate measure cool-down ceilings verify ",
               name + "the phases in their order", names);
    check.that(gapless(outcome), name + "the spans leave no gap");
    check.that(outcome.samples.taken == 25 && in_order(outcome),
               name + "the samples are all there, one after the other");
    check.that(!outcome.samples.cancelled && !outcome.samples.out_of_time, name + "nothing cut it short");
    check.that(outcome.verification && outcome.verification->passed &&
                   outcome.verification->checked == std::uint64_t{2} * 64 * 72,
               name + "the output is right",
               outcome.verification ? outcome.verification->first_wrong : "not verified");
    check.that(outcome.warmup.calls == 3 && outcome.calls_per_sample >= 1 &&
                   (!cold || outcome.calls_per_sample == 1),
               name + "warm-up and calibration did what they were told");
    check.that(cold == (outcome.samples.evicting > 0), name + "evictions only where caches are to be cold");
    check.that(outcome.thread_ids.size() == threads_count &&
                   outcome.before.files.size() == threads_count + 1 &&
                   outcome.after.files.size() == threads_count + 1 &&
                   outcome.before.files[0].second.has_value() && outcome.after.at >= outcome.before.at,
               name + "the machine was looked at before and after");
    check.that(!outcome.implementation.empty(), name + "it is known what executed");
    const bool knows_peak = pibench::kernels::knows_peak(pibench::kernels::data_type_named(dtype));
    check.that((outcome.ceilings.operations_per_second > 0) == knows_peak &&
                   outcome.ceilings.instruction_set.empty() != knows_peak &&
                   outcome.ceilings.bytes_per_second > 0 && outcome.ceilings.bytes > 0,
               name + "the ceilings that there are are known");
    check.that(outcome.ceilings.unused_instructions.has_value() &&
                   outcome.ceilings.unused_instructions->empty() == knows_peak,
               name + "and what the CPU has beside them is named where they are none");
    check.that(!outcome.huge_pages || (outcome.huge_pages->of >= std::size_t{64} * 80 + 80 * 72 + 64 * 72 &&
                                       outcome.huge_pages->possible == 0),
               name + "the pages behind both operands and the result were asked about");
    medians.at(cold ? 1 : 0) = median_seconds(outcome);
  }
  Checks::inform(dtype + ", " + std::to_string(threads) + " threads: a median call takes " +
                 std::to_string(medians[0] * 1e6) + " us hot, " + std::to_string(medians[1] * 1e6) +
                 " us cold");
}

// Every layout of the operands, many products in a call, B packed before: all verified like any other.
void check_variants(Checks& check) {
  for (const std::string dtype : {"float32", "float64", "bfloat16", "int8"}) {
    for (const std::string transposed : {"NN", "NT", "TN", "TT"}) {
      for (const double prepack : {0.0, 1.0}) {
        const Layout layout{transposed.substr(0, 1), transposed.substr(1), 3, prepack};
        Job job = matmul_job(matmul_parameters(dtype, 2, layout));
        job.repetitions = 2;
        const Outcome outcome = inspect(job);
        std::string name = dtype;
        name.append(" ").append(transposed).append(prepack > 0 ? ", prepacked" : "");
        check.that(outcome.verification && outcome.verification->passed &&
                       outcome.verification->checked == std::uint64_t{2} * 3 * 64 * 72,
                   name + ": three products at a time are right",
                   outcome.verification ? outcome.verification->first_wrong : "not verified");
      }
    }
  }
}

// What a workload that only counts is asked for.
struct Asked {
  std::vector<bool> cold;
  std::uint64_t runs = 0;         // in all
  std::uint64_t runs_before = 0;  // when the ceilings were asked for
};

Job counting_job(Asked& asked) {
  Job job;
  job.make_workload = [&asked]() -> std::unique_ptr<pibench::Workload> {
    auto workload = std::make_unique<pibench::test::FakeWorkload>([&asked](std::uint64_t) { ++asked.runs; });
    workload->on_ceilings = [&asked](bool cold) {
      asked.cold.push_back(cold);
      asked.runs_before = asked.runs;
      return pibench::Ceilings{1e9, "fake", 2e9, 4096, {0, 0, ""}};
    };
    return workload;
  };
  job.warmup = {WarmupKind::count, 1, 0};
  job.repetitions = 10;
  return job;
}

void check_ceilings(Checks& check) {
  for (const bool cold : {false, true}) {
    const std::string name = cold ? "cold: " : "hot: ";
    Asked asked;
    Job job = counting_job(asked);
    job.cold = cold;
    const Outcome outcome = inspect(job);
    check.that(asked.cold == std::vector<bool>{cold},
               name + "the ceilings are asked for once, as the job says");
    check.that(asked.runs_before > 10 && asked.runs_before == asked.runs, name + "after the repetitions");
    check.that(outcome.ceilings.operations_per_second == 1e9 && outcome.ceilings.instruction_set == "fake" &&
                   outcome.ceilings.bytes_per_second == 2e9 && outcome.ceilings.bytes == 4096,
               name + "and handed on as they are");
  }

  const auto not_asked = [&check](const Outcome& outcome, const Asked& asked, const std::string& when) {
    check.that(asked.cold.empty() && outcome.ceilings.operations_per_second == 0 &&
                   outcome.ceilings.bytes_per_second == 0 && gapless(outcome),
               when + ", no ceiling is measured");
  };
  Asked late;
  Job job = counting_job(late);
  job.repetitions = 1'000'000;
  job.time_limit = 1;
  const Outcome out_of_time = inspect(job);
  check.that(out_of_time.samples.out_of_time, "the time is over");
  not_asked(out_of_time, late, "past the time limit");

  Asked never;
  Control cancelled;
  cancelled.cancel = true;
  not_asked(pibench::inspect(counting_job(never), cancelled), never, "cancelled");

  Asked unwanted;
  Job without = counting_job(unwanted);
  without.ceilings = false;
  not_asked(inspect(without), unwanted, "where the job wants none");
}

// A workload with a peak of its own each time that it is asked.
Job job_with_peaks(double operations, const std::vector<double>& peaks, int& looks) {
  Job job;
  job.make_workload = [&peaks, &looks]() -> std::unique_ptr<pibench::Workload> {
    auto workload = std::make_unique<pibench::test::FakeWorkload>();
    workload->on_ceilings = [&peaks, &looks](bool) {
      const auto last = static_cast<int>(peaks.size()) - 1;
      const double peak = peaks.at(static_cast<std::size_t>(std::min(looks++, last)));
      return pibench::Ceilings{peak, "fake", peak, 4096, {0, 0, ""}};
    };
    return workload;
  };
  job.warmup = {WarmupKind::count, 1, 0};
  job.repetitions = 10;
  job.operations = operations;
  return job;
}

// More than any call of the fake executes in its time, and less.
constexpr double kFar = 1e30, kNear = 1e-30;

void check_low_peaks(Checks& check) {
  const auto seen = [](double operations, const std::vector<double>& peaks) {
    int looks = 0;
    const Outcome outcome = inspect(job_with_peaks(operations, peaks, looks));
    return std::tuple(looks, outcome.ceilings.operations_per_second, outcome.ceilings.bytes_per_second);
  };
  check.that(seen(kNear, {1e9, 2e9}) == std::tuple(1, 1e9, 1e9),
             "a peak that no rate is above is measured once");
  check.that(seen(0, {1e9, 2e9}) == std::tuple(1, 1e9, 1e9), "also where the operations are not told");
  check.that(seen(kFar, {1e9, 3e9, 2e9, 1e60}) == std::tuple(4, 1e60, 1e60),
             "a peak that was measured too low is measured until no rate is above it");
  check.that(seen(kFar, {1e9, 0}) == std::tuple(2, 0.0, 0.0), "one wrong sum makes it unknown");
  const auto [looks, peak, bytes] = seen(kFar, {1e9, 3e9, 2e9});
  check.that(looks > 3 && peak == 3e9 && bytes == 3e9,
             "what stays above every look at the peak is told with the best of them", std::to_string(looks));
}

// Of a fake whose calls take what the machine takes, and whose peak is always the same but for one look that
// is wrong, and who remembers in which order it was asked.
struct Turns {
  Outcome outcome;
  Nanoseconds longest = 0;
  int glances = 0;
  std::uint64_t runs = 0;
  std::uint64_t runs_before_verify = 0;
};

constexpr double kPeak = 1e9;

class InTurns {
 public:
  int wrong_glance = -1;  // of all
  bool can_glance = true;
  Nanoseconds before = 0;  // of a call, what is not measured

  Turns operator()(const std::function<void(Job&)>& change) const {
    Turns turns;
    Job job;
    job.make_workload = [this, &turns]() -> std::unique_ptr<pibench::Workload> {
      auto workload =
          std::make_unique<pibench::test::FakeWorkload>([&turns](std::uint64_t) { ++turns.runs; });
      workload->before = before;
      workload->on_ceilings = [](bool) { return pibench::Ceilings{kPeak, "fake", 0, 0, {0, 0, ""}}; };
      workload->on_verify = [&turns] { turns.runs_before_verify = turns.runs; };
      workload->on_glance = [this, &turns](Nanoseconds about) -> std::optional<double> {
        turns.longest = std::max(turns.longest, about);
        if (!can_glance) return std::nullopt;
        return turns.glances++ == wrong_glance ? 0 : kPeak;
      };
      return workload;
    };
    job.warmup = {WarmupKind::count, 1, 0};
    job.repetitions = 10;
    job.operations = kNear;
    job.in_turns = true;
    change(job);
    turns.outcome = inspect(job);
    return turns;
  }
};

void check_in_turns(Checks& check) {
  const auto as_it_is = [](Job&) {};
  const Turns found = InTurns{}(as_it_is);
  const auto& ceilings = found.outcome.ceilings;
  check.that(ceilings.in_turns.turns >= 3 && ceilings.in_turns.share > 0 && ceilings.in_turns.share < 1 &&
                 found.glances == static_cast<int>(ceilings.in_turns.turns) + 2,
             "each look at the calls lies between two at the peak", std::to_string(ceilings.in_turns.turns));
  check.that(found.longest >= 1'999'999, "looks are long beside waking a team",
             std::to_string(found.longest));
  check.that(found.runs_before_verify >= 10 && found.runs > found.runs_before_verify,
             "the repetitions' own output was verified before other calls wrote over it");
  check.that(gapless(found.outcome) && std::string(found.outcome.spans.back().name) == "in turns",
             "what that takes is a span of its own");

  for (const int wrong : {0, 1, 3}) {
    InTurns one;
    one.wrong_glance = wrong;
    const auto& unknown = one(as_it_is).outcome.ceilings;
    check.that(unknown.operations_per_second == 0 && unknown.in_turns.turns == 0,
               "where the sums of look " + std::to_string(wrong) + " were wrong, the peak is not known");
  }

  const auto none = [&](const InTurns& which, const std::function<void(Job&)>& change,
                        const std::string& when, double peak = kPeak) {
    const Turns turns = which(change);
    check.that(turns.outcome.ceilings.in_turns.turns == 0 && turns.glances == 0 &&
                   turns.outcome.ceilings.operations_per_second == peak &&
                   turns.runs == turns.runs_before_verify,
               when + ", nothing is looked at in turns");
  };
  none(
      {}, [](Job& job) { job.in_turns = false; }, "where the job does not ask for it");
  none(
      {}, [](Job& job) { job.ceilings = false; }, "without ceilings", 0);
  none(
      {}, [](Job& job) { job.cold = true; }, "where caches are cold");
  none(
      {}, [](Job& job) { job.operations = 0; }, "where the operations are not told");
  InTurns part;
  part.before = 1;
  none(part, as_it_is, "where what is measured is not the whole call");
  InTurns blind;
  blind.can_glance = false;
  none(blind, as_it_is, "where there is no looking at the peak between calls");
}

void check_stops(Checks& check) {
  const Parameters parameters = matmul_parameters("float32", 1);
  Job job = matmul_job(parameters);
  job.repetitions = 0;
  job.least = 5;
  job.most = 7;
  job.budget = 0;
  check.equal(inspect(job).samples.taken, std::uint64_t{5}, "a budget that is over at once takes the least");
  job.budget = 3'600'000'000'000;
  check.equal(inspect(job).samples.taken, std::uint64_t{7}, "a budget that lasts takes the most");
  // A thousand of these calls would be over long before. They follow the clock, so that none is faster than
  // those of the warm-up, on which the number of calls rests.
  job.make_workload = [] {
    constexpr Nanoseconds kCall = 20'000;
    return std::make_unique<pibench::test::FakeWorkload>([](std::uint64_t) {
      const Nanoseconds until = pibench::now() + kCall;
      while (pibench::now() < until) continue;
    });
  };
  job.warmup = {WarmupKind::time, 0, 50'000'000};
  job.budget = 100'000'000;
  job.most = 1000;
  const Outcome lasting = inspect(job);
  const auto& times = lasting.samples.times;
  check.that(
      lasting.samples.taken <= 1000 && times[lasting.samples.taken - 1].exit - times[0].entry >= job.budget,
      "with few samples of short calls a budget is used up all the same",
      std::to_string(lasting.samples.taken) + " samples of " + std::to_string(lasting.calls_per_sample));

  job = matmul_job(parameters);
  job.repetitions = 1'000'000;
  job.time_limit = 1;
  const Outcome late = inspect(job);
  check.that(late.samples.out_of_time && late.samples.taken == 1 && late.warmup.calls == 1,
             "past the time limit, one call of each phase is made");
  check.that(late.verification && late.verification->passed, "and what was measured is verified");

  job = matmul_job(parameters);
  Control cancelled;
  cancelled.cancel = true;
  const Outcome none = pibench::inspect(job, cancelled);
  check.that(none.samples.cancelled && none.samples.taken == 0 && !none.verification && gapless(none),
             "cancelled before the first repetition, nothing is measured and nothing called right");
  check.that(cancelled.phase == pibench::Phase::done, "the inspection is done all the same");

  job = matmul_job(parameters);
  job.warmup = {WarmupKind::count, 0, 0};
  const Outcome unwarmed = inspect(job);
  check.that(unwarmed.warmup.calls == 0 && unwarmed.calls_per_sample == 1 && unwarmed.samples.taken == 25,
             "without warm-up a sample is one call, the first included");

  job = matmul_job(parameters);
  job.warmup = {WarmupKind::time, 0, 1};
  check.that(inspect(job).warmup.calls == 1, "a warm-up by time");
}

bool has_span(const Outcome& outcome, const std::string& name) {
  return std::ranges::any_of(outcome.spans, [&](const auto& span) { return name == span.name; });
}

// A workload whose call number `opens` opens the gate, as an onlooker would.
Job gated_job(Control& control, std::uint64_t opens, std::uint64_t& calls) {
  Job job;
  job.make_workload = [&control, &calls, opens] {
    return std::make_unique<pibench::test::FakeWorkload>([&control, &calls, opens](std::uint64_t call) {
      calls = call + 1;
      if (call == opens) control.gate_closed = false;
    });
  };
  job.warmup = {WarmupKind::count, 1, 0};
  job.repetitions = 3;
  job.gate = true;
  control.gate_closed = true;
  return job;
}

void check_gate(Checks& check) {
  constexpr std::uint64_t kOpens = 500;
  Control control;
  std::uint64_t calls = 0;
  const Outcome outcome = pibench::inspect(gated_job(control, kOpens, calls), control);
  check.that(outcome.samples.taken == 3 && calls > kOpens + 3,
             "before a closed gate the calls go on, and the repetitions begin when it is open");
  check.that(has_span(outcome, "gate") && gapless(outcome), "the wait has a span of its own, without a gap");

  Control cancelled;
  cancelled.cancel = true;
  const Outcome none = pibench::inspect(gated_job(cancelled, UINT64_MAX, calls), cancelled);
  check.that(none.samples.cancelled && none.samples.taken == 0, "who is cancelled does not wait");

  Control late;
  Job job = gated_job(late, UINT64_MAX, calls);
  job.time_limit = 50'000'000;
  check.that(pibench::inspect(job, late).samples.out_of_time, "a gate that nobody opens ends with the time");

  Control open;
  std::uint64_t without = 0;
  job = gated_job(open, UINT64_MAX, without);
  job.gate = false;
  check.that(!has_span(pibench::inspect(job, open), "gate"), "a launch without a gate has no such span");
}

void check_wrong_results(Checks& check) {
  for (const std::string dtype : {"float32", "float64", "bfloat16", "int8"}) {
    Job job = matmul_job(matmul_parameters(dtype, 2));
    job.fault = {pibench::FaultKind::wrong_element, 0};
    const Outcome outcome = inspect(job);
    check.that(outcome.verification && !outcome.verification->passed && outcome.verification->wrong == 1,
               dtype + ": one displaced element is found");
    const std::string where = outcome.verification ? outcome.verification->first_wrong : "not verified";
    check.that(where.starts_with("C[32][0] is"), dtype + ": and where it is", where);
  }
}

// What comes of a workload of which each call writes these halves of an output, call by call.
Outcome halves_written(const std::function<std::array<bool, 2>(std::uint64_t call)>& writes,
                       bool makes_a_call = false) {
  auto there = std::make_shared<std::array<bool, 2>>();
  Job job;
  job.make_workload = [=]() -> std::unique_ptr<pibench::Workload> {
    auto workload = std::make_unique<pibench::test::FakeWorkload>([=](std::uint64_t call) {
      const auto [first, second] = writes(call);
      (*there)[0] = (*there)[0] || first;
      (*there)[1] = (*there)[1] || second;
    });
    workload->makes_a_call = makes_a_call;
    workload->on_poison = [=] { *there = {false, false}; };
    workload->on_verify = [=, &found = workload->verification] {
      const bool right = (*there)[0] && (*there)[1];
      found = {right, "reference", "none", right ? 0.25 : 2.0, 2, right ? 0U : 1U, right ? "" : "a half"};
    };
    return workload;
  };
  job.warmup = {WarmupKind::count, 1, 0};
  job.repetitions = 10;
  return inspect(job);
}

// What is done to verify, from the first look at the output on.
std::string steps_of_verifying() {
  auto steps = std::make_shared<std::string>();
  Job job;
  job.make_workload = [steps]() -> std::unique_ptr<pibench::Workload> {
    const auto step = [steps](const std::string& name) { *steps += name + " "; };
    auto workload = std::make_unique<pibench::test::FakeWorkload>([=](std::uint64_t) { step("run"); });
    workload->verification.passed = true;
    workload->on_verify = [=] { step("verify"); };
    workload->on_renew = [=] { step("renew"); };
    workload->on_poison = [=] { step("poison"); };
    return workload;
  };
  job.warmup = {WarmupKind::count, 1, 0};
  job.repetitions = 1;
  static_cast<void>(inspect(job));
  return steps->substr(steps->find("verify"));
}

// What comes of calls that return before the second half of their output is there, which is right when it is
// verified.
Outcome written_late() {
  auto there = std::make_shared<std::array<std::byte, 2>>();
  Job job;
  job.make_workload = [there]() -> std::unique_ptr<pibench::Workload> {
    constexpr std::byte kWritten{1};
    auto workload =
        std::make_unique<pibench::test::FakeWorkload>([=](std::uint64_t) { there->front() = kWritten; });
    workload->left = *there;
    workload->verification.passed = true;
    workload->on_poison = [=] { there->fill({}); };
    workload->on_verify = [=] { there->back() = kWritten; };
    return workload;
  };
  job.warmup = {WarmupKind::count, 1, 0};
  job.repetitions = 1;
  return inspect(job);
}

void check_one_call(Checks& check) {
  const auto both = [](std::uint64_t) { return std::array{true, true}; };
  const auto in_turns = [](std::uint64_t call) { return std::array{call % 2 == 0, call % 2 == 1}; };
  const auto right = *halves_written(both).verification;
  check.that(right.passed && right.checked == 4 && right.wrong == 0 && right.worst_error == 0.25,
             "the output of the repetitions and of one call more are compared");
  const auto wrong = *halves_written(in_turns).verification;
  check.that(!wrong.passed && wrong.wrong == 1 && wrong.worst_error == 2 &&
                 wrong.first_wrong == "of one call alone: a half",
             "calls that each leave a part to the one before are wrong, though all is there in the end",
             wrong.first_wrong);
  const auto never = *halves_written([](std::uint64_t) { return std::array{true, false}; }).verification;
  check.that(!never.passed && never.checked == 2 && never.first_wrong == "a half",
             "what no repetition writes is told of the repetitions");
  check.that(halves_written(in_turns, true).verification->checked == 2,
             "a verification that makes a call of its own is asked once");
  const std::string steps = steps_of_verifying();
  check.that(steps == "verify renew poison run verify ",
             "that call has other operands than the repetitions, and an output without theirs", steps);
  const auto late = *written_late().verification;
  check.that(
      !late.passed &&
          late.first_wrong == "of one call alone: element 1 was written only after the call had returned",
      "what stands in the output only after the call has returned is wrong, though it is right by then",
      late.first_wrong);
  for (const std::string dtype : {"float32", "int8"}) {
    Job job = matmul_job(matmul_parameters(dtype, 2));
    job.fault = {pibench::FaultKind::skipped_calls, 1};
    const auto skipped = inspect(job).verification;
    check.that(skipped && !skipped->passed && skipped->first_wrong.starts_with("of one call alone: C["),
               dtype + ": calls that do nothing once the product is there are found");
  }
}

// A library that makes a thread, and chooses its kernels, in its first call.
struct LateLibrary {
  std::string steps;
  std::vector<int> ids{1};

  Outcome measured(const pibench::WarmupRule& warmup) {
    Job job;
    job.make_workload = [this]() -> std::unique_ptr<pibench::Workload> {
      auto workload = std::make_unique<pibench::test::FakeWorkload>([this](std::uint64_t) { step("run"); });
      workload->on_find = [this] { look("find"); };
      workload->on_bind = [this] { look("bind"); };
      workload->thread_ids_of = [this] { return ids; };
      workload->on_library = [this]() -> std::optional<pibench::LibraryReport> {
        return pibench::LibraryReport{"1.0", was_called() ? "avx2" : "", "together"};
      };
      workload->on_implementation = [this] { return was_called() ? "gemm, avx2" : "gemm"; };
      return workload;
    };
    job.warmup = warmup;
    job.repetitions = 2;
    job.snapshot_paths = {"/no/such/{tid}"};
    return inspect(job);
  }
  [[nodiscard]] bool was_called() const { return steps.find("run") != std::string::npos; }
  void step(const std::string& name) { steps += name + " "; }
  void look(const std::string& name) {
    step(name);
    if (was_called()) ids = {1, 2};
  }
};

// What a workload times itself by, also beside a fault.
void check_clock_of_its_own(Checks& check) {
  for (const auto kind : {pibench::FaultKind::none, pibench::FaultKind::slow_repetition}) {
    Job job;
    job.make_workload = []() -> std::unique_ptr<pibench::Workload> {
      auto workload = std::make_unique<pibench::test::FakeWorkload>();
      workload->clock = {"sundial", {0, 60}};
      return workload;
    };
    job.warmup = {WarmupKind::count, 1, 0};
    job.repetitions = 1;
    job.fault = {kind, 1};
    const Outcome outcome = inspect(job);
    check.that(outcome.clock.name == "sundial" && outcome.clock.quality.resolution_seconds == 60 &&
                   outcome.calls_per_sample > 1,
               "a clock by which a workload times itself is the one that is told and calibrated for");
  }
  Job job = matmul_job(matmul_parameters("float32", 1));
  check.that(inspect(job).clock.name == "monotonic", "all others are timed by the host's");
}

void check_late_library(Checks& check) {
  LateLibrary cold;
  const Outcome outcome = cold.measured({WarmupKind::count, 0, 0});
  check.that(cold.steps.starts_with("bind run run find "),
             "threads that a library makes in the first repetition are looked for after the last, unbound",
             cold.steps);
  check.that(outcome.thread_ids == std::vector<int>{1, 2} && outcome.before.files.size() == 1 &&
                 outcome.after.files.size() == 2,
             "and are looked at with the others");
  check.that(outcome.library && outcome.library->chose == "avx2" && outcome.implementation == "gemm, avx2",
             "what it chose is asked when it has chosen", outcome.implementation);
  LateLibrary warm;
  static_cast<void>(warm.measured({WarmupKind::count, 1, 0}));
  check.that(warm.steps.starts_with("run bind run bind ") && warm.steps.find("find") == std::string::npos,
             "those of a library that was warmed up are bound before the first repetition", warm.steps);
}

// What a launch that fails while it verifies says, on a workload that saw this of its device.
template <typename Exception>
void check_failure(Checks& check, const std::string& seen, const std::string& what) {
  Job job;
  job.make_workload = [&seen]() -> std::unique_ptr<pibench::Workload> {
    auto workload = std::make_unique<pibench::test::FakeWorkload>();
    workload->seen = seen;
    workload->on_verify = [] { throw std::runtime_error("launch failed"); };
    return workload;
  };
  job.warmup = {WarmupKind::count, 1, 0};
  job.repetitions = 1;
  try {
    static_cast<void>(inspect(job));
    check.that(false, what, "nothing was thrown");
  } catch (const std::exception& error) {
    const auto* failure = dynamic_cast<const pibench::DeviceFailure*>(&error);
    const std::string told = failure == nullptr ? "" : failure->seen();
    check.that(dynamic_cast<const Exception*>(&error) != nullptr && told == seen &&
                   std::string(error.what()) == "launch failed",
               what, told);
  }
}

void check_failures(Checks& check) {
  check_failure<pibench::DeviceFailure>(check, R"({"nvml":{"xids":[79]}})",
                                        "a launch that fails on a device takes along what was seen of it");
  check_failure<std::runtime_error>(check, "", "and without a device only says why");
}

void check_refusals(Checks& check) {
  check.throws<std::invalid_argument>(
      [] { static_cast<void>(pibench::find_workload("sort", pibench::WorkloadParameters({}))); },
      "an unknown workload is refused");
  for (const auto& [name, value] : matmul_parameters("float32", 1)) {
    check.throws<std::invalid_argument>(
        [&name = name] {
          Parameters parameters = matmul_parameters("float32", 1);
          parameters.erase(name);
          static_cast<void>(matmul_job(parameters));
        },
        "a missing parameter is refused");
  }
  const auto refuses = [&check](const std::string& name, const ParameterValue& value,
                                const std::string& what) {
    check.throws<std::exception>(
        [&] {
          Parameters parameters = matmul_parameters("float32", 2);
          parameters[name] = value;
          static_cast<void>(inspect(matmul_job(parameters)));
        },
        what);
  };
  refuses("m", std::string("64"), "a parameter of another kind is refused");
  refuses("dtype", std::string("float8"), "an unknown data type is refused");
  refuses("isa", std::string("sse9"), "an unknown instruction set is refused");
  refuses("m", 0.0, "an empty shape is refused");
  refuses("m", 0x1p62, "a shape with more elements than can be counted is refused");
  refuses("batch", 0x1p50, "a batch with more operations than can be counted is refused");
  refuses("batch", 0.0, "a batch of nothing is refused");
  refuses("prepack", std::string("yes"), "prepack is a number");
  refuses("cpus", std::vector<int>{8191, 8191}, "a CPU that is not there is refused");
}

}  // namespace

int main() {
  Checks check;
  for (const std::string dtype : {"float32", "float64", "bfloat16", "int8"}) {
    for (const int threads : {1, 2}) check_matmul(check, dtype, threads);
  }
  check_variants(check);
  check_ceilings(check);
  check_in_turns(check);
  check_low_peaks(check);
  check_stops(check);
  check_gate(check);
  check_wrong_results(check);
  check_one_call(check);
  check_clock_of_its_own(check);
  check_late_library(check);
  check_failures(check);
  check_refusals(check);

  Job idle;
  idle.make_workload = pibench::find_workload("idle", pibench::WorkloadParameters({}));
  idle.repetitions = 10;
  idle.warmup = {WarmupKind::count, 1, 0};
  check.equal(inspect(idle).samples.taken, std::uint64_t{10},
              "the workload that does nothing is measured like any other");
  return check.finish();
}
