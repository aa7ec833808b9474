// A product and a collective at once: both are verified, what is wrong in either is seen, each time is there,
// who computes is awake when a call begins and begins before the collective's time, and a rank that is lost,
// or a product that fails, ends it with one line.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../native/collective/forwarding_port.h"
#include "../../native/collective/shm/shm_transport.h"
#include "../../native/measure/fault.h"
#include "../../native/overlap/computer.h"
#include "../../native/overlap/overlap_executor.h"
#include "../../native/overlap/overlap_workload.h"
#include "../../native/threads/preemption.h"
#include "check.h"
#include "fake_workload.h"

namespace {

using pibench::FaultKind;
using pibench::PartTimes;
using pibench::Timed;
using pibench::Verification;
using pibench::Workload;
using pibench::collective::Problem;
using pibench::collective::ShmParameters;
using pibench::test::Checks;
using pibench::test::FakeWorkload;

struct Case {
  int ranks = 2, threads = 1;
  std::int64_t size = 48;
  std::size_t count = 1000;
};

using pibench::collective::ForwardingPort;
using pibench::collective::Order;
using pibench::collective::Port;
using pibench::collective::RankSettings;
using pibench::collective::Report;
using pibench::collective::Sync;
using pibench::collective::Task;
using pibench::collective::Transport;

// The calls that a repetition consists of.
enum class Call : std::uint8_t { none, product_alone, collective_alone, both };

// Another transport's ranks: a check overrides what it lets happen to them.
class Ranks : public Transport {
 public:
  explicit Ranks(std::unique_ptr<Transport> ranks) : ranks_(std::move(ranks)) {}

  void start(const pibench::collective::MakeExecutor& make) override { ranks_->start(make); }
  bool perform(const Order& order) noexcept override { return ranks_->perform(order); }
  [[nodiscard]] std::span<const Report> reports() const noexcept override { return ranks_->reports(); }
  [[nodiscard]] std::string failure() const override { return ranks_->failure(); }
  [[nodiscard]] Port& port() noexcept override { return ranks_->port(); }
  [[nodiscard]] std::string implementation() const override { return ranks_->implementation(); }
  [[nodiscard]] std::vector<int> thread_ids() const override { return ranks_->thread_ids(); }
  pibench::Team& team() noexcept override { return ranks_->team(); }

 private:
  std::unique_ptr<Transport> ranks_;
};
using MakeRanks = std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)>;

// They say of one of these calls that they lost their CPU in it, and of no other, whatever was.
class Disturbing final : public Ranks {
 public:
  Disturbing(std::unique_ptr<Transport> ranks, Call in) : Ranks(std::move(ranks)), in_(in) {}

  bool perform(const Order& order) noexcept override {
    if (order.task == Task::beside) beside_ = true;
    const bool performed = Ranks::perform(order);
    const std::span<const Report> said = Ranks::reports();
    reports_.assign(said.begin(), said.end());
    const bool disturbed = in_ != Call::none && call_of(order.task) == in_;
    for (Report& report : reports_) {
      report.disturbed = disturbed;
      report.late = false;
    }
    if (order.task == Task::iterate) beside_ = false;
    return performed;
  }
  [[nodiscard]] std::span<const Report> reports() const noexcept override { return reports_; }

 private:
  [[nodiscard]] Call call_of(Task task) const noexcept {
    if (task == Task::compute) return Call::product_alone;
    if (task != Task::iterate) return Call::none;
    return beside_ ? Call::both : Call::collective_alone;
  }

  Call in_;
  bool beside_ = false;
  std::vector<Report> reports_;
};

// They are gone once they have looked at their products.
class Leaving final : public Ranks {
 public:
  using Ranks::Ranks;
  bool perform(const Order& order) noexcept override {
    if (gone_) return false;
    gone_ = order.task == Task::check_computed;
    return Ranks::perform(order);
  }
  [[nodiscard]] std::string failure() const override { return gone_ ? "rank 1 is gone" : ""; }

 private:
  bool gone_ = false;
};

std::unique_ptr<Workload> workload_of(const Case& one, pibench::overlap::MakeProduct make_product = {},
                                      const MakeRanks& make_ranks = {}) {
  Problem problem;
  problem.ranks = one.ranks;
  problem.count = one.count;
  const pibench::matmul::Parameters product{{one.size, one.size, one.size, false, false, 1, false},
                                            pibench::kernels::DataType::float32,
                                            one.threads,
                                            {},
                                            "",
                                            7};
  pibench::overlap::Parameters parameters;
  parameters.collective.settings = {problem, Sync::barrier, true, 7};
  parameters.make_product =
      make_product ? std::move(make_product) : pibench::overlap::products_on_cpus(product);
  parameters.seed = 7;
  const ShmParameters shm{problem, false, {}, "", 1'000'000'000, one.ranks * one.threads};
  return pibench::overlap::make_workload(parameters, [shm, make_ranks] {
    auto ranks = pibench::collective::make_shm_transport(shm);
    return make_ranks ? make_ranks(std::move(ranks)) : std::move(ranks);
  });
}

void check_results(Checks& checks, const Case& one) {
  const auto workload = workload_of(one);
  workload->prepare();
  workload->begin_samples(4);
  bool consistent = true;
  for (int i = 0; i < 4; ++i) {
    workload->run();
    const auto timed = workload->measured({});
    consistent = consistent && timed.has_value() && timed->exit > timed->entry;
    if (!timed) break;
    const auto parts = workload->parts();
    // Both at once take no less than the longer of the two that were under way.
    for (const std::size_t part : {2U, 3U})
      consistent = consistent && parts[part].times.back() <= timed->exit - timed->entry;
  }
  const std::string name =
      std::to_string(one.ranks) + " ranks of " + std::to_string(one.threads) + " + 1 threads";
  checks.that(consistent, "both at once end with the later of the two, " + name);
  bool all = workload->parts().size() == 4;
  for (const PartTimes& part : workload->parts()) {
    all = all && part.times.size() == 4;
    for (const pibench::Nanoseconds time : part.times) all = all && time > 0;
  }
  checks.that(all, "every repetition has the time of each part, " + name);
  const Verification verification = workload->verify();
  checks.that(verification.passed, "both results are right, " + name, verification.first_wrong);
  const auto results =
      static_cast<std::uint64_t>(one.ranks) * static_cast<std::uint64_t>(one.size * one.size);
  checks.that(verification.checked >= results, "every rank's product is compared, " + name);
}

void check_corruption(Checks& checks) {
  const auto workload = workload_of({});
  workload->prepare();
  workload->inject(FaultKind::corrupt_rank);
  workload->run();
  const Verification verification = workload->verify();
  checks.that(!verification.passed && verification.wrong > 0, "an altered contribution of one rank is seen");
}

// A product that is wrong while it is timed and right in the call that is made to verify one.
std::unique_ptr<Workload> product_wrong_while(const std::atomic<bool>& timed) {
  auto left = std::make_shared<Verification>();
  auto product = std::make_unique<FakeWorkload>([left, &timed](std::uint64_t) {
    left->checked = 1;
    left->wrong = timed ? 1 : 0;
    left->passed = !timed;
    left->first_wrong = timed ? "it was timed" : "";
  });
  FakeWorkload* const own = product.get();
  own->on_poison = [left] { *left = {}; };
  own->on_verify = [left, own] { own->verification = *left; };
  return product;
}

void check_repetitions(Checks& checks) {
  std::atomic<bool> timed{true};
  const auto workload = workload_of({}, [&timed](int) { return product_wrong_while(timed); });
  workload->prepare();
  workload->run();
  timed = false;
  const Verification left = workload->verify();
  checks.that(!left.passed && left.first_wrong.find("it was timed") != std::string::npos,
              "a product that a repetition left wrong is seen", left.first_wrong);
  workload->poison();
  workload->run();
  checks.that(workload->verify().passed, "and none where all are right");
}

// Of a thread of this process, as /proc tells; '?' where it does not.
char state_of(int thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto after_name = text.rfind(')');
  return after_name == std::string::npos || after_name + 2 >= text.size() ? '?' : text[after_name + 2];
}

// The thread of a team's other member, and how many calls found it asleep.
struct OtherMember {
  std::atomic<int> thread = 0;
  std::atomic<int> asleep = 0;
};

bool sleeps(const OtherMember& other) { return state_of(other.thread) == 'S'; }

// A product by a team of two, which looks at the other member in each call.
std::unique_ptr<Workload> product_of_two(OtherMember& other) {
  auto product = std::make_unique<FakeWorkload>(
      [&other](std::uint64_t) {
        if (sleeps(other)) ++other.asleep;
      },
      2);
  other.thread = product->team().thread_ids()[1];
  return product;
}

// Else waking its members would be in the time of a product that waits for the inputs of a collective, and
// not in that of one alone. On a busy machine who is to keep them awake has no CPU itself now and then.
void check_awake(Checks& checks) {
  // Long after it would have gone to sleep. Not all have to be seen awake: a look takes a while, beside a
  // sanitizer longer than members stay awake by themselves once the call has begun, so there is one before
  // it, too. Calls that were disturbed say nothing, which on a busy machine are nearly all.
  constexpr int kQuiet = 20, kMost = 500;
  OtherMember other;
  int seen = 0, awake = 0;
  pibench::overlap::Computer computer([&other] { return product_of_two(other); });
  for (int i = 0; i < kMost && seen < kQuiet; ++i) {
    other.asleep = 0;
    computer.arm();
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
    const bool slept = sleeps(other);
    // Who looked had one of their CPUs.
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    computer.go();
    if (computer.await().disturbed) continue;
    ++seen;
    if (!slept || other.asleep == 0) ++awake;
  }
  if (seen == kQuiet) {
    checks.that(awake > 0, "a team that was woken stays awake until the call",
                "in " + std::to_string(awake) + " of " + std::to_string(seen) + " calls");
  } else {
    Checks::inform("this machine is too busy to see whether a team stays awake until the call");
  }
  // Inputs that take longer to write than members stay awake by themselves.
  const auto workload = workload_of({1, 1, 48, 16'000'000}, [&other](int) { return product_of_two(other); });
  workload->prepare();
  constexpr int kEnough = 3;
  int made = 0;
  for (awake = 0; made < kMost && awake < kEnough; ++made) {
    other.asleep = 0;
    workload->run();
    if (other.asleep == 0) ++awake;
  }
  checks.that(awake == kEnough, "it is awake when a product begins, alone and beside a collective",
              "in " + std::to_string(awake) + " of " + std::to_string(made) + " repetitions");
}

// Of the two products of a repetition the first one sleeps, which is the one that is made alone or the other.
void check_disturbances(Checks& checks) {
  if (!pibench::PreemptionWire::available())
    return Checks::inform("who loses its CPU is not known here: whether a repetition tells it is not seen");
  const auto workload = workload_of({1, 1, 48, 1000}, [](int) {
    return std::make_unique<FakeWorkload>([](std::uint64_t call) {
      if (call % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    });
  });
  workload->prepare();
  constexpr int kRepetitions = 12;
  int disturbed = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    workload->run();
    const auto timed = workload->measured({});
    if (timed && timed->disturbed) ++disturbed;
  }
  checks.that(disturbed == kRepetitions, "who loses its CPU in any call of a repetition disturbs it",
              std::to_string(disturbed) + " of " + std::to_string(kRepetitions));
}

// What any of its calls says disturbs a repetition, and nothing else does: the order of the calls is drawn.
void check_disturbed_calls(Checks& checks) {
  constexpr int kRepetitions = 12;
  const auto disturbed_of = [](Call call) {
    const auto workload = workload_of({}, {}, [call](std::unique_ptr<Transport> ranks) {
      return std::make_unique<Disturbing>(std::move(ranks), call);
    });
    workload->prepare();
    int disturbed = 0;
    for (int i = 0; i < kRepetitions; ++i) {
      workload->run();
      const auto timed = workload->measured({});
      if (timed && timed->disturbed) ++disturbed;
    }
    return disturbed;
  };
  checks.that(disturbed_of(Call::none) == 0, "a repetition of undisturbed calls is none");
  checks.that(disturbed_of(Call::product_alone) == kRepetitions, "the product alone disturbs it");
  checks.that(disturbed_of(Call::collective_alone) == kRepetitions, "the collective alone does");
  checks.that(disturbed_of(Call::both) == kRepetitions, "both at once do");
}

// What a rank that is alone reports of a call beside its product, with a port of the check's kind.
template <typename Beside, typename... Arguments>
Report report_beside(const pibench::overlap::MakeProduct& make_product, std::unique_ptr<Beside>& port,
                     const Arguments&... arguments) {
  Problem problem;
  problem.ranks = 1;
  problem.count = 16;
  const auto ranks = pibench::collective::make_shm_transport({problem, false, {}, "", 1'000'000'000, 1});
  ranks->start([&](Port& own) {
    port = std::make_unique<Beside>(own, arguments...);
    return pibench::overlap::make_overlap_executor(RankSettings{problem, Sync::barrier, true, 7}, *port,
                                                   make_product, [](int, const auto&, const auto&) {});
  });
  ranks->perform({.task = Task::prepare});
  ranks->perform({.task = Task::beside});
  ranks->perform({.task = Task::iterate, .iteration = 1});
  return ranks->reports()[0];
}

// A rank whose collective's time begins, by the first reading of the clock after begin(), when a product has
// begun, or never will.
class Beginning final : public ForwardingPort {
 public:
  Beginning(Port& port, const std::atomic<bool>& begun) : ForwardingPort(port), begun_(begun) {}
  [[nodiscard]] bool was_in_time() const noexcept { return was_in_time_; }
  void begin() noexcept override {
    ForwardingPort::begin();
    begins_ = true;
  }
  [[nodiscard]] pibench::Nanoseconds now() const noexcept override {
    if (std::exchange(begins_, false)) was_in_time_ = is_begun();
    return ForwardingPort::now();
  }

 private:
  [[nodiscard]] bool is_begun() const noexcept {
    constexpr pibench::Nanoseconds kPatience = 5'000'000'000;
    const pibench::Nanoseconds until = pibench::now() + kPatience;
    while (!begun_ && pibench::now() < until) std::this_thread::yield();
    return begun_;
  }

  const std::atomic<bool>& begun_;
  mutable bool begins_ = false, was_in_time_ = false;
};

// Else letting it begin would be in the time of a collective beside it, and not in that of one alone: of a
// short one that is much.
void check_beginning(Checks& checks) {
  std::atomic<bool> begun{false};
  std::unique_ptr<Beginning> port;
  report_beside(
      [&begun](int) { return std::make_unique<FakeWorkload>([&begun](std::uint64_t) { begun = true; }); },
      port, begun);
  checks.that(port->was_in_time(), "a product is let begin before the time of the collective beside it");
}

// A rank where reading the clock takes long, and so does what a collective does before its first call.
class Slow final : public ForwardingPort {
 public:
  static constexpr pibench::Nanoseconds kReading = 5'000'000;
  using ForwardingPort::ForwardingPort;
  [[nodiscard]] pibench::Nanoseconds ready() const noexcept { return ready_; }
  void begin() noexcept override {
    wait();
    ForwardingPort::begin();
    ready_ = pibench::now();
  }
  [[nodiscard]] pibench::Nanoseconds now() const noexcept override {
    wait();
    return ForwardingPort::now();
  }

 private:
  // Asleep: the product may need its CPU.
  static void wait() noexcept { std::this_thread::sleep_for(std::chrono::nanoseconds{kReading}); }

  pibench::Nanoseconds ready_ = 0;
};

// Else a product that had ended before the collective began would hide it; and what a transport does before
// the time of a collective alone would be in that of both at once.
void check_both_at_once(Checks& checks) {
  std::unique_ptr<Slow> port;
  const Report report = report_beside([](int) { return std::make_unique<FakeWorkload>(); }, port);
  const pibench::Nanoseconds both = report.exit - report.entry;
  checks.that(both >= report.spent + Slow::kReading,
              "both at once last from when the first of them begins until the later has ended",
              std::to_string(both) + " ns, of which the collective took " + std::to_string(report.spent));
  checks.that(report.entry >= port->ready(), "what a collective does before its time is not in it");
}

// What is wrong with its results, or why they cannot be verified.
std::string trouble_of_verifying(Workload& workload, FaultKind fault = FaultKind::none) {
  try {
    workload.prepare();
    workload.inject(fault);
    workload.run();
    return workload.verify().first_wrong;
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

// Nothing of it is a wrong result, and it takes none back that was seen before.
void check_late_loss(Checks& checks) {
  const auto leaving = [](std::unique_ptr<Transport> ranks) {
    return std::make_unique<Leaving>(std::move(ranks));
  };
  const std::string lost = trouble_of_verifying(*workload_of({}, {}, leaving));
  checks.that(lost == "rank 1 is gone", "a rank that is lost while results are verified is named", lost);
  const auto failing = [](int) {
    auto product = std::make_unique<FakeWorkload>();
    product->on_verify = [] { throw std::runtime_error("no device"); };
    return product;
  };
  const std::string failed = trouble_of_verifying(*workload_of({}, failing, leaving));
  checks.that(failed.starts_with("matmul of rank ") && failed.ends_with(": no device"),
              "a product that cannot be looked at is named, and not what came of it", failed);
  const std::atomic<bool> timed{true};
  const auto wrong = [&timed](int) { return product_wrong_while(timed); };
  const std::string product = trouble_of_verifying(*workload_of({}, wrong, leaving));
  checks.that(product.ends_with(": it was timed"), "a product that was wrong before a rank was lost is",
              product);
  for (const auto& make_product : {pibench::overlap::MakeProduct{}, pibench::overlap::MakeProduct{failing}}) {
    const std::string collective =
        trouble_of_verifying(*workload_of({}, make_product, leaving), FaultKind::corrupt_rank);
    checks.that(collective.starts_with("element "),
                std::string("so is a collective that was wrong before ") +
                    (make_product ? "a product could not be looked at" : "a rank was lost"),
                collective);
  }
}

void check_loss(Checks& checks) {
  const auto workload = workload_of({});
  workload->prepare();
  workload->run();
  checks.that(workload->measured({}).has_value(), "ranks that arrive have a time");
  workload->inject(FaultKind::absent_rank);
  workload->run();
  checks.that(!workload->measured({}).has_value(), "without a rank there is no time");
  checks.that(workload->failure().find("rank 1 did not arrive within 1 s") != std::string::npos,
              "it says which rank never arrived", workload->failure());
}

}  // namespace

int main() {
  Checks checks;
  check_results(checks, {});
  check_results(checks, {3, 2, 65, 20'000});
  check_corruption(checks);
  check_repetitions(checks);
  check_awake(checks);
  check_disturbances(checks);
  check_disturbed_calls(checks);
  check_beginning(checks);
  check_both_at_once(checks);
  check_loss(checks);
  check_late_loss(checks);
  return checks.finish();
}
