// What the measuring thread and its onlookers share: where it is, and whether it is to stop.
#pragma once

#include <atomic>
#include <cstdint>

namespace pibench {

enum class Phase : std::uint8_t { allocate, warm_up, calibrate, gate, measure, cool_down, verify, done };

struct Control {
  // Written by the measuring thread, read a few times a second by the progress display.
  alignas(64) std::atomic<Phase> phase{Phase::allocate};
  std::atomic<std::uint64_t> taken{0};
  // Written by the onlooker, on a cache line of its own so that reading it costs the loop nothing.
  alignas(64) std::atomic<bool> cancel{false};
  // Whether the repetitions have to wait for others who are to begin with them; opened by the onlooker.
  std::atomic<bool> gate_closed{false};
};

}  // namespace pibench
