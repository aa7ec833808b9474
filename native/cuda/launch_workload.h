// kernel-launch: what it costs to have a GPU do nothing, once, many times, on several streams, as a graph.
#pragma once

#include <memory>
#include <string>

#include "device_workload.h"

namespace pibench::cuda {

enum class LaunchMode : std::uint8_t { latency, throughput, streams, graph };

struct LaunchParameters {
  Place place;
  LaunchMode mode;
  unsigned launches = 1;  // of one call
  unsigned streams = 1;
};

// Throws std::invalid_argument.
LaunchMode launch_mode_named(const std::string& name);

// The host's clock times it: from the first launch until the host knows that the last kernel has ended.
// Throws NoGpu, CudaError.
std::unique_ptr<Workload> make_launch_workload(const LaunchParameters& parameters);

}  // namespace pibench::cuda
