#include "fault.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "clock.h"

namespace pibench {
namespace {

constexpr Nanoseconds kSlow = 50'000'000;

class FaultyWorkload final : public Workload {
 public:
  FaultyWorkload(std::unique_ptr<Workload> inner, Fault fault, const Control& control)
      : inner_(std::move(inner)), fault_(fault), control_(control) {}

  void prepare() override {
    inner_->prepare();
    if (fault_.kind == FaultKind::repeated_work) inner_->prepare_again(fault_.share);
  }
  void run() noexcept override { run_calls(1); }
  void finish() noexcept override { inner_->finish(); }
  void run_calls(std::uint64_t calls) noexcept override {
    if (fault_.kind == FaultKind::repeated_work) {
      for (std::uint64_t call = 0; call < calls; ++call) {
        inner_->run();
        inner_->run_again();
      }
      return;
    }
    const std::uint64_t taken = control_.taken.load(std::memory_order_relaxed);
    const bool repeats = control_.phase.load(std::memory_order_relaxed) == Phase::measure;
    skips_ = skips_ || (fault_.kind == FaultKind::skipped_calls && repeats && taken >= fault_.at);
    if (skips_) return;
    const bool now = repeats && taken == fault_.at;
    if (now) inner_->inject(fault_.kind);
    inner_->run_calls(calls);
    if (now) happen();
  }
  [[nodiscard]] bool times_itself() const override { return inner_->times_itself(); }
  std::optional<Timed> measured(const Timed& whole) noexcept override {
    auto timed = inner_->measured(whole);
    // What the fault added to the repetition belongs to it.
    if (timed && slept_ > 0) timed->exit = std::max(timed->exit, timed->entry + std::exchange(slept_, 0));
    return timed;
  }
  [[nodiscard]] std::string failure() const override { return inner_->failure(); }
  [[nodiscard]] bool times_each_call() const override { return inner_->times_each_call(); }
  [[nodiscard]] std::uint64_t least_calls() const override { return inner_->least_calls(); }
  void begin_samples(std::uint64_t most) override { inner_->begin_samples(most); }
  void samples_taken() noexcept override { inner_->samples_taken(); }
  void end_samples() override { inner_->end_samples(); }
  [[nodiscard]] std::optional<Traffic> traffic() const override { return inner_->traffic(); }
  [[nodiscard]] const RankTimes* rank_times() const override { return inner_->rank_times(); }
  [[nodiscard]] std::span<const PartTimes> parts() const override { return inner_->parts(); }
  void evict() noexcept override { inner_->evict(); }
  void poison() noexcept override { inner_->poison(); }
  Verification verify() override {
    if (fault_.kind == FaultKind::wrong_element) displace_element();
    return inner_->verify();
  }
  void renew() override { inner_->renew(); }
  [[nodiscard]] bool verifies_one_call() const override { return inner_->verifies_one_call(); }
  Ceilings ceilings(bool cold) override { return inner_->ceilings(cold); }
  std::optional<double> glance_at_peak(Nanoseconds about) override { return inner_->glance_at_peak(about); }
  Output output() noexcept override { return inner_->output(); }
  [[nodiscard]] std::vector<std::span<const std::byte>> arrays() const override { return inner_->arrays(); }
  [[nodiscard]] std::string implementation() const override { return inner_->implementation(); }
  [[nodiscard]] std::optional<LibraryReport> library() const override { return inner_->library(); }
  void find_library_threads() override { inner_->find_library_threads(); }
  void bind_library_threads() override { inner_->bind_library_threads(); }
  [[nodiscard]] std::vector<int> thread_ids() override { return inner_->thread_ids(); }
  [[nodiscard]] bool every_thread_is_watched() const override { return inner_->every_thread_is_watched(); }
  DeviceClock* device_clock() noexcept override { return inner_->device_clock(); }
  NamedClock timing_clock() override { return inner_->timing_clock(); }
  bool settled() override { return inner_->settled(); }
  std::string device_report(Nanoseconds begin, Nanoseconds end) override {
    return inner_->device_report(begin, end);
  }
  std::string fault_report() override { return inner_->fault_report(); }
  Team& team() noexcept override { return inner_->team(); }

 private:
  void happen() noexcept {
    switch (fault_.kind) {
      case FaultKind::slow_repetition: {
        const Nanoseconds until = now() + kSlow;
        while (now() < until) {
        }
        slept_ = kSlow;
        break;
      }
      case FaultKind::stall:
        for (;;) pause();
      case FaultKind::crash:
        std::abort();
      case FaultKind::none:
      case FaultKind::wrong_element:
      case FaultKind::skipped_calls:
      case FaultKind::corrupt_rank:
      case FaultKind::absent_rank:
      case FaultKind::lost_rank:
      case FaultKind::repeated_work:
        break;
    }
  }

  // The middle element gets its neighbour's value, as an index that is off by one would give it; a single
  // element gets the value zero bytes stand for. Where that is its own value, as in an output that is the
  // same throughout, every bit is turned over: a fault that changes nothing would be none.
  void displace_element() noexcept {
    const Output out = inner_->output();
    if (out.bytes.empty()) return;
    const std::size_t count = out.bytes.size() / out.element;
    std::byte* const middle = out.bytes.data() + count / 2 * out.element;
    bool changed = false;
    for (std::size_t i = 0; i < out.element; ++i) {
      const std::byte wrong =
          count > 1 ? middle[static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(out.element)]
                    : std::byte{0};
      changed = changed || wrong != middle[i];
      middle[i] = wrong;
    }
    if (changed) return;
    for (std::size_t i = 0; i < out.element; ++i) middle[i] = ~middle[i];
  }

  std::unique_ptr<Workload> inner_;
  Fault fault_;
  const Control& control_;
  Nanoseconds slept_ = 0;
  bool skips_ = false;
};

}  // namespace

std::unique_ptr<Workload> with_fault(std::unique_ptr<Workload> workload, Fault fault,
                                     const Control& control) {
  if (fault.kind == FaultKind::none) return workload;
  return std::make_unique<FaultyWorkload>(std::move(workload), fault, control);
}

}  // namespace pibench
