#include "collective_workload.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../measure/fault.h"
#include "../random.h"
#include "../threads/team.h"
#include "ceiling.h"
#include "data.h"

namespace pibench::collective {
namespace {

// An iteration in which a rank came too late for the common moment is made again, so often.
constexpr int kMostTries = 20;
// Entry and exit times are kept of so many repetitions and ranks.
constexpr std::uint64_t kMostTimes = 4'000'000;
// As nccl-tests times by default.
constexpr std::uint64_t kCallsIntoEachOther = 20;
// Iterations in which waiting is taken down, after the timed ones.
constexpr int kMostWatched = 25;
constexpr int kLeastWatched = 3;
constexpr Nanoseconds kWatchTime = 100'000'000;
// Calls on new data that are made to verify those that run into each other.
constexpr std::uint64_t kAfterOthers = 4;

RankFault fault_of(FaultKind kind) noexcept {
  switch (kind) {
    case FaultKind::corrupt_rank:
      return RankFault::corrupt;
    case FaultKind::absent_rank:
      return RankFault::absent;
    case FaultKind::lost_rank:
      return RankFault::lost;
    default:
      return RankFault::none;
  }
}

// The value below which one of so many parts of all lies.
double ordered(std::vector<double> values, std::size_t parts) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() / parts);
  std::ranges::nth_element(values, place);
  return *place;
}
double median(std::vector<double> values) { return ordered(std::move(values), 2); }

double seconds(Nanoseconds time) { return static_cast<double>(time) * 1e-9; }

class CollectiveWorkload final : public Workload {
 public:
  CollectiveWorkload(Parameters parameters, std::unique_ptr<Transport> transport)
      : parameters_(std::move(parameters)), transport_(std::move(transport)) {}

  void prepare() override {
    transport_->start([&parameters = parameters_](Port& port) {
      return parameters.make_executor ? parameters.make_executor(parameters.settings, port)
                                      : make_rank_executor(parameters.settings, port);
    });
    perform({.task = Task::prepare});
    choose();
    poison();
  }

  void run() noexcept override { run_calls(1); }

  void run_calls(std::uint64_t calls) noexcept override {
    together_ = calls;
    for (int i = 0; i < kMostTries; ++i) {
      // What happened in an iteration that is made again happened there too: the fault is not repeated.
      if (!iterate({.task = Task::iterate, .fault = std::exchange(fault_, RankFault::none), .calls = calls}))
        return;
      if (std::ranges::none_of(transport_->reports(), [](const Report& report) { return report.late; }))
        return;
      if (i < kMostTries - 1) ++times_.late;
    }
  }

  [[nodiscard]] bool times_itself() const override { return true; }
  std::optional<Timed> measured(const Timed& whole) noexcept override {
    static_cast<void>(whole);
    if (lost_) return std::nullopt;
    const auto reports = transport_->reports();
    const Report* slowest = reports.data();
    bool disturbed = false;
    for (const Report& report : reports) {
      if (report.exit - report.entry > slowest->exit - slowest->entry) slowest = &report;
      // Late at the last try too, a rank was waited for: that it had no CPU in time is all that can be said.
      disturbed = disturbed || report.disturbed || report.late;
    }
    if (kept_ < most_kept_) {
      for (const Report& report : reports) {
        times_.entries.push_back(report.entry);
        times_.exits.push_back(report.exit);
      }
      ++kept_;
    }
    return Timed{slowest->entry, slowest->exit, disturbed};
  }

  NamedClock timing_clock() override { return transport_->timing_clock(); }
  [[nodiscard]] std::string failure() const override { return transport_->failure(); }
  // Back to back the calls run into each other, which is what Sync::none asks for.
  [[nodiscard]] bool times_each_call() const override { return parameters_.settings.sync != Sync::none; }
  [[nodiscard]] std::uint64_t least_calls() const override {
    return parameters_.settings.sync == Sync::none ? kCallsIntoEachOther : 1;
  }

  void begin_samples(std::uint64_t most) override {
    const auto ranks = static_cast<std::uint64_t>(parameters_.settings.problem.ranks);
    most_kept_ = std::min(most, kMostTimes / ranks);
    times_ = {};
    times_.ranks = ranks;
    times_.entries.reserve(most_kept_ * ranks);
    times_.exits.reserve(most_kept_ * ranks);
  }
  [[nodiscard]] const RankTimes* rank_times() const override { return &times_; }

  void inject(FaultKind kind) noexcept override { fault_ = fault_of(kind); }

  void evict() noexcept override {}
  void poison() noexcept override { perform({.task = Task::prepare}); }

  // After the repetitions: also what waiting was, which cannot be taken down while it is timed.
  Ceilings ceilings(bool) override {
    watch();
    return measure_ceiling(*transport_, algorithm_);
  }

  // Of every iteration some elements were compared, of the last one and of one more on other data, all
  // outputs poisoned before it, every element.
  Verification verify() override {
    check_last();
    renews_ = true;
    poison();
    iterate({.task = Task::iterate});
    check_last();
    Verification verification;
    verification.method = is_barrier() ? verify_barrier() : verify_sampled();
    if (lost_) {
      // What a lost rank would have left is no wrong result, and makes none right that was seen before.
      if (wrong_ == 0) throw std::runtime_error(failure());
      verification.method = "looked at until " + failure();
    }
    verification.tolerance = tolerance_text();
    verification.checked = checked_;
    verification.wrong = wrong_;
    verification.first_wrong = first_wrong_;
    verification.passed = wrong_ == 0 && checked_ > 0;
    verification.worst_error = verification.passed ? worst_ : std::numeric_limits<double>::infinity();
    return verification;
  }
  [[nodiscard]] bool verifies_one_call() const override { return true; }

  // Rank 0's; a rank that gets nothing has none.
  Output output() noexcept override {
    const auto bytes = transport_->port().operands().output;
    const std::size_t element = bytes_of(parameters_.settings.problem.element);
    if (bytes.empty()) return {nowhere_, element};
    return {bytes, element};
  }

  // Rank 0's operands: nobody else can ask of another's.
  [[nodiscard]] std::vector<std::span<const std::byte>> arrays() const override {
    Port& port = transport_->port();
    if (!port.works_on_operands()) return {};
    const auto [input, output] = port.operands();
    if (!shares_memory(parameters_.settings.problem, port.rank())) return {input, output};
    return {input.size() > output.size() ? input : output};
  }

  [[nodiscard]] std::string implementation() const override {
    const auto algorithms = transport_->port().algorithms();
    const bool chose = transport_->port().worth_trying() > 1 && parameters_.algorithm.empty();
    return transport_->implementation() + (chose ? ", chose " : ", ") + algorithms[algorithm_];
  }

  [[nodiscard]] std::optional<LibraryReport> library() const override { return transport_->library(); }
  std::string device_report(Nanoseconds begin, Nanoseconds end) override {
    return transport_->device_report(begin, end);
  }
  std::string fault_report() override { return transport_->fault_report(); }
  [[nodiscard]] std::vector<int> thread_ids() override { return transport_->thread_ids(); }
  Team& team() noexcept override { return transport_->team(); }

 private:
  void perform(Order order) noexcept {
    order.algorithm = algorithm_;
    if (!transport_->perform(order)) lost_ = true;
  }

  // Whether there is a time.
  bool iterate(Order order) noexcept {
    order.iteration = ++iteration_;
    order.renew = renews_;
    perform(order);
    if (!lost_) {
      count_missing(order.calls);
      count_wrong();
    }
    return !lost_;
  }

  [[nodiscard]] std::uint64_t drawn(std::uint64_t i) const noexcept {
    return draw(parameters_.settings.seed ^ iteration_, i);
  }

  void check_last() noexcept {
    perform({.task = Task::check, .renew = renews_, .iteration = iteration_});
    if (!lost_) count_wrong();
  }

  // Of calls that were made together only what the last one left was seen, which any of them leaves on the
  // same data. So some more have data that no other had, after as many of them as nobody can guess.
  std::string verify_sampled() noexcept {
    if (together_ < 2) return "sampled in every iteration, all of two";
    for (std::uint64_t i = 0; i < kAfterOthers; ++i) {
      iterate({.task = Task::iterate, .calls = 1 + drawn(i) % together_});
      iterate({.task = Task::iterate});
      check_last();
    }
    return "sampled once in " + std::to_string(together_) + " calls, all of two and of " +
           std::to_string(kAfterOthers) + " on new data after some others";
  }

  // Ranks that come together leave together, whether they waited or not. So one of them after the other is
  // held back by more than the clocks of hosts, and a look at them, can be wrong.
  std::string verify_barrier() noexcept {
    constexpr Nanoseconds kLeastHold = 200'000;
    constexpr Nanoseconds kTime = 1'000'000'000;
    constexpr int kLeast = 3;
    const int ranks = parameters_.settings.problem.ranks;
    const auto first = static_cast<int>(drawn(0) % static_cast<std::uint64_t>(ranks));
    const Nanoseconds begin = now();
    int held = 0;
    for (; held < ranks && (held < kLeast || now() - begin < kTime); ++held) {
      const Nanoseconds hold = std::max(kLeastHold, 4 * transport_->clock_uncertainty());
      const int rank = (first + held) % ranks;
      if (!iterate({.task = Task::iterate, .held = rank, .calls = together_, .hold = hold})) break;
    }
    return "nobody left before the last came, in every iteration and with " +
           (held == ranks ? "each rank" : std::to_string(held) + " of " + std::to_string(ranks) + " ranks") +
           " held back in turn";
  }

  void count_wrong() noexcept {
    for (const Report& report : transport_->reports()) {
      checked_ += report.checked;
      wrong_ += report.wrong;
      worst_ = std::max(worst_, report.worst);
      if (report.wrong > 0 && first_wrong_.empty()) first_wrong_ = report.text;
    }
    if (is_barrier()) check_barrier();
  }

  // A time is divided by all calls, and what the last one leaves is what one alone would have left.
  void count_missing(std::uint64_t calls) noexcept {
    for (const Report& report : transport_->reports()) {
      if (report.calls == calls) continue;
      ++wrong_;
      if (first_wrong_.empty())
        first_wrong_ = "rank " + std::to_string(&report - transport_->reports().data()) + " made " +
                       std::to_string(report.calls) + " of " + std::to_string(calls) + " calls";
    }
  }

  [[nodiscard]] std::string tolerance_text() const {
    const Problem& problem = parameters_.settings.problem;
    const double relative = tolerance_of(problem);
    if (relative == 0) return "none: no sum, product or average rounds";
    std::array<char, 80> text{};
    std::snprintf(text.data(), text.size(), "%.3g of the average: what is multiplied by 1 / %d first rounds",
                  relative, problem.ranks);
    return text.data();
  }

  [[nodiscard]] bool is_barrier() const noexcept {
    return parameters_.settings.problem.operation == Operation::barrier;
  }

  // A barrier has no output: what it promises is that nobody leaves before the last has come.
  void check_barrier() noexcept {
    const auto reports = transport_->reports();
    const auto last = std::ranges::max_element(reports, {}, &Report::entry);
    const auto first = std::ranges::min_element(reports, {}, &Report::exit);
    if (last->exit == 0) return;
    ++checked_;
    // Of two hosts what their clocks leave open is no early leave.
    if (first->exit + transport_->clock_uncertainty() >= last->entry || wrong_++ > 0) return;
    first_wrong_ = "rank " + std::to_string(first - reports.begin()) + " left the barrier before rank " +
                   std::to_string(last - reports.begin()) + " came";
  }

  [[nodiscard]] Nanoseconds slowest() const noexcept {
    Nanoseconds most = 0;
    for (const Report& report : transport_->reports()) most = std::max(most, report.exit - report.entry);
    return most;
  }

  // The algorithm that was asked for, or the fastest in rounds in which each had its turn, by lower
  // quartiles: of few rounds under other load a median says more of that load.
  void choose() {
    const auto names = transport_->port().algorithms();
    if (!parameters_.algorithm.empty()) {
      const auto found =
          std::ranges::find(names, parameters_.algorithm, [](const char* name) { return std::string(name); });
      if (found == names.end()) throw std::invalid_argument(there_is_no(names));
      algorithm_ = static_cast<std::uint32_t>(found - names.begin());
      return;
    }
    const std::size_t tried = transport_->port().worth_trying();
    if (tried < 2) return;
    constexpr Nanoseconds kTime = 120'000'000;
    constexpr int kLeastRounds = 5;
    constexpr int kMostRounds = 400;
    std::vector<std::vector<double>> times(tried);
    const Nanoseconds begin = now();
    for (int round = 0; round < kLeastRounds || (round < kMostRounds && now() - begin < kTime); ++round) {
      for (std::uint32_t i = 0; i < tried; ++i) {
        algorithm_ = i;
        // Once untimed: what the one before left in the caches is not its doing.
        for (int call = 0; call < 2; ++call) {
          if (!iterate({.task = Task::iterate})) throw std::runtime_error(transport_->failure());
        }
        times[i].push_back(seconds(slowest()));
      }
    }
    std::vector<double> quartiles;
    quartiles.reserve(times.size());
    for (const auto& some : times) quartiles.push_back(ordered(some, 4));
    algorithm_ = static_cast<std::uint32_t>(std::ranges::min_element(quartiles) - quartiles.begin());
  }

  [[nodiscard]] std::string there_is_no(std::span<const char* const> names) const {
    std::string all;
    for (const char* const name : names) all += (all.empty() ? "" : ", ") + std::string(name);
    return "this case has no algorithm " + parameters_.algorithm + "; it has " + all;
  }

  void watch() {
    if (!transport_->port().tells_waiting()) return;
    const std::size_t ranks = transport_->reports().size();
    std::vector<std::vector<double>> useful(ranks);
    std::vector<double> runtimes;
    const Nanoseconds begin = now();
    for (int i = 0; i < kMostWatched && (i < kLeastWatched || now() - begin < kWatchTime); ++i) {
      if (!iterate({.task = Task::watch})) return;
      const auto reports = transport_->reports();
      for (std::size_t rank = 0; rank < ranks; ++rank)
        useful[rank].push_back(seconds(reports[rank].exit - reports[rank].entry - reports[rank].spent));
      runtimes.push_back(seconds(slowest()));
    }
    times_.useful.reserve(ranks);
    for (const auto& some : useful) times_.useful.push_back(median(some));
    times_.runtime = median(runtimes);
  }

  Parameters parameters_;
  std::unique_ptr<Transport> transport_;
  std::uint32_t algorithm_ = 0;
  std::uint64_t iteration_ = 0;
  std::uint64_t together_ = 1;  // calls of a sample
  bool renews_ = false;         // inputs, in each iteration, though they stay as they are while it is timed
  RankFault fault_ = RankFault::none;
  bool lost_ = false;
  std::uint64_t checked_ = 0, wrong_ = 0;
  double worst_ = 0;  // error, as a multiple of what it may be
  std::string first_wrong_;
  RankTimes times_;
  std::uint64_t kept_ = 0, most_kept_ = 0;
  std::array<std::byte, 8> nowhere_{};
};

}  // namespace

Sync sync_named(const std::string& name) {
  if (name == "barrier") return Sync::barrier;
  if (name == "window") return Sync::window;
  if (name == "none") return Sync::none;
  throw std::invalid_argument("unknown synchronisation " + name);
}

std::unique_ptr<Workload> make_workload(const Parameters& parameters,
                                        const std::function<std::unique_ptr<Transport>()>& make_transport) {
  return std::make_unique<CollectiveWorkload>(parameters, make_transport());
}

void follow(const RankSettings& settings, const std::function<std::unique_ptr<Transport>()>& make_transport) {
  const std::unique_ptr<Transport> transport = make_transport();
  transport->start([settings](Port& port) { return make_rank_executor(settings, port); });
  transport->follow();
}

}  // namespace pibench::collective
