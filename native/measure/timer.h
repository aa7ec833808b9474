// When a sample began and ended, by the host's clock: each sample is a group of its own. What is enqueued on
// a device is timed by a DeviceClock, which has the same functions.
#pragma once

#include <cstdint>
#include <span>

#include "clock.h"
#include "sample.h"

namespace pibench {

class HostTimer {
 public:
  // Whether begin() and end() return the moment at which they are called.
  static constexpr bool kTellsAtOnce = true;
  [[nodiscard]] static constexpr std::uint64_t group(std::uint64_t /*left*/) noexcept { return 1; }
  [[nodiscard]] static constexpr std::uint64_t alike_group(std::uint64_t /*left*/) noexcept { return 1; }
  [[nodiscard]] static constexpr bool enqueued() noexcept { return false; }
  [[nodiscard]] static Nanoseconds begin() noexcept { return now(); }
  [[nodiscard]] static Nanoseconds end() noexcept { return now(); }
  [[nodiscard]] static constexpr bool collect(std::span<Sample> /*samples*/) noexcept { return true; }
};

}  // namespace pibench
