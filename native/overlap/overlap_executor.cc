#include "overlap_executor.h"

#include <algorithm>
#include <cstdio>

#include "../collective/forwarding_port.h"
#include "../measure/clock.h"
#include "computer.h"

namespace pibench::overlap {
namespace {

using collective::Order;
using collective::Port;
using collective::Report;
using collective::Task;

// The rank's port, which lets a computation begin right before the next call, where one is told to. Its team
// is woken right before the ranks meet: woken before the inputs are written, it would sleep again when the
// call begins.
class BesidePort final : public collective::ForwardingPort {
 public:
  using ForwardingPort::ForwardingPort;

  void begin_next(Computer* computer) noexcept { computer_ = computer; }
  // Whether the call came before which it should have been let begin.
  [[nodiscard]] bool began() const noexcept { return computer_ == nullptr; }
  [[nodiscard]] Nanoseconds beginning() const noexcept { return beginning_; }

  void publish() noexcept override {
    ForwardingPort::publish();
    if (computer_ != nullptr) computer_->arm();
  }

  // Before the collective's time begins: what this takes is in that of no call alone. Nor is what the
  // transport does first, as recording an event, which therefore comes before the product, too.
  void begin() noexcept override {
    ForwardingPort::begin();
    // Where the collective is alone, too: by events its time runs already, and has this reading in it.
    beginning_ = pibench::now();
    if (computer_ == nullptr) return;
    computer_->go();
    computer_ = nullptr;
  }

 private:
  Computer* computer_ = nullptr;
  Nanoseconds beginning_ = 0;
};

class OverlapExecutor final : public collective::Executor {
 public:
  OverlapExecutor(const collective::RankSettings& settings, Port& port,
                  std::function<std::unique_ptr<Workload>()> make_computation, const Tell& tell)
      : port_(port),
        inner_(collective::make_rank_executor(settings, port_)),
        computer_(std::move(make_computation)) {
    tell(port.rank(), computer_.implementation(), computer_.thread_ids());
  }

  void perform(const Order& order, Report& report) noexcept override {
    switch (order.task) {
      case Task::beside:
        report = {};
        beside_ = true;
        return;
      case Task::compute:
        return compute(report);
      case Task::check_computed:
        return check_computed(report);
      case Task::prepare:
        computer_.poison();
        inner_->perform(order, report);
        return tell_failure(report);
      case Task::iterate:
        if (beside_) return iterate_beside(order, report);
        break;
      case Task::check:
      case Task::watch:
      case Task::ceiling:
        break;
    }
    inner_->perform(order, report);
  }

 private:
  void compute(Report& report) noexcept {
    report = {};
    computer_.arm();
    port_.barrier();
    report.entry = port_.now();
    const Nanoseconds beginning = now();
    computer_.go();
    const auto [exit, disturbed] = computer_.await();
    report.computed = exit - beginning;
    report.exit = report.entry + report.computed;
    report.disturbed = disturbed;
    tell_failure(report);
  }

  // A computer that cannot go on ends the measurement, with its reason.
  void tell_failure(Report& report) const noexcept {
    if (computer_.failure().empty()) return;
    report.failed = true;
    std::snprintf(report.text, sizeof report.text, "matmul of rank %d: %s", port_.rank(),
                  computer_.failure().c_str());
  }

  void iterate_beside(const Order& order, Report& report) noexcept {
    beside_ = false;
    port_.begin_next(&computer_);
    inner_->perform(order, report);
    if (!port_.began()) {
      // Waiting for the others was given up.
      port_.begin_next(nullptr);
      computer_.drop();
      static_cast<void>(computer_.await());
      return;
    }
    const auto [exit, disturbed] = computer_.await();
    report.spent = report.exit - report.entry;
    report.computed = exit - port_.beginning();
    // From when the first of the two began, which is the product, until the last has ended. So both at once
    // have as many readings of the clock in them as the two alone together. Ranks that compute are on one
    // host, whose clock is that of all of them.
    report.entry = port_.beginning();
    report.exit = std::max(report.exit, exit);
    report.disturbed = report.disturbed || disturbed;
    tell_failure(report);
  }

  void check_computed(Report& report) noexcept {
    report = {};
    const Verification verification = computer_.verify();
    report.checked = verification.checked;
    report.wrong = verification.passed ? 0 : std::max<std::uint64_t>(1, verification.wrong);
    report.worst = verification.worst_error;
    std::snprintf(report.text, sizeof report.text, "matmul of rank %d: %s", port_.rank(),
                  verification.first_wrong.c_str());
    tell_failure(report);
  }

  BesidePort port_;
  std::unique_ptr<Executor> inner_;
  Computer computer_;
  bool beside_ = false;
};

}  // namespace

std::unique_ptr<collective::Executor> make_overlap_executor(
    const collective::RankSettings& settings, Port& port,
    const std::function<std::unique_ptr<Workload>(int rank)>& make_computation, const Tell& tell) {
  return std::make_unique<OverlapExecutor>(
      settings, port, [make_computation, rank = port.rank()] { return make_computation(rank); }, tell);
}

}  // namespace pibench::overlap
