// What the ranks of a collective do with an order: every call of a sample and every pass of a ceiling is
// made, each rank is on its CPU, every rank's times are kept; where others may have waited for a rank that
// had no CPU, the wire tells; what one rank, or the library of all, does wrongly is seen, and one that is
// lost or never arrives ends a measurement with one line.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../native/collective/forwarding_port.h"
#include "../../native/collective/rank_executor.h"
#include "../../native/collective/shm/waiter.h"
#include "../../native/measure/fault.h"
#include "../../native/telemetry/huge_pages.h"
#include "../../native/threads/affinity.h"
#include "../../native/threads/preemption.h"
#include "check.h"
#include "collective_cases.h"

namespace {

using pibench::CpuSet;
using pibench::FaultKind;
using pibench::Nanoseconds;
using pibench::PreemptionWire;
using pibench::Verification;
using pibench::collective::Element;
using pibench::collective::Executor;
using pibench::collective::ForwardingPort;
using pibench::collective::MakeExecutor;
using pibench::collective::Order;
using pibench::collective::Port;
using pibench::collective::Problem;
using pibench::collective::RankSettings;
using pibench::collective::Report;
using pibench::collective::ShmParameters;
using pibench::collective::Sync;
using pibench::collective::Transport;
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

// A rank whose calls another port makes.
template <typename Library>
class ExecutorBy final : public Executor {
 public:
  ExecutorBy(const RankSettings& settings, Port& port)
      : port_(port), own_(pibench::collective::make_rank_executor(settings, port_)) {}
  void perform(const Order& order, Report& report) noexcept override { own_->perform(order, report); }

 private:
  Library port_;
  std::unique_ptr<Executor> own_;
};

template <typename Library>
Way way_by(Sync sync) {
  Way way{"direct"};
  way.sync = sync;
  way.fresh = sync != Sync::none;
  way.make_executor = [](const RankSettings& settings, Port& port) {
    return std::make_unique<ExecutorBy<Library>>(settings, port);
  };
  return way;
}

class Returning final : public ForwardingPort {
 public:
  using ForwardingPort::ForwardingPort;
  void run() noexcept override {}
};

// Makes the first of twenty calls.
class Lazy final : public ForwardingPort {
 public:
  using ForwardingPort::ForwardingPort;
  void run() noexcept override {
    if (calls_++ % 20 == 0) ForwardingPort::run();
  }

 private:
  std::uint64_t calls_ = 0;
};

// Makes one call, and keeps what came of it.
class Keeping final : public ForwardingPort {
 public:
  using ForwardingPort::ForwardingPort;
  void run() noexcept override {
    const auto output = operands().output;
    if (kept_.empty()) {
      ForwardingPort::run();
      kept_.assign(output.begin(), output.end());
    }
    std::ranges::copy(kept_, output.begin());
  }

 private:
  std::vector<std::byte> kept_;
};

class Scribbling final : public ForwardingPort {
 public:
  using ForwardingPort::ForwardingPort;
  void run() noexcept override {
    ForwardingPort::run();
    if (rank() == 1) operands().input[8] ^= std::byte{1};
  }
};

// Ranks whose clocks may be wrong by so much against each other.
class UncertainTransport final : public Transport {
 public:
  UncertainTransport(std::unique_ptr<Transport> inner, Nanoseconds uncertainty)
      : inner_(std::move(inner)), uncertainty_(uncertainty) {}
  void start(const MakeExecutor& make) override { inner_->start(make); }
  bool perform(const Order& order) noexcept override { return inner_->perform(order); }
  [[nodiscard]] std::span<const Report> reports() const noexcept override { return inner_->reports(); }
  [[nodiscard]] std::string failure() const override { return inner_->failure(); }
  [[nodiscard]] Nanoseconds clock_uncertainty() const noexcept override { return uncertainty_; }
  [[nodiscard]] Port& port() noexcept override { return inner_->port(); }
  [[nodiscard]] std::string implementation() const override { return inner_->implementation(); }
  [[nodiscard]] std::vector<int> thread_ids() const override { return inner_->thread_ids(); }
  pibench::Team& team() noexcept override { return inner_->team(); }

 private:
  std::unique_ptr<Transport> inner_;
  Nanoseconds uncertainty_;
};

Verification verified(const Problem& problem, const Way& way, Nanoseconds uncertainty = 0) {
  const ShmParameters shm{problem, false, {}, "", static_cast<Nanoseconds>(way.patience * 1e9)};
  const auto workload = pibench::collective::make_workload(
      {{problem, way.sync, way.fresh, 7}, way.algorithm, way.make_executor}, [&] {
        return std::make_unique<UncertainTransport>(pibench::collective::make_shm_transport(shm),
                                                    uncertainty);
      });
  workload->prepare();
  for (int i = 0; i < 3; ++i) workload->run_calls(way.sync == Sync::none ? 20 : 1);
  return workload->verify();
}

// Ranks that have just met leave together, whether they wait or not.
void check_barriers(Checks& checks) {
  constexpr std::size_t kBarrier = 9;
  const Problem problem = problem_of(kBarrier, 0, 0, 3, 0, false);
  for (const Nanoseconds uncertainty : {0, 1'000'000}) {
    for (const Sync sync : {Sync::barrier, Sync::none}) {
      const std::string how = std::string(sync == Sync::none ? ", many together" : "") +
                              (uncertainty > 0 ? ", by clocks that may be wrong" : "");
      const Verification right = verified(problem, way_by<ForwardingPort>(sync), uncertainty);
      checks.that(right.passed && right.method.ends_with("with each rank held back in turn"),
                  "a barrier waits for each rank" + how, right.first_wrong + right.method);
      const Verification wrong = verified(problem, way_by<Returning>(sync), uncertainty);
      checks.that(!wrong.passed && wrong.first_wrong.find("left the barrier before") != std::string::npos,
                  "one that returns at once is seen" + how, wrong.first_wrong);
    }
  }
}

void check_libraries(Checks& checks) {
  const Problem problem = problem_of(0, 0, 0, 3, 500, false);
  const auto is_seen = [&checks](const Verification& verification, const std::string& what) {
    checks.that(!verification.passed && !verification.first_wrong.empty(), what + " is seen");
  };
  const Verification right = verified(problem, way_by<ForwardingPort>(Sync::none));
  checks.that(right.passed && right.method.starts_with("sampled once in 20 calls"),
              "of calls that run into each other it says how many were looked at", right.method);
  is_seen(verified(problem, way_by<Lazy>(Sync::none)), "a library that makes one of twenty calls");
  is_seen(verified(problem, way_by<Keeping>(Sync::none)), "one that keeps a result");
  Way clean = way_by<Keeping>(Sync::barrier);
  clean.fresh = false;
  is_seen(verified(problem, clean), "one that keeps it where inputs stay as they are");
  const Verification scribbled = verified(problem, way_by<Scribbling>(Sync::barrier));
  checks.that(scribbled.first_wrong.starts_with("element 2 of what rank 1 gave is no longer"),
              "one that changes an input is seen", scribbled.first_wrong);
}

void nap() noexcept { std::this_thread::sleep_for(std::chrono::milliseconds{3}); }

// The last rank loses its CPU for some milliseconds in the barrier, after it has told the others that it is
// there; or while it waits for the moment at which all begin, after a look that was in time.
class Napping final : public ForwardingPort {
 public:
  using ForwardingPort::ForwardingPort;
  [[nodiscard]] bool napped() const noexcept { return napped_; }
  void publish() noexcept override {
    ForwardingPort::publish();
    napped_ = false;
  }
  void meet() noexcept override {
    ForwardingPort::meet();
    if (!is_last()) return;
    nap();
    napped_ = true;
  }
  Nanoseconds latest(Nanoseconds mine) noexcept override {
    moment_ = ForwardingPort::latest(mine);
    waits_ = is_last();
    return moment_;
  }
  [[nodiscard]] Nanoseconds now() const noexcept override {
    if (waits_ && was_in_time_) {
      nap();
      napped_ = true;
    }
    const Nanoseconds at = ForwardingPort::now();
    waits_ = waits_ && at < moment_;
    was_in_time_ = waits_;
    return at;
  }

 private:
  [[nodiscard]] bool is_last() const noexcept { return rank() == 1; }

  Nanoseconds moment_ = 0;
  mutable bool waits_ = false, was_in_time_ = false, napped_ = false;
};

// Counts what the last rank reports of iterations in which it napped.
struct Told {
  int napped = 0, disturbed = 0, late = 0;
};
class NappingExecutor final : public Executor {
 public:
  NappingExecutor(const RankSettings& settings, Port& port, Told& told)
      : port_(port), own_(pibench::collective::make_rank_executor(settings, port_)), told_(told) {}
  void perform(const Order& order, Report& report) noexcept override {
    own_->perform(order, report);
    if (!port_.napped()) return;
    ++told_.napped;
    told_.disturbed += report.disturbed ? 1 : 0;
    told_.late += report.late ? 1 : 0;
  }

 private:
  Napping port_;
  std::unique_ptr<Executor> own_;
  Told& told_;
};

void check_meetings(Checks& checks) {
  for (const Sync sync : {Sync::barrier, Sync::window}) {
    Told told;
    Way way{"direct"};
    way.sync = sync;
    way.make_executor = [&told](const RankSettings& settings, Port& port) {
      return std::make_unique<NappingExecutor>(settings, port, told);
    };
    const auto workload = workload_of(problem_of(0, 0, 0, 2, 100, false), way);
    workload->prepare();
    for (int i = 0; i < 5; ++i) workload->run();
    const auto timed = workload->measured({});
    const std::string counts = std::to_string(told.disturbed) + " disturbed, " + std::to_string(told.late) +
                               " late of " + std::to_string(told.napped);
    if (sync == Sync::window) {
      checks.that(told.napped > 0 && told.late == told.napped,
                  "a rank that loses its CPU while it waits for the common moment comes late", counts);
    } else if (PreemptionWire::available()) {
      checks.that(told.napped == 5 && told.disturbed == told.napped && timed && timed->disturbed,
                  "a rank that loses its CPU where others may have left the barrier disturbs them", counts);
    }
  }
}

// A rank that gives its CPU to others while it waits for those that have not come is not missed.
void check_waits(Checks& checks) {
  if (!PreemptionWire::available()) return;
  using pibench::collective::Board;
  using pibench::collective::Waiter;
  Board board;
  Waiter waiter(board, 0, true, static_cast<Nanoseconds>(pibench::test::kPatience * 1e9), {});
  constexpr int kNap = 200, kThere = 210;
  // Whether the wire tells of a nap while it waits.
  const auto tells = [&](bool forgives, bool was_tripped) {
    waiter.forgive(forgives);
    PreemptionWire::arm();
    if (was_tripped) PreemptionWire::disarm();
    int looks = 0;
    waiter.until(
        [&] {
          if (++looks == kNap) std::this_thread::sleep_for(std::chrono::milliseconds{1});
          return looks >= kThere;
        },
        1);
    return PreemptionWire::tripped();
  };
  bool forgiven = false;
  constexpr int kTries = 20;
  for (int i = 0; i < kTries && !forgiven; ++i) forgiven = !tells(true, false);
  checks.that(forgiven, "what happens to a rank before whom it waits for has come is forgiven in a meeting");
  checks.that(tells(true, true), "what happened before it waited is not");
  checks.that(tells(false, false), "nor is anything in a call");
}

void check_arrays(Checks& checks) {
  for (const bool in_place : {false, true}) {
    const Problem problem = problem_of(0, 0, 0, 2, std::size_t{1} << 20U, in_place);
    const auto workload = workload_of(problem, {"direct"});
    workload->prepare();
    std::size_t bytes = 0;
    for (const auto array : workload->arrays()) bytes += array.size();
    checks.equal(bytes, (in_place ? 1 : 2) * problem.count * sizeof(float),
                 std::string("the operands of a rank are its arrays, each byte once") +
                     (in_place ? ", in place" : ""));
    std::ifstream smaps("/proc/self/smaps");
    const bool tells = smaps.is_open() && std::ifstream("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
    if (tells && !pibench::test::kThreadSanitizer)
      checks.that(pibench::huge_pages_behind(workload->arrays()).has_value(),
                  "what pages they lie on is known");
  }
}

// Of so little that many passes are timed together.
void check_ceiling(Checks& checks) {
  const auto workload = workload_of(problem_of(0, 0, 0, 2, 500, false), {"direct"});
  workload->prepare();
  const auto moving = workload->ceilings(false).moving;
  checks.that(moving.bytes_per_second > 0, "every rank makes every pass of a small ceiling");
  constexpr std::size_t kReduce = 4;
  for (const auto& [ranks, pass] : {std::pair{2, "add,"}, std::pair{4, "add and read,"}}) {
    const auto reduction = workload_of(problem_of(kReduce, 0, 0, ranks, 5000, false), {"direct"});
    reduction->prepare();
    const auto of_reduction = reduction->ceilings(false).moving;
    checks.that(of_reduction.bytes_per_second > 0 && of_reduction.by.starts_with(pass),
                "passes load what a reduction of " + std::to_string(ranks) + " loads for each store",
                of_reduction.by);
  }
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

// Who is lost when the repetitions are over leaves no output that could be called wrong.
void check_late_loss(Checks& checks, bool before_ceilings) {
  Way way{"direct", true};
  way.patience = kImpatience;
  const auto workload = workload_of(problem_of(0, 0, 0, 3, 10, false), way);
  workload->prepare();
  workload->run();
  if (!before_ceilings) workload->ceilings(false);
  kill(workload->thread_ids()[2], SIGKILL);
  if (before_ceilings) workload->ceilings(false);
  std::string why;
  try {
    why = workload->verify().passed ? "right" : "wrong";
  } catch (const std::runtime_error& error) {
    why = error.what();
  }
  checks.that(why.starts_with("rank 2 of 3 was killed by signal 9"),
              std::string("a rank that is killed before ") + (before_ceilings ? "ceilings" : "verification") +
                  " is named, and no output wrong",
              why);
}

// Nothing that is lost afterwards makes it right, and what the lost rank would have left is not added to it.
void check_loss_after_wrong(Checks& checks) {
  Way way{"direct", true};
  way.patience = kImpatience;
  const auto workload = workload_of(problem_of(0, 0, 0, 3, 5000, false), way);
  workload->prepare();
  workload->inject(FaultKind::corrupt_rank);
  workload->run();
  kill(workload->thread_ids()[2], SIGKILL);
  try {
    const Verification verification = workload->verify();
    checks.that(!verification.passed && verification.first_wrong.starts_with("element "),
                "an output that was wrong before a rank was lost is called wrong", verification.first_wrong);
    const std::uint64_t seen = 3 * Port::kMostAtEnd;
    checks.that(verification.wrong > 0 && verification.wrong <= seen && verification.checked == seen,
                "by what was looked at while all ranks were there",
                std::to_string(verification.wrong) + " of " + std::to_string(verification.checked));
    checks.that(verification.method.find("rank 2 of 3 was killed by signal 9") != std::string::npos,
                "and it says why no more was", verification.method);
  } catch (const std::runtime_error& error) {
    checks.that(false, "an output that was wrong before a rank was lost is called wrong", error.what());
  }
}

}  // namespace

int main() {
  Checks checks;
  check_synchronisations(checks);
  check_calls(checks);
  check_barriers(checks);
  check_libraries(checks);
  check_meetings(checks);
  check_waits(checks);
  check_arrays(checks);
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
    check_late_loss(checks, true);
    check_late_loss(checks, false);
    check_loss_after_wrong(checks);
  } else {
    Checks::inform("ranks as processes are not checked under this sanitizer");
  }
  return checks.finish();
}
