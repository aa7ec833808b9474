// One inspection, from a job to everything that was observed: the phases in their order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "measure/clock.h"
#include "measure/control.h"
#include "measure/fault.h"
#include "measure/loop.h"
#include "measure/warmup.h"
#include "measure/workload.h"
#include "telemetry/huge_pages.h"
#include "telemetry/snapshot.h"

namespace pibench {

struct Job {
  // Makes the workload; called on the measuring thread, which becomes member 0 of its team.
  std::function<std::unique_ptr<Workload>()> make_workload;
  WarmupRule warmup;
  // Exactly `repetitions` samples; or, when that is 0, as many as fit into `budget` but at least `least`,
  // at most `most`.
  std::uint64_t repetitions = 0;
  Nanoseconds budget = 0;
  std::uint64_t least = 1, most = 1;
  bool cold = false;
  bool gate = false;           // whether the repetitions begin when the onlooker opens the gate
  bool ceilings = true;        // whether to measure what bounds a repetition
  bool in_turns = false;       // whether also what share of the peak a call reaches in turns with it
  double operations = 0;       // of a call, which the arithmetic ceiling bounds; 0: not told
  Nanoseconds time_limit = 0;  // for all phases up to the end of the repetitions; 0: none
  std::vector<std::string> snapshot_paths;
  Fault fault;
};

struct Span {
  const char* name;
  Nanoseconds begin, end;
};

struct Outcome {
  std::vector<Span> spans;
  NamedClock clock{};
  Warmup warmup;
  std::uint64_t calls_per_sample = 0;
  Samples samples{0};
  Snapshot before, after;
  double frequency_before = 0, frequency_after = 0;
  std::vector<int> thread_ids;
  bool preemption_known = false;
  std::string implementation;
  std::optional<HugePages> huge_pages;  // of its arrays, when they had been filled; nothing: not known
  std::optional<LibraryReport> library;
  std::string device;  // what it did while it was measured, as JSON; empty: no device
  Ceilings ceilings;
  std::optional<RankTimes> ranks;
  std::vector<PartTimes> parts;
  std::optional<Traffic> traffic;
  std::optional<Verification> verification;
};

// Why a launch on a device failed, with what was seen of the device meanwhile (Workload::fault_report).
class DeviceFailure : public std::runtime_error {
 public:
  DeviceFailure(const std::string& what, std::string seen)
      : std::runtime_error(what), seen_(std::move(seen)) {}
  [[nodiscard]] const std::string& seen() const noexcept { return seen_; }

 private:
  std::string seen_;
};

// Runs on the calling thread. Throws what the workload throws while it is made or prepared, and DeviceFailure
// for what fails on a device from then on.
Outcome inspect(const Job& job, Control& control);

}  // namespace pibench
