// memory on a GPU: passes over its own memory, and copies between it and the host or another GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "device_workload.h"

namespace pibench::cuda {

// A pass of our kernels: read, write, copy, scale, add, triad.
struct PassParameters {
  Place place;
  kernels::cuda::Operation operation;
  std::string variant;  // of our kernels (vector, streaming, bulk); empty: the fastest of a short trial
  std::uint64_t elements = 0;  // float64, of each array
  std::uint64_t seed = 0;
};

enum class Copy : std::uint8_t { device, host_to_device, device_to_host, both_ways, peer };

// What the driver copies: within the device, from or to the host, in both directions at once, to another GPU.
struct CopyParameters {
  Place place;
  Copy copy;
  bool pinned = true;          // the host's memory
  int peer = 0;                // the other GPU's ordinal
  std::uint64_t elements = 0;  // float64, of each copy
  std::uint64_t seed = 0;
};

// Throw std::invalid_argument for names that nothing has.
kernels::cuda::Operation pass_named(const std::string& name);
Copy copy_named(const std::string& name);

// Both throw std::invalid_argument, NoGpu, CudaError, OutOfDeviceMemory.
std::unique_ptr<Workload> make_pass_workload(const PassParameters& parameters);
std::unique_ptr<Workload> make_copy_workload(const CopyParameters& parameters);

}  // namespace pibench::cuda
