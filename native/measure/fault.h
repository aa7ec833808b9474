// Faults on purpose, so that `doctor --self-test` can show that each one is caught. Never part of a real
// measurement: a job that carries one says so in its document.
#pragma once

#include <cstdint>
#include <memory>

#include "control.h"
#include "workload.h"

namespace pibench {

// Of skipped calls, that repetition and all later calls compute nothing. The last three are of a rank: its
// contribution is altered, it never arrives, its process is killed.
enum class FaultKind : std::uint8_t {
  none,
  wrong_element,
  skipped_calls,
  slow_repetition,
  stall,
  crash,
  repeated_work,
  corrupt_rank,
  absent_rank,
  lost_rank
};

struct Fault {
  FaultKind kind = FaultKind::none;
  std::uint64_t at = 0;  // the measured repetition in which it happens; of repeated work: in every call
  double share = 0;      // of a call's work that is repeated in it
};

// Wraps a workload. `control` tells which repetition is running.
std::unique_ptr<Workload> with_fault(std::unique_ptr<Workload> workload, Fault fault, const Control& control);

}  // namespace pibench
