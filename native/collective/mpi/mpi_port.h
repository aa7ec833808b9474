// One rank's end of MPI: private memory as any program has it, with no advice for huge pages, and the
// library's call.
#pragma once

#include <optional>

#include "../private_operands.h"
#include "../transport.h"
#include "clock_fit.h"
#include "world.h"

namespace pibench::collective {

class MpiPort final : public Port {
 public:
  MpiPort(World& world, const Problem& problem, Nanoseconds patience);

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] Operands operands() noexcept override { return memory_.operands(); }
  // Only where the ranks are those of an MPI library: others make their own call.
  void run() noexcept override { library_->collective(problem_, memory_.input(), memory_.output()); }
  void barrier() noexcept override { latest(0); }
  // A dissemination barrier whose messages carry the largest that their sender knows of.
  Nanoseconds latest(Nanoseconds mine) noexcept override;
  [[nodiscard]] Nanoseconds now() const noexcept override;
  [[nodiscard]] std::span<const char* const> algorithms() const noexcept override { return {&function_, 1}; }
  void choose(std::size_t) noexcept override {}
  [[nodiscard]] Moved moved() const noexcept override { return {}; }
  [[nodiscard]] bool tells_waiting() const noexcept override { return false; }
  [[nodiscard]] bool is_process() const noexcept override { return rank_ > 0; }
  [[nodiscard]] bool abandoned() const noexcept override { return abandoned_; }

  Wait& wait() noexcept { return wait_; }
  void set_clock(const ClockModel& model) noexcept { clock_ = model; }

 private:
  Messages& calls_;
  MpiCalls* library_;
  Problem problem_;
  int rank_;
  int ranks_;
  const char* function_;
  PrivateOperands memory_;
  Wait wait_;
  std::optional<ClockModel> clock_;  // nothing: that of rank 0
  bool abandoned_ = false;
};

}  // namespace pibench::collective
