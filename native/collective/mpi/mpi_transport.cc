#include "mpi_transport.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include "../../threads/affinity.h"
#include "../../threads/team.h"
#include "mpi_port.h"

namespace pibench::collective {
namespace {

enum class Command : std::uint8_t { perform, compare_clocks, end };

// Plain data, sent by rank 0.
struct Told {
  Command command = Command::end;
  Order order;
};

// Plain data: how a rank's start went.
struct Started {
  bool ok = false;
  int thread = 0;
  std::array<char, 160> why{};
};

// Between hosts clocks drift apart by microseconds a second. How fast is known once comparisons span some
// time: until then they are made more often, as far as that takes little of it.
constexpr Nanoseconds kCompareEvery = 1'000'000'000;
constexpr Nanoseconds kFirstComparisons = 50'000'000;  // apart
constexpr int kLeastOfCost = 20;
constexpr int kMessages = 40;
constexpr std::size_t kMostAnchors = 12;
// What a rank that gave up needs to say so.
constexpr Nanoseconds kGrace = 2'000'000'000;

// What MPI has no type for it is given as bytes.
constexpr bool is_given_as_bytes(Element element) {
  return element == Element::bfloat16 || element == Element::float16 || element == Element::float8_e4m3;
}

void check(World& world, const Problem& problem) {
  if (problem.ranks != world.size())
    throw std::invalid_argument("the job has " + std::to_string(world.size()) + " ranks, not " +
                                std::to_string(problem.ranks));
  const std::uint64_t each = is_given_as_bytes(problem.element) ? bytes_of(problem.element) : 1;
  if (world.library() != nullptr && problem.count * each > INT_MAX)
    throw std::invalid_argument("MPI counts elements in 32 bits: " + std::to_string(problem.count) +
                                " are too many");
}

// What all ranks have in common.
class MpiTransport : public Transport {
 public:
  MpiTransport(World& world, const MpiParameters& parameters)
      : world_(world), calls_(world.calls()), parameters_(parameters) {
    check(world, parameters.problem);
  }

  [[nodiscard]] Port& port() noexcept override { return *port_; }
  Team& team() noexcept override { return *team_; }

 protected:
  // Throws nothing: the others have to know first.
  Started make_own(const MakeExecutor& make) noexcept {
    Started started;
    try {
      team_.emplace(1, parameters_.cpus);
      port_.emplace(world_, parameters_.problem, parameters_.patience);
      executor_ = make(*port_);
      started.ok = true;
      started.thread = current_thread_id();
    } catch (const std::exception& error) {
      std::snprintf(started.why.data(), started.why.size(), "%s", error.what());
    }
    return started;
  }
  [[nodiscard]] Wait patient() const { return {world_.crowded(), parameters_.patience + kGrace, false}; }

  World& world_;
  Messages& calls_;
  MpiParameters parameters_;
  std::optional<Team> team_;
  std::optional<MpiPort> port_;
  std::unique_ptr<Executor> executor_;
};

class Follower final : public MpiTransport {
 public:
  using MpiTransport::MpiTransport;

  [[nodiscard]] bool leads() const noexcept override { return false; }

  void start(const MakeExecutor& make) override {
    const Started started = make_own(make);
    Wait wait = patient();
    calls_.send(&started, sizeof started, 0, Topic::report, wait);
    if (!started.ok) throw std::runtime_error(started.why.data());
  }

  void follow() override {
    Wait between(world_.crowded(), Wait::kForever, true);
    Wait wait = patient();
    for (;;) {
      Told told;
      if (!calls_.receive(&told, sizeof told, 0, Topic::order, between)) return;
      if (told.command == Command::end) return;
      if (told.command == Command::compare_clocks) {
        if (!answer(wait)) return;
        continue;
      }
      Report report;
      executor_->perform(told.order, report);
      if (!calls_.send(&report, sizeof report, 0, Topic::report, wait)) return;
      if (port_->abandoned()) return;
    }
  }

  bool perform(const Order&) noexcept override { return false; }
  [[nodiscard]] std::span<const Report> reports() const noexcept override { return {}; }
  [[nodiscard]] std::string failure() const override { return {}; }
  [[nodiscard]] std::string implementation() const override { return {}; }
  [[nodiscard]] std::vector<int> thread_ids() const override { return {}; }

 private:
  // False where rank 0 is gone.
  bool answer(Wait& wait) noexcept {
    for (int i = 0; i < kMessages; ++i) {
      char asked = 0;
      if (!calls_.receive(&asked, sizeof asked, 0, Topic::clock, wait)) return false;
      const Nanoseconds at = pibench::now();
      if (!calls_.send(&at, sizeof at, 0, Topic::clock, wait)) return false;
    }
    ClockModel model;
    if (!calls_.receive(&model, sizeof model, 0, Topic::clock, wait)) return false;
    port_->set_clock(model);
    return true;
  }
};

class Leader final : public MpiTransport {
 public:
  Leader(World& world, const MpiParameters& parameters)
      : MpiTransport(world, parameters),
        reports_(static_cast<std::size_t>(world.size())),
        anchors_(reports_.size()),
        several_hosts_(world.hosts() > 1) {}

  ~Leader() override {
    if (!started_ || !failure_.empty()) return;
    Wait wait = patient();
    tell({Command::end, {}}, wait);
  }
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;

  void start(const MakeExecutor& make) override {
    started_ = true;
    const Started own = make_own(make);
    threads_ = {own.thread};
    std::string problem = own.ok ? "" : own.why.data();
    Wait wait = patient();
    for (int rank = 1; rank < world_.size(); ++rank) {
      Started theirs;
      if (!calls_.receive(&theirs, sizeof theirs, rank, Topic::report, wait)) {
        lose({rank});
        throw std::runtime_error(failure_);
      }
      // A rank that could not start has nobody who listens to orders.
      if (!theirs.ok) {
        deaf_.push_back(rank);
        if (problem.empty()) problem = "rank " + std::to_string(rank) + ": " + theirs.why.data();
      } else if (world_.shares_system(rank)) {
        threads_.push_back(theirs.thread);
      }
    }
    if (!problem.empty()) throw std::runtime_error(problem);
    if (several_hosts_) {
      bool compared = compare_clocks();
      const Nanoseconds until = pibench::now() + kFirstComparisons;
      while (compared && pibench::now() < until) {
      }
      compared = compared && compare_clocks();
      if (!compared) throw std::runtime_error(failure_);
    }
  }

  bool perform(const Order& order) noexcept override {
    if (!failure_.empty()) return false;
    const Nanoseconds begin = pibench::now();
    if (several_hosts_ && begin - compared_ > next_comparison() && !compare_clocks()) return false;
    world_.waiting_since.store(begin, std::memory_order_relaxed);
    Wait wait = patient();
    tell({Command::perform, order}, wait);
    executor_->perform(order, reports_[0]);
    std::vector<int> missing;
    for (int rank = 1; rank < world_.size(); ++rank) {
      // One of them has cost the patience for all.
      Wait rest(world_.crowded(), missing.empty() && !port_->abandoned() ? parameters_.patience : kGrace,
                false);
      if (!calls_.receive(&reports_[static_cast<std::size_t>(rank)], sizeof(Report), rank, Topic::report,
                          rest))
        missing.push_back(rank);
    }
    world_.waiting_since.store(0, std::memory_order_relaxed);
    if (missing.empty() && !port_->abandoned()) return true;
    lose(missing);
    return false;
  }

  [[nodiscard]] std::span<const Report> reports() const noexcept override { return reports_; }
  [[nodiscard]] std::string failure() const override { return failure_; }
  [[nodiscard]] std::vector<int> thread_ids() const override { return threads_; }

  [[nodiscard]] std::string implementation() const override {
    const int hosts = world_.hosts();
    std::string text = calls_.version() + ", " + std::to_string(world_.size()) + " processes on " +
                       std::to_string(hosts) + (hosts == 1 ? " host" : " hosts");
    if (hosts == 1) return text;
    std::array<char, 64> clocks{};
    std::snprintf(clocks.data(), clocks.size(), ", clocks within %.1f us",
                  static_cast<double>(clock_uncertainty()) / 1000);
    return text + clocks.data();
  }

  // Until the next comparison. Two ranks are each off by what rank 0 knows of them.
  [[nodiscard]] Nanoseconds clock_uncertainty() const noexcept override {
    const Nanoseconds until = next_comparison();
    double worst = 0;
    for (const ClockModel& model : models_) worst = std::max(worst, model.uncertainty_after(until));
    return static_cast<Nanoseconds>(2 * worst);
  }

 private:
  void tell(const Told& told, Wait& wait) noexcept {
    for (int rank = 1; rank < world_.size(); ++rank) {
      if (std::ranges::find(deaf_, rank) == deaf_.end())
        calls_.send(&told, sizeof told, rank, Topic::order, wait);
    }
  }

  void lose(const std::vector<int>& missing) {
    std::string who;
    for (const int rank : missing) {
      who += (who.empty() ? "rank " : ", ") + std::to_string(rank);
      if (calls_.has_left(rank)) {
        failure_ = "rank " + std::to_string(rank) + " of " + std::to_string(world_.size()) +
                   " has ended: its connection was closed";
        return;
      }
    }
    failure_ = (who.empty() ? "a rank" : who) + " of " + std::to_string(world_.size()) +
               " did not arrive within " + std::to_string(parameters_.patience / 1'000'000'000) + " s";
  }

  // The most certain of some comparisons with a rank; nothing where it does not answer: then no time that was
  // read means anything.
  std::optional<ClockAnchor> anchor_with(int rank, Wait& wait) noexcept {
    std::optional<ClockAnchor> best;
    for (int i = 0; i < kMessages; ++i) {
      const char ask = 0;
      Nanoseconds there = 0;
      const Nanoseconds sent = pibench::now();
      if (!calls_.send(&ask, sizeof ask, rank, Topic::clock, wait) ||
          !calls_.receive(&there, sizeof there, rank, Topic::clock, wait))
        return std::nullopt;
      const ClockAnchor anchor = anchor_of(sent, there, pibench::now());
      if (!best || anchor.uncertainty < best->uncertainty) best = anchor;
    }
    return best;
  }

  [[nodiscard]] Nanoseconds next_comparison() const noexcept {
    if (compared_ - first_compared_ >= kCompareEvery) return kCompareEvery;
    return std::clamp(kLeastOfCost * comparing_, kFirstComparisons, kCompareEvery);
  }

  // One rank after the other: messages that cross would wait for each other. False where one is lost.
  bool compare_clocks() noexcept {
    Wait wait = patient();
    const Told told{Command::compare_clocks, {}};
    const Nanoseconds begun = pibench::now();
    models_.clear();
    for (int rank = 1; rank < world_.size(); ++rank) {
      if (world_.shares_system(rank)) continue;
      const bool asked = calls_.send(&told, sizeof told, rank, Topic::order, wait);
      const std::optional<ClockAnchor> anchor = asked ? anchor_with(rank, wait) : std::nullopt;
      if (!anchor) {
        lose({rank});
        return false;
      }
      std::vector<ClockAnchor>& anchors = anchors_[static_cast<std::size_t>(rank)];
      if (anchors.size() == kMostAnchors) anchors.erase(anchors.begin());
      anchors.push_back(*anchor);
      const ClockModel model = fit_clock(anchors);
      if (!calls_.send(&model, sizeof model, rank, Topic::clock, wait)) {
        lose({rank});
        return false;
      }
      models_.push_back(model);
    }
    compared_ = pibench::now();
    comparing_ = compared_ - begun;
    if (first_compared_ == 0) first_compared_ = compared_;
    return true;
  }

  std::vector<Report> reports_;
  std::vector<int> threads_;  // of ranks on this host
  std::vector<int> deaf_;
  std::vector<std::vector<ClockAnchor>> anchors_;  // of each rank
  bool several_hosts_;
  std::vector<ClockModel> models_;  // of the ranks on other hosts
  Nanoseconds compared_ = 0;
  Nanoseconds first_compared_ = 0;
  Nanoseconds comparing_ = 0;  // what the last comparison took
  std::string failure_;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<Transport> make_mpi_transport(World& world, const MpiParameters& parameters) {
  if (world.rank() == 0) return std::make_unique<Leader>(world, parameters);
  return std::make_unique<Follower>(world, parameters);
}

}  // namespace pibench::collective
