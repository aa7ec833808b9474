// One call on its own, timed by whatever times the calls of a workload; and several on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device_clock.h"
#include "workload.h"

namespace pibench {

// Nanoseconds of one call; 0 where the device failed, whose clock then says why.
inline Nanoseconds timed_call(Workload& workload) noexcept {
  DeviceClock* device = workload.device_clock();
  if (device == nullptr) {
    const Nanoseconds entry = now();
    workload.run();
    return now() - entry;
  }
  static_cast<void>(device->group(1));
  Sample sample{device->begin(), 0};
  workload.run();
  sample.exit = device->end();
  return device->collect({&sample, 1}) ? sample.exit - sample.entry : 0;
}

// A group of samples of so many calls each, at most as many samples as there is room for: none where the
// device failed. A device that waits for the host between two calls cools down; this loads it as the
// repetitions do.
inline std::span<const Sample> timed_group(Workload& workload, DeviceClock& device, std::span<Sample> room,
                                           std::uint64_t calls, bool cold) noexcept {
  const std::span<Sample> group = room.first(device.group(room.size()));
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (cold) workload.evict();
    static_cast<void>(device.begin());
    for (std::uint64_t call = 0; call < calls; ++call) workload.run();
    static_cast<void>(device.end());
  }
  return device.collect(group) ? group : std::span<const Sample>();
}

}  // namespace pibench
