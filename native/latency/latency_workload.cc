// One thread follows a ring of pointers. A call goes on where the one before ended, so that all of the
// working set has its turn, however large it is, and lines are not met again before all others were. Threads
// that load memory meanwhile do so from before the warm-up until after the last repetition.
#include "latency_workload.h"

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string>

#include "../../kernels/cpu/buffer.h"
#include "../cache_flush.h"
#include "../random.h"
#include "../threads/team.h"
#include "loaders.h"

namespace pibench::latency {
namespace {

// Of the ring of one call alone: in so many lines the call does not come round.
std::size_t lines_of_one_call(const Parameters& parameters) {
  return std::max(parameters.lines, static_cast<std::size_t>(parameters.loads) + 1);
}

// Whole huge pages, however small the working set is, for the reason that memory's arrays have some.
std::size_t memory_of(const Parameters& parameters) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20U;
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / 8;
  const std::size_t lines = lines_of_one_call(parameters);
  if (parameters.stride == 0 || lines > kMost / parameters.stride) throw std::bad_alloc();
  return std::max(kHugePage, lines * parameters.stride);
}

class LatencyWorkload final : public Workload {
 public:
  LatencyWorkload(const Parameters& parameters, Chase chase, kernels::memory::ReadPass read)
      : parameters_(parameters),
        chase_(chase),
        read_(read),
        team_(1, parameters.cpus),
        memory_(memory_of(parameters)),
        ring_(memory_.data(), parameters.lines, parameters.stride) {}

  void prepare() override {
    close();
    poison();
    if (parameters_.load.threads > 0) loaders_.emplace(parameters_.load, read_);
  }

  void begin_samples(std::uint64_t) override {
    if (loaders_) loaders_->open_window();
  }
  void samples_taken() noexcept override {
    if (loaders_) loaders_->close_window();
  }
  void end_samples() override {
    if (loaders_) loaders_->stop();
  }
  [[nodiscard]] std::optional<Traffic> traffic() const override {
    return loaders_ ? loaders_->traffic() : std::nullopt;
  }
  [[nodiscard]] std::vector<int> thread_ids() override {
    std::vector<int> ids = team_.thread_ids();
    if (loaders_) ids.insert(ids.end(), loaders_->thread_ids().begin(), loaders_->thread_ids().end());
    return ids;
  }

  void run() noexcept override {
    next_ = chase_(next_, parameters_.loads);
    end_ = next_;
    loads_ += parameters_.loads;
  }

  void evict() noexcept override { flush(memory_.data(), parameters_.lines * parameters_.stride); }

  void poison() noexcept override {
    begin_ = ring_.place_of(next_).value_or(0);
    loads_ = 0;
    end_ = nullptr;
  }

  // So many places on from where the calls began, which nobody had to follow the ring for; and that it is
  // one.
  Verification verify() override {
    Verification verification;
    verification.method = "place";
    verification.tolerance = "none: one line is right, and one ring goes through all of them";
    const std::uint64_t place = (begin_ + loads_) % ring_.lines();
    verification.checked = ring_.lines() + 1;
    if (ring_.place_of(end_) != place) {
      verification.wrong = 1;
      verification.first_wrong = "the chain of " + std::to_string(loads_) + " loads ends at " + end_text() +
                                 ", expected place " + std::to_string(place) + " along the ring";
    }
    const Broken broken = ring_.broken();
    verification.wrong += broken.links;
    if (verification.first_wrong.empty()) verification.first_wrong = broken.first;
    if (loaders_) add_loaders(verification);
    verification.passed = verification.wrong == 0;
    verification.worst_error = verification.passed ? 0 : std::numeric_limits<double>::infinity();
    return verification;
  }

  // Another ring in the same place: who knows where the last one ended knows nothing of it. It is so long
  // that one call does not come round: what leaves out whole rounds of a small one would end at the right
  // line there.
  void renew() override {
    ++renewed_;
    ring_ = Ring(memory_.data(), lines_of_one_call(parameters_), parameters_.stride);
    close();
  }

  Output output() noexcept override {
    return {std::as_writable_bytes(std::span(&end_, 1)), sizeof(std::uintptr_t)};
  }

  [[nodiscard]] std::vector<std::span<const std::byte>> arrays() const override {
    return {{memory_.data(), memory_.size()}};
  }

  [[nodiscard]] std::string implementation() const override { return "pointers"; }

  Team& team() noexcept override { return team_; }

 private:
  void close() {
    ring_.close(parameters_.order, draw(parameters_.seed, renewed_));
    next_ = ring_.first();
  }

  // Once: by the time of another ring they have ended.
  void add_loaders(Verification& verification) {
    loaders_->stop();
    if (renewed_ > 0) return;
    verification.method = "place; loading threads by the sum of all words";
    verification.checked += loaders_->pieces();
    verification.wrong += loaders_->wrong_pieces();
    if (verification.first_wrong.empty()) verification.first_wrong = loaders_->first_wrong();
  }

  [[nodiscard]] std::string end_text() const {
    const auto place = ring_.place_of(end_);
    return place ? "place " + std::to_string(*place) : std::string("no line");
  }

  Parameters parameters_;
  Chase chase_;
  kernels::memory::ReadPass read_;
  Team team_;
  kernels::Buffer memory_;
  Ring ring_;
  const Link* next_ = nullptr;  // where the next call begins
  const Link* end_ = nullptr;   // where the last one ended
  std::uint64_t begin_ = 0;     // place of the first load since the output was poisoned
  std::uint64_t loads_ = 0;     // since then
  std::uint64_t renewed_ = 0;
  std::optional<Loaders> loaders_;
};

}  // namespace

const Link* chase(const Link* from, std::uint64_t loads) noexcept {
  // So many without a branch between them: the loop takes no time beside its loads.
  constexpr std::uint64_t kUnrolled = 16;
  const Link* at = from;
  for (; loads >= kUnrolled; loads -= kUnrolled) {
    for (std::uint64_t i = 0; i < kUnrolled; ++i) at = at->next;
  }
  for (; loads > 0; --loads) at = at->next;
  return at;
}

std::unique_ptr<Workload> make_workload(const Parameters& parameters, Chase chase,
                                        kernels::memory::ReadPass read) {
  return std::make_unique<LatencyWorkload>(parameters, chase, read);
}

}  // namespace pibench::latency
