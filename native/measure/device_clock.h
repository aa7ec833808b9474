// Times calls that are only enqueued: on the device that executes them, several samples one behind the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "clock.h"
#include "sample.h"

namespace pibench {

// A Timer of the loop. What fails while calls are enqueued or executed is kept and told by failure(): nothing
// inside the loop throws.
class DeviceClock {
 public:
  static constexpr bool kTellsAtOnce = false;
  // Samples of a group: so many that what the host does once for each group is small beside it, so few that
  // somebody who cancels does not wait long.
  static constexpr std::size_t kMostSamples = 64;

  DeviceClock() = default;
  DeviceClock(const DeviceClock&) = delete;
  DeviceClock& operator=(const DeviceClock&) = delete;
  virtual ~DeviceClock() = default;

  // How the record names it.
  [[nodiscard]] virtual const char* name() const noexcept = 0;
  // Measures it. Throws where the device fails.
  [[nodiscard]] virtual ClockQuality quality() = 0;
  // What the samples to come will be: so many calls each, of so many seconds.
  virtual void plan(std::uint64_t calls, double call_seconds) noexcept = 0;

  // Calls that one sample may have at most.
  [[nodiscard]] virtual double most_calls() const noexcept = 0;

  // Begins a group and returns how many samples it has, at most `left` and at least 1.
  virtual std::uint64_t group(std::uint64_t left) noexcept = 0;
  // The same for a group in which every sample enqueues the same things as in those before it, with nothing
  // to be done on the host between two of them.
  virtual std::uint64_t alike_group(std::uint64_t left) noexcept { return group(left); }
  // Whether all of the group that was begun is enqueued by that: then neither begin(), end() nor a call is
  // due.
  [[nodiscard]] virtual bool enqueued() const noexcept { return false; }
  // Around the calls of a sample; what they return means nothing yet.
  virtual Nanoseconds begin() noexcept = 0;
  virtual Nanoseconds end() noexcept = 0;
  // Lets the group run, waits for it and sets its samples. False where the device failed.
  [[nodiscard]] virtual bool collect(std::span<Sample> samples) noexcept = 0;

  // Empty where nothing failed so far.
  [[nodiscard]] virtual std::string failure() const = 0;
};

}  // namespace pibench
