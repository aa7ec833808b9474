// The clock of a stream: an event before and one after each sample, behind a gate.
//
// A group of samples is enqueued while a kernel spins at the head of the stream; then the host opens the
// gate, and the device works off the whole group without waiting for the host. So neither the time that a
// launch takes nor a host that is held up is in any sample, and what the host does is spread over the group.
// Where a group began and ended on the host's clock stands beside it: the two clocks can be compared.
//
// Groups that are alike may be launched as one graph, which is made of the first of them: of each command the
// host then does nothing but once. Only where the environment asks for it (kGroupsVariable), as no GPU has
// confirmed it yet.
#pragma once

#include <vector>

#include "../measure/device_clock.h"
#include "session.h"

namespace pibench::cuda {

// `graph`: groups that are alike are launched as a graph.
inline constexpr const char* kGroupsVariable = "PI_BENCH_CUDA_GROUPS";

// How a record names a clock of events.
inline constexpr const char* kEventClock = "cuda-event";
// How good one is, by the times of samples that hold nothing; of no such samples, what is documented.
ClockQuality quality_of_events(std::vector<Nanoseconds> empty);

// Sums over all groups so far.
struct ClockAgreement {
  std::uint64_t groups = 0, samples = 0;
  std::uint64_t graph_groups = 0;  // of the groups, launched as a graph
  double device_seconds = 0;       // from the first event of a group to its last
  double host_seconds = 0;         // from the opening of its gate until the host knew that it had ended
  double enqueue_seconds = 0;      // that the host took to enqueue it, behind the gate
  double making_seconds = 0;       // that it took to make the graph, once
  // Of all but the first: from when the host knew that the one before had ended until it opened the gate. The
  // device stands still for it, and only because it is timed so.
  double between_seconds = 0;
};

class EventClock final : public DeviceClock {
 public:
  // Throws CudaError.
  explicit EventClock(Session& session);

  [[nodiscard]] const char* name() const noexcept override { return kEventClock; }
  [[nodiscard]] ClockQuality quality() override;
  void plan(std::uint64_t calls, double call_seconds) noexcept override;
  [[nodiscard]] double most_calls() const noexcept override;
  // How many commands a call puts on a stream: they share its queue with those of the other calls of a group.
  void expect_commands(int commands) noexcept { commands_ = commands; }
  std::uint64_t group(std::uint64_t left) noexcept override;
  std::uint64_t alike_group(std::uint64_t left) noexcept override;
  [[nodiscard]] bool enqueued() const noexcept override { return how_ == How::replayed; }
  Nanoseconds begin() noexcept override;
  Nanoseconds end() noexcept override;
  [[nodiscard]] bool collect(std::span<Sample> samples) noexcept override;
  [[nodiscard]] std::string failure() const override { return session_.failure(); }

  [[nodiscard]] const ClockAgreement& agreement() const noexcept { return agreement_; }
  // What comes is another series, of other calls.
  void begin_series() noexcept {
    agreement_ = {};
    collected_ = 0;
    graph_ = nullptr;
  }

 private:
  // How the commands of a group come onto the stream: one by one, into a graph, or with the graph of a group
  // before.
  enum class How { launched, captured, replayed };

  [[nodiscard]] std::uint64_t size_of_group(std::uint64_t left, double seconds) const noexcept;
  void begin_group(How how) noexcept;
  void close_gate() noexcept;
  void end_capture() noexcept;
  void launch_graph() noexcept;
  bool record(const Event& event) noexcept;
  Nanoseconds between(const Event& begin, const Event& end) noexcept;

  Session& session_;
  Kernel gate_;
  PinnedMemory words_;  // the gate's flag, and whether it gave up
  std::vector<Event> begins_, ends_;
  Event after_graph_;
  const bool graphs_wanted_;
  How how_ = How::launched;
  GraphExec graph_;
  std::uint64_t graph_samples_ = 0;
  std::size_t in_group_ = 0;
  std::uint64_t calls_ = 1;
  double call_seconds_ = 0;
  int commands_ = 1;
  Nanoseconds enqueueing_ = 0;
  Nanoseconds collected_ = 0;  // when the last group had ended; 0: there was none
  ClockAgreement agreement_;
};

}  // namespace pibench::cuda
