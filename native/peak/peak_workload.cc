#include "peak_workload.h"

#include <algorithm>
#include <stdexcept>

#include "../measure/clock.h"
#include "../threads/team.h"

namespace pibench::peak {
namespace {

using kernels::DataType;
using kernels::run_peak_loop;

// Runs the loop on every member; counts[i] is what member i executed.
class Burst {
 public:
  Burst(DataType type, std::string isa, std::uint64_t iterations, Team& team)
      : type_(type),
        isa_(std::move(isa)),
        iterations_(iterations),
        team_(team),
        counts_(static_cast<std::size_t>(team.size())) {}

  void run() noexcept {
    team_.run(
        [](void* self, int member) {
          auto& burst = *static_cast<Burst*>(self);
          burst.counts_[static_cast<std::size_t>(member)].operations =
              run_peak_loop(burst.type_, burst.isa_.c_str(), burst.iterations_);
        },
        this);
  }

  [[nodiscard]] std::uint64_t operations() const noexcept {
    std::uint64_t sum = 0;
    for (const Count& count : counts_) sum += count.operations;
    return sum;
  }

  // A line of cache for each member.
  struct alignas(64) Count {
    std::uint64_t operations = 0;
  };
  [[nodiscard]] std::vector<Count>& counts() noexcept { return counts_; }

 private:
  DataType type_;
  std::string isa_;
  std::uint64_t iterations_;
  Team& team_;
  std::vector<Count> counts_;
};

std::uint64_t iterations_for(const Parameters& parameters) {
  const std::uint64_t once = run_peak_loop(parameters.type, parameters.isa.c_str(), 1);
  if (once == 0) throw std::invalid_argument("there is no register-only loop for this data type here");
  const auto each =
      static_cast<std::uint64_t>(parameters.operations) / static_cast<unsigned>(parameters.threads);
  if (each % once != 0 ||
      each * static_cast<unsigned>(parameters.threads) != static_cast<std::uint64_t>(parameters.operations)) {
    throw std::invalid_argument("the operations of a call are no multiple of those of one round of the loop");
  }
  return each / once;
}

class PeakWorkload final : public Workload {
 public:
  explicit PeakWorkload(const Parameters& parameters)
      : team_(parameters.threads, parameters.cpus),
        isa_(kernels::peak_loop_isa(parameters.type, parameters.isa.c_str())),
        expected_(static_cast<std::uint64_t>(parameters.operations) /
                  static_cast<unsigned>(parameters.threads)),
        burst_(parameters.type, isa_, iterations_for(parameters), team_) {}

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

  Output output() noexcept override {
    auto& counts = burst_.counts();
    return {std::as_writable_bytes(std::span(counts)), sizeof(Burst::Count)};
  }
  [[nodiscard]] std::string implementation() const override { return isa_; }
  Team& team() noexcept override { return team_; }

 private:
  Team team_;
  std::string isa_;
  std::uint64_t expected_;
  Burst burst_;
};

}  // namespace

std::unique_ptr<Workload> make_workload(const Parameters& parameters) {
  return std::make_unique<PeakWorkload>(parameters);
}

double measure(DataType type, Team& team) {
  constexpr int kBursts = 16;
  constexpr Nanoseconds kLeast = 1'000'000;
  const std::string isa = kernels::peak_loop_isa(type, "");
  if (isa.empty()) return 0;
  const auto timed = [&](std::uint64_t iterations, std::uint64_t& operations) {
    Burst burst(type, isa, iterations, team);
    const Nanoseconds begin = now();
    burst.run();
    operations = burst.operations();
    return now() - begin;
  };
  std::uint64_t operations = 0;
  std::uint64_t iterations = 1024;
  while (timed(iterations, operations) < kLeast) iterations *= 2;
  double best = 0;
  for (int i = 0; i < kBursts; ++i) {
    const Nanoseconds spent = timed(iterations, operations);
    best = std::max(best, static_cast<double>(operations) / (static_cast<double>(spent) * 1e-9));
  }
  return best;
}

}  // namespace pibench::peak
