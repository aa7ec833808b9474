// One call on its own, timed by whatever times the calls of a workload.
#pragma once

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

}  // namespace pibench
