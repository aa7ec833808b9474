#include "peak_workload.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>

#include "../measure/best_burst.h"
#include "../measure/clock.h"
#include "../measure/window.h"
#include "../threads/team.h"

namespace pibench::peak {
namespace {

using kernels::DataType;

// Iterations of one call of the loop: a float counts that far, four at a time.
constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 22U;

// Runs the loop on every member; counts()[i] is what member i executed.
class Burst {
 public:
  Burst(Loop loop, DataType type, std::string isa, std::uint64_t iterations, Team& team)
      : loop_(loop),
        type_(type),
        isa_(std::move(isa)),
        iterations_(iterations),
        team_(team),
        counts_(static_cast<std::size_t>(team.size())) {}

  void run() noexcept {
    team_.run(
        [](void* self, int member) {
          auto& burst = *static_cast<Burst*>(self);
          std::uint64_t operations = 0;
          for (std::uint64_t left = burst.iterations_; left > 0; left -= std::min(left, kMostAtOnce))
            operations += burst.loop_(burst.type_, burst.isa_.c_str(), std::min(left, kMostAtOnce));
          burst.counts_[static_cast<std::size_t>(member)].operations = operations;
        },
        this);
  }

  // A line of cache for each member.
  struct alignas(64) Count {
    std::uint64_t operations = 0;
  };
  [[nodiscard]] std::vector<Count>& counts() noexcept { return counts_; }

 private:
  Loop loop_;
  DataType type_;
  std::string isa_;
  std::uint64_t iterations_;
  Team& team_;
  std::vector<Count> counts_;
};

std::uint64_t iterations_for(const Parameters& parameters, Loop loop) {
  const std::uint64_t once = loop(parameters.type, parameters.isa.c_str(), 1);
  if (once == 0) throw std::invalid_argument("there is no register-only loop for this data type here");
  const double round = static_cast<double>(once) * parameters.threads;
  if (!(parameters.operations >= round) || std::fmod(parameters.operations, round) != 0) {
    throw std::invalid_argument("the operations of a call are no multiple of those of one round of the loop");
  }
  return static_cast<std::uint64_t>(parameters.operations / round);
}

class PeakWorkload final : public Workload {
 public:
  PeakWorkload(const Parameters& parameters, Loop loop)
      : type_(parameters.type),
        team_(parameters.threads, parameters.cpus),
        isa_(kernels::peak_loop_isa(parameters.type, parameters.isa.c_str())),
        expected_(static_cast<std::uint64_t>(parameters.operations) /
                  static_cast<unsigned>(parameters.threads)),
        burst_(loop, parameters.type, isa_, iterations_for(parameters, loop), team_) {}

  void prepare() override { poison(); }
  void run() noexcept override { burst_.run(); }
  void evict() noexcept override {}
  void poison() noexcept override {
    for (auto& count : burst_.counts()) count.operations = 0;
  }

  // A loop whose sums did not come out as they must counts nothing.
  Verification verify() override {
    Verification verification;
    verification.method = "sums";
    verification.tolerance = "exact: the sums that stood in the registers at the end of the loop";
    for (const auto& count : burst_.counts()) {
      ++verification.checked;
      if (count.operations == expected_) continue;
      if (verification.wrong++ == 0) {
        verification.first_wrong = "thread " + std::to_string(verification.checked - 1) + " counts " +
                                   std::to_string(count.operations) + " right operations of " +
                                   std::to_string(expected_);
      }
    }
    verification.passed = verification.wrong == 0;
    verification.worst_error = verification.passed ? 0 : 1;
    return verification;
  }

  // One count only: in those of all threads a displaced one would go unseen, because all are equal.
  Output output() noexcept override {
    auto& first = burst_.counts().front().operations;
    return {std::as_writable_bytes(std::span(&first, 1)), sizeof(first)};
  }
  [[nodiscard]] std::string implementation() const override { return isa_; }
  // Nothing bounds what is a bound itself, unless its loop is none.
  Ceilings ceilings(bool cold) override {
    Ceilings ceilings = Workload::ceilings(cold);
    ceilings.unused_instructions = kernels::unused_by_peak_loop(type_, isa_.c_str());
    return ceilings;
  }
  Team& team() noexcept override { return team_; }

 private:
  DataType type_;
  Team team_;
  std::string isa_;
  std::uint64_t expected_;
  Burst burst_;
};

// How long all members together take for so many iterations of each, whoever does how many of them; nothing
// where a member's sums are wrong.
std::optional<Nanoseconds> time_burst(Loop loop, DataType type, const std::string& isa, std::uint64_t once,
                                      std::uint64_t iterations, Team& team) {
  return time_together(team, iterations, [&](int /*member*/, std::uint64_t /*first*/, std::uint64_t count) {
    for (std::uint64_t left = count; left > 0;) {
      const std::uint64_t next = std::min(left, kMostAtOnce);
      if (loop(type, isa.c_str(), next) != next * once) return false;
      left -= next;
    }
    return true;
  });
}

double rate_of(std::uint64_t operations, const Team& team, Nanoseconds time) {
  return static_cast<double>(operations) * team.size() / (static_cast<double>(time) * 1e-9);
}

}  // namespace

std::unique_ptr<Workload> make_workload(const Parameters& parameters, Loop loop) {
  return std::make_unique<PeakWorkload>(parameters, loop);
}

double measure(DataType type, Team& team, Loop loop) {
  const std::string isa = kernels::peak_loop_isa(type, "");
  const std::uint64_t once = loop(type, isa.c_str(), 1);
  if (once == 0) return 0;
  const BurstPlan plan{.first = 1024, .most = std::uint64_t{1} << 40U, .bursts = 16};
  const auto best = best_burst(
      plan, [&](std::uint64_t iterations) { return time_burst(loop, type, isa, once, iterations, team); });
  return best ? rate_of(once * best->count, team, best->time) : 0;
}

double glance(DataType type, Team& team, double peak, Nanoseconds about, Loop loop) {
  const std::string isa = kernels::peak_loop_isa(type, "");
  const std::uint64_t once = loop(type, isa.c_str(), 1);
  if (once == 0) return 0;
  const double round = static_cast<double>(once) * team.size();
  const double rounds = std::max(1.0, peak * static_cast<double>(about) * 1e-9 / round);
  const auto iterations = static_cast<std::uint64_t>(rounds);
  const auto time = time_burst(loop, type, isa, once, iterations, team);
  return time ? rate_of(once * iterations, team, *time) : 0;
}

}  // namespace pibench::peak
