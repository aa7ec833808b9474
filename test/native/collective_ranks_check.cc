// What the ranks of a collective do with an order: every call of a sample and every pass of a ceiling is
// made, each rank is on its CPU, every rank's times are kept; what one rank does wrongly is seen, and one
// that is lost or never arrives ends a measurement with one line.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../native/collective/forwarding_port.h"
#include "../../native/collective/rank_executor.h"
#include "../../native/measure/fault.h"
#include "../../native/threads/affinity.h"
#include "check.h"
#include "collective_cases.h"

namespace {

using pibench::CpuSet;
using pibench::FaultKind;
using pibench::Verification;
using pibench::collective::Element;
using pibench::collective::Executor;
using pibench::collective::ForwardingPort;
using pibench::collective::Order;
using pibench::collective::Port;
using pibench::collective::RankSettings;
using pibench::collective::Report;
using pibench::collective::Sync;
using pibench::test::Checks;
using pibench::test::kElements;
using pibench::test::kProcesses;
using pibench::test::problem_of;
using pibench::test::Way;
using pibench::test::workload_of;

// Where a rank is not to come, in seconds: long enough for those that are.
constexpr double kImpatience = 2;

void check_synchronisations(Checks& checks) {
  for (const Sync sync : {Sync::barrier, Sync::window, Sync::none}) {
    for (const bool fresh : {true, false}) {
      Way way{"direct"};
      way.sync = sync;
      way.fresh = fresh;
      const auto workload = workload_of(problem_of(0, 0, 0, 3, 500, false), way);
      workload->prepare();
      workload->begin_samples(10);
      for (int i = 0; i < 10; ++i) {
        workload->run_calls(sync == Sync::none ? 5 : 1);
        const auto timed = workload->measured({});
        if (!timed || timed->exit < timed->entry) checks.that(false, "a repetition has a time");
      }
      const auto* times = workload->rank_times();
      const bool kept = times->entries.size() == 30 && times->exits.size() == 30;
      checks.that(kept && workload->verify().passed,
                  "synchronisation " + std::to_string(static_cast<int>(sync)) +
                      (fresh ? ", fresh" : ", clean") +
                      " inputs: every rank's times are kept and the result is right");
    }
  }
}

class CountingPort final : public ForwardingPort {
 public:
  CountingPort(Port& port, std::atomic<std::uint64_t>& calls) : ForwardingPort(port), calls_(calls) {}
  void run() noexcept override {
    ++calls_;
    ForwardingPort::run();
  }

 private:
  std::atomic<std::uint64_t>& calls_;
};

class CountingExecutor final : public Executor {
 public:
  CountingExecutor(const RankSettings& settings, Port& port, std::atomic<std::uint64_t>& calls)
      : port_(port, calls), own_(pibench::collective::make_rank_executor(settings, port_)) {}
  void perform(const Order& order, Report& report) noexcept override { own_->perform(order, report); }

 private:
  CountingPort port_;
  std::unique_ptr<Executor> own_;
};

// One whose last rank makes half of what it is told to, or at least says so.
class IdleExecutor final : public Executor {
 public:
  IdleExecutor(const RankSettings& settings, Port& port)
      : last_(port.rank() == settings.problem.ranks - 1),
        own_(pibench::collective::make_rank_executor(settings, port)) {}
  void perform(const Order& order, Report& report) noexcept override {
    own_->perform(order, report);
    if (last_) report.calls /= 2;
  }

 private:
  bool last_;
  std::unique_ptr<Executor> own_;
};

// A sample's time is divided by its calls, and what the last one leaves is what one alone would have left.
void check_calls(Checks& checks) {
  constexpr std::uint64_t kCalls = 20;
  constexpr int kSamples = 3;
  constexpr int kRanks = 2;
  const auto problem = problem_of(0, 0, 0, kRanks, 500, false);
  for (const Sync sync : {Sync::barrier, Sync::none}) {
    std::atomic<std::uint64_t> made{0};
    Way way{"direct"};
    way.sync = sync;
    way.make_executor = [&made](const RankSettings& settings, Port& port) {
      return std::make_unique<CountingExecutor>(settings, port, made);
    };
    const auto workload = workload_of(problem, way);
    workload->prepare();
    made = 0;
    for (int i = 0; i < kSamples; ++i) workload->run_calls(kCalls);
    checks.equal(made.load(), kCalls * kSamples * kRanks,
                 "synchronisation " + std::to_string(static_cast<int>(sync)) +
                     ": every rank makes every call of a sample");
  }
  Way idle{"direct"};
  idle.sync = Sync::none;
  idle.make_executor = [](const RankSettings& settings, Port& port) {
    return std::make_unique<IdleExecutor>(settings, port);
  };
  const auto workload = workload_of(problem, idle);
  workload->prepare();
  workload->run_calls(kCalls);
  const Verification verification = workload->verify();
  checks.that(!verification.passed && verification.first_wrong == "rank 1 made 10 of 20 calls",
              "a rank that does not make all calls is seen", verification.first_wrong);
  checks.that(workload->ceilings(false).moving.bytes_per_second == 0,
              "where it does not make all passes there is no ceiling");
}

// Of so little that many passes are timed together.
void check_ceiling(Checks& checks) {
  const auto workload = workload_of(problem_of(0, 0, 0, 2, 500, false), {"direct"});
  workload->prepare();
  const auto moving = workload->ceilings(false).moving;
  checks.that(moving.bytes_per_second > 0, "every rank makes every pass of a small ceiling");
}

void check_binding(Checks& checks, bool processes) {
  std::vector<int> cpus = CpuSet::of_thread(0).list();
  if (cpus.size() < 2) {
    Checks::inform("the CPUs of ranks are not checked where there is one only");
    return;
  }
  // Backwards, so that no rank is where it would be by its number.
  cpus = {cpus[1], cpus[0]};
  Way way{"direct", processes};
  way.cpus = cpus;
  const auto workload = workload_of(problem_of(0, 0, 0, 2, 500, false), way);
  workload->prepare();
  const std::vector<int> ids = workload->thread_ids();
  checks.equal(ids.size(), cpus.size(), "every rank has a thread or process");
  for (std::size_t rank = 0; rank < cpus.size() && rank < ids.size(); ++rank)
    checks.that(CpuSet::of_thread(ids[rank]).list() == std::vector{cpus[rank]},
                "rank " + std::to_string(rank) + " is on its CPU" + (processes ? ", processes" : ""));
}

void check_corruption(Checks& checks, Element element, bool processes) {
  const auto workload =
      workload_of(problem_of(0, static_cast<std::size_t>(element), 0, 3, 5000, false), {"direct", processes});
  workload->prepare();
  workload->inject(FaultKind::corrupt_rank);
  workload->run();
  const Verification verification = workload->verify();
  checks.that(!verification.passed && verification.wrong > 0 && !verification.first_wrong.empty(),
              std::string("an altered contribution of one rank is seen, ") +
                  kElements[static_cast<std::size_t>(element)] + (processes ? ", processes" : ""));
}

void check_loss(Checks& checks, FaultKind kind, bool processes, const char* expected) {
  Way way{"direct", processes};
  way.patience = kImpatience;
  const auto workload = workload_of(problem_of(0, 0, 0, 3, 10, false), way);
  workload->prepare();
  workload->run();
  checks.that(workload->measured({}).has_value() && workload->failure().empty(),
              "ranks that arrive have a time");
  workload->inject(kind);
  workload->run();
  checks.that(!workload->measured({}).has_value(), "a call that a rank did not take part in has no time");
  checks.that(workload->failure().find(expected) != std::string::npos,
              std::string("it says so: ") + workload->failure(), workload->failure());
  workload->run();
  checks.that(!workload->measured({}).has_value(), "nor has any later one");
}

}  // namespace

int main() {
  Checks checks;
  check_synchronisations(checks);
  check_calls(checks);
  check_ceiling(checks);
  check_binding(checks, false);
  for (const Element element : {Element::float32, Element::float16, Element::float8_e4m3})
    check_corruption(checks, element, false);
  check_loss(checks, FaultKind::absent_rank, false, "rank 2 did not arrive within 2 s");
  if (kProcesses) {
    check_binding(checks, true);
    check_corruption(checks, Element::float32, true);
    check_loss(checks, FaultKind::absent_rank, true, "rank 2 did not arrive within 2 s");
    check_loss(checks, FaultKind::lost_rank, true, "was killed by signal 9");
  } else {
    Checks::inform("ranks as processes are not checked under this sanitizer");
  }
  return checks.finish();
}
