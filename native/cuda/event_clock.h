// The clock of a stream: an event before and one after each sample, behind a gate.
//
// A group of samples is enqueued while a kernel spins at the head of the stream; then the host opens the
// gate, and the device works off the whole group without waiting for the host. So neither the time that a
// launch takes nor a host that is held up is in any sample, and what the host does is spread over the group.
// Where a group began and ended on the host's clock stands beside it: the two clocks can be compared.
#pragma once

#include <vector>

#include "../measure/device_clock.h"
#include "session.h"

namespace pibench::cuda {

// Sums over all groups so far.
struct ClockAgreement {
  std::uint64_t groups = 0, samples = 0;
  double device_seconds = 0;   // from the first event of a group to its last
  double host_seconds = 0;     // from the opening of its gate until the host knew that it had ended
  double enqueue_seconds = 0;  // that the host took to enqueue it, behind the gate
  // Of all but the first: from when the host knew that the one before had ended until it opened the gate. The
  // device stands still for it, and only because it is timed so.
  double between_seconds = 0;
};

class EventClock final : public DeviceClock {
 public:
  // Throws CudaError.
  explicit EventClock(Session& session);

  [[nodiscard]] const char* name() const noexcept override { return "cuda-event"; }
  [[nodiscard]] ClockQuality quality() override;
  void plan(std::uint64_t calls, double call_seconds) noexcept override;
  [[nodiscard]] double most_calls() const noexcept override;
  // How many commands a call puts on a stream: they share its queue with those of the other calls of a group.
  void expect_commands(int commands) noexcept { commands_ = commands; }
  std::uint64_t group(std::uint64_t left) noexcept override;
  Nanoseconds begin() noexcept override;
  Nanoseconds end() noexcept override;
  [[nodiscard]] bool collect(std::span<Sample> samples) noexcept override;
  [[nodiscard]] std::string failure() const override { return session_.failure(); }

  [[nodiscard]] const ClockAgreement& agreement() const noexcept { return agreement_; }
  void forget_agreement() noexcept {
    agreement_ = {};
    collected_ = 0;
  }

 private:
  bool record(const Event& event) noexcept;
  Nanoseconds between(const Event& begin, const Event& end) noexcept;

  Session& session_;
  Kernel gate_;
  PinnedMemory words_;  // the gate's flag, and whether it gave up
  std::vector<Event> begins_, ends_;
  std::size_t in_group_ = 0;
  std::uint64_t calls_ = 1;
  double call_seconds_ = 0;
  int commands_ = 1;
  Nanoseconds enqueueing_ = 0;
  Nanoseconds collected_ = 0;  // when the last group had ended; 0: there was none
  ClockAgreement agreement_;
};

}  // namespace pibench::cuda
