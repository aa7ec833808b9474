#include "overlap_workload.h"

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../random.h"
#include "overlap_executor.h"

namespace pibench::overlap {
namespace {

using collective::Report;
using collective::Task;
using collective::Transport;

enum class Call : std::uint8_t { collective, matmul, both };
using Calls = std::array<Call, 3>;

constexpr std::array<Calls, 6> kOrders{{{Call::collective, Call::matmul, Call::both},
                                        {Call::collective, Call::both, Call::matmul},
                                        {Call::matmul, Call::collective, Call::both},
                                        {Call::matmul, Call::both, Call::collective},
                                        {Call::both, Call::collective, Call::matmul},
                                        {Call::both, Call::matmul, Call::collective}}};

// Times of so many repetitions are kept.
constexpr std::uint64_t kMostTimes = 1'000'000;

// In the order of parts_.
enum Which : std::size_t { kMatmulAlone, kCollectiveAlone, kMatmulBeside, kCollectiveBeside };

// What the ranks' computations told, from threads of their own.
class Told {
 public:
  void add(int rank, const std::string& implementation, const std::vector<int>& thread_ids) {
    const std::lock_guard guard(mutex_);
    if (rank == 0) implementation_ = implementation;
    thread_ids_.insert(thread_ids_.end(), thread_ids.begin(), thread_ids.end());
  }
  [[nodiscard]] std::string implementation() const {
    const std::lock_guard guard(mutex_);
    return implementation_;
  }
  [[nodiscard]] std::vector<int> thread_ids() const {
    const std::lock_guard guard(mutex_);
    return thread_ids_;
  }

 private:
  mutable std::mutex mutex_;
  std::string implementation_;
  std::vector<int> thread_ids_;
};

// Of one rank: its share of the CPUs, and operands of its own.
matmul::Parameters of_rank(const matmul::Parameters& all, int rank) {
  matmul::Parameters own = all;
  const auto r = static_cast<std::size_t>(rank);
  const auto threads = static_cast<std::size_t>(all.threads);
  own.cpus.clear();
  for (std::size_t i = r * threads; i < (r + 1) * threads && i < all.cpus.size(); ++i)
    own.cpus.push_back(all.cpus[i]);
  own.seed = draw(all.seed, r);
  return own;
}

class OverlapWorkload final : public Workload {
 public:
  OverlapWorkload(const Parameters& parameters,
                  const std::function<std::unique_ptr<Transport>()>& make_transport)
      : seed_(parameters.seed),
        parts_{PartTimes{"matmul_alone", {}}, PartTimes{"collective_alone", {}},
               PartTimes{"matmul_beside", {}}, PartTimes{"collective_beside", {}}} {
    collective::Parameters of_ranks = parameters.collective;
    of_ranks.make_executor = [this, make_product = parameters.make_product](
                                 const collective::RankSettings& settings, collective::Port& port) {
      return make_overlap_executor(
          settings, port, make_product,
          [this](int rank, const std::string& implementation, const std::vector<int>& thread_ids) {
            told_.add(rank, implementation, thread_ids);
          });
    };
    collective_ = collective::make_workload(of_ranks, [&] {
      auto transport = make_transport();
      transport_ = transport.get();
      return transport;
    });
  }

  void prepare() override { collective_->prepare(); }

  void run() noexcept override {
    disturbed_ = false;
    for (const Call call : kOrders[draw(seed_, repetition_++) % kOrders.size()]) make(call);
  }

  [[nodiscard]] bool times_itself() const override { return true; }
  std::optional<Timed> measured(const Timed& whole) noexcept override {
    static_cast<void>(whole);
    if (lost_) return std::nullopt;
    if (parts_[0].times.size() < most_kept_) {
      for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].times.push_back(last_[i]);
    }
    return Timed{both_.entry, both_.exit, disturbed_};
  }

  // The collective's, where the product is timed by another: that is the host's, and finer.
  NamedClock timing_clock() override { return collective_->timing_clock(); }

  [[nodiscard]] std::string failure() const override {
    return failure_.empty() ? collective_->failure() : failure_;
  }
  [[nodiscard]] bool times_each_call() const override { return true; }

  void begin_samples(std::uint64_t most) override {
    most_kept_ = std::min(most, kMostTimes);
    for (PartTimes& part : parts_) {
      part.times.clear();
      part.times.reserve(most_kept_);
    }
  }
  [[nodiscard]] std::span<const PartTimes> parts() const override { return parts_; }

  void inject(FaultKind kind) noexcept override { collective_->inject(kind); }
  void evict() noexcept override {}
  void poison() noexcept override { collective_->poison(); }

  // What the last repetition left, and the outputs of both of calls that were made at once.
  Verification verify() override {
    // The product's first: to verify the collective poisons what both leave.
    Verification left = computed_by_all();
    static_cast<void>(exchanged_by_all());
    poison();
    make(Call::both);
    Verification computed = computed_by_all();
    computed.worst_error = std::max(computed.worst_error, left.worst_error);
    computed.checked += left.checked;
    computed.wrong += left.wrong;
    if (!left.first_wrong.empty()) computed.first_wrong = std::move(left.first_wrong);
    computed.passed = computed.passed && left.passed;
    // It counts what it found so far, too.
    Verification verification = exchanged_by_all();
    verification.method = "collective " + verification.method + "; matmul beside it, of every rank";
    verification.tolerance = "collective: none; matmul: that of its data type";
    verification.worst_error = std::max(verification.worst_error, computed.worst_error);
    verification.checked += computed.checked;
    verification.wrong += computed.wrong;
    if (verification.first_wrong.empty()) verification.first_wrong = std::move(computed.first_wrong);
    verification.passed = verification.passed && computed.passed;
    // What could not be computed, or a lost rank would have left, is no wrong result; what was wrong before
    // is one.
    if (lost_ && verification.wrong == 0) throw std::runtime_error(failure());
    return verification;
  }
  [[nodiscard]] bool verifies_one_call() const override { return true; }

  std::string device_report(Nanoseconds begin, Nanoseconds end) override {
    return collective_->device_report(begin, end);
  }
  std::string fault_report() override { return collective_->fault_report(); }
  Output output() noexcept override { return collective_->output(); }
  [[nodiscard]] std::string implementation() const override {
    return "matmul " + told_.implementation() + ", " + collective_->implementation();
  }
  [[nodiscard]] std::optional<LibraryReport> library() const override { return collective_->library(); }
  [[nodiscard]] std::vector<int> thread_ids() override {
    std::vector<int> ids = collective_->thread_ids();
    const std::vector<int> others = told_.thread_ids();
    ids.insert(ids.end(), others.begin(), others.end());
    return ids;
  }
  Team& team() noexcept override { return collective_->team(); }

 private:
  void perform(Task task) noexcept {
    if (!transport_->perform({.task = task})) lost_ = true;
    look_for_failures();
  }

  // A rank whose product could not be computed says why in its report.
  void look_for_failures() noexcept {
    for (const Report& report : transport_->reports()) {
      if (!report.failed) continue;
      lost_ = true;
      if (failure_.empty()) failure_ = report.text;
    }
  }

  // The longest that any rank took.
  [[nodiscard]] Nanoseconds longest(Nanoseconds Report::*of) const noexcept {
    Nanoseconds most = 0;
    for (const Report& report : transport_->reports()) most = std::max(most, report.*of);
    return most;
  }

  void make(Call call) noexcept {
    if (lost_) return;
    if (call == Call::matmul) {
      perform(Task::compute);
      last_[kMatmulAlone] = longest(&Report::computed);
      disturbed_ = disturbed_ || std::ranges::any_of(transport_->reports(), &Report::disturbed);
      return;
    }
    if (call == Call::both) perform(Task::beside);
    if (lost_) return;
    collective_->run_calls(1);
    look_for_failures();
    if (lost_) return;
    const std::optional<Timed> timed = collective_->measured({});
    if (!timed) {
      lost_ = true;
      return;
    }
    disturbed_ = disturbed_ || timed->disturbed;
    if (call == Call::collective) {
      last_[kCollectiveAlone] = timed->exit - timed->entry;
      return;
    }
    both_ = *timed;
    last_[kMatmulBeside] = longest(&Report::computed);
    last_[kCollectiveBeside] = longest(&Report::spent);
  }

  // Nothing where a rank is lost or its product failed.
  Verification computed_by_all() {
    Verification all;
    perform(Task::check_computed);
    if (lost_) return all;
    for (const Report& report : transport_->reports()) {
      all.checked += report.checked;
      all.wrong += report.wrong;
      all.worst_error = std::max(all.worst_error, report.worst);
      if (report.wrong > 0 && all.first_wrong.empty()) all.first_wrong = report.text;
    }
    all.passed = all.wrong == 0 && all.checked > 0;
    return all;
  }

  // Nothing where a rank is lost and nothing was wrong before.
  Verification exchanged_by_all() {
    try {
      return collective_->verify();
    } catch (const std::runtime_error& error) {
      lost_ = true;
      Verification none;
      none.method = std::string("looked at until ") + error.what();
      return none;
    }
  }

  std::uint64_t seed_;
  Told told_;
  std::unique_ptr<Workload> collective_;
  Transport* transport_ = nullptr;
  std::uint64_t repetition_ = 0;
  bool lost_ = false;
  std::string failure_;
  Timed both_{};
  bool disturbed_ = false;  // any of the calls of the repetition: what hides follows from all of their times
  std::array<Nanoseconds, 4> last_{};
  std::array<PartTimes, 4> parts_;
  std::uint64_t most_kept_ = 0;
};

}  // namespace

MakeProduct products_on_cpus(const matmul::Parameters& all) {
  return [all](int rank) { return matmul::make_workload(of_rank(all, rank)); };
}

MakeProduct products_on_gpus(const cuda::MatmulParameters& first) {
  return [first](int rank) {
    cuda::MatmulParameters own = first;
    own.place.ordinal += rank;
    own.seed = draw(first.seed, static_cast<std::uint64_t>(rank));
    return cuda::make_matmul_workload(own);
  };
}

std::unique_ptr<Workload> make_workload(const Parameters& parameters,
                                        const std::function<std::unique_ptr<Transport>()>& make_transport) {
  return std::make_unique<OverlapWorkload>(parameters, make_transport);
}

}  // namespace pibench::overlap
