#include "peak_workload.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "rates.h"

namespace pibench::cuda {
namespace {

const kernels::cuda::Peak& loop_for(const Session& session, const PeakParameters& parameters) {
  const auto* peak = peak_loop(parameters.element, session.capability(), parameters.engine);
  if (peak != nullptr) return *peak;
  std::string what = "there is no register-only loop ";
  if (!parameters.engine.empty()) what += parameters.engine + " ";
  throw std::invalid_argument(what + "for " + name_of(parameters.element) + " on this GPU");
}

class PeakWorkload final : public DeviceWorkload {
 public:
  explicit PeakWorkload(const PeakParameters& parameters)
      : DeviceWorkload(parameters.place),
        peak_(loop_for(session(), parameters)),
        loop_(session(), peak_),
        iterations_(iterations_for(parameters.operations)) {}

  // What one call adds to the sum of a block, of any of them: all compute the same.
  void prepare() override {
    loop_.clear();
    loop_.enqueue(iterations_);
    expected_ = loop_.sums().front();
    poison();
  }
  void run() noexcept override {
    loop_.enqueue(iterations_);
    ++calls_;
  }
  void poison() noexcept override {
    sums_.clear();
    calls_ = 0;
    loop_.clear();
  }

  Verification verify() override {
    fetch();
    Verification verification;
    verification.method = "sums";
    verification.tolerance = "exact: what stood in the registers of every block at the end of each call";
    const std::uint64_t want = calls_ * expected_;
    for (const std::uint64_t sum : sums_) {
      ++verification.checked;
      if (sum == want && expected_ != 0) continue;
      if (verification.wrong++ == 0)
        verification.first_wrong = "block " + std::to_string(verification.checked - 1) + " has after " +
                                   std::to_string(calls_) + " calls the sum " + std::to_string(sum) +
                                   ", expected " + std::to_string(want);
    }
    verification.passed = verification.wrong == 0 && verification.checked > 0 && calls_ > 0;
    verification.worst_error = verification.passed ? 0 : 1;
    return verification;
  }

  // Nothing bounds what is a bound itself, unless its loop is none.
  Ceilings ceilings(bool cold) override {
    Ceilings ceilings = Workload::ceilings(cold);
    ceilings.unused_instructions = unused_instructions(peak_, session().capability());
    return ceilings;
  }

  [[nodiscard]] std::string implementation() const override { return name_of(peak_.engine); }

 protected:
  // One sum only: in all of them a displaced one would go unseen, because all are equal.
  Output fetched_output() override {
    fetch();
    return {std::as_writable_bytes(std::span(sums_).first(1)), sizeof(std::uint64_t)};
  }

 private:
  void fetch() {
    if (sums_.empty()) sums_ = loop_.sums();
  }

  [[nodiscard]] std::uint32_t iterations_for(double operations) const {
    const double once = loop_.operations(1);
    if (!(operations >= once) || std::fmod(operations, once) != 0)
      throw std::invalid_argument(
          "the operations of a call are no multiple of those of one round of the loop on this GPU");
    return static_cast<std::uint32_t>(operations / once);
  }

  const kernels::cuda::Peak& peak_;
  PeakLoop loop_;
  std::uint32_t iterations_;
  std::uint64_t expected_ = 0, calls_ = 0;
  std::vector<std::uint64_t> sums_;
};

}  // namespace

std::unique_ptr<Workload> make_peak_workload(const PeakParameters& parameters) {
  return std::make_unique<PeakWorkload>(parameters);
}

}  // namespace pibench::cuda
