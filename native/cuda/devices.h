// The NVIDIA GPUs of this machine, as the driver and NVML describe them; or why there is none.
#pragma once

#include <string>

namespace pibench::cuda {

// A JSON document: { problem, cuda, driver, library, devices: [...] }, as src/machine/gpus.ts reads it.
// `problem` says why there is no device, else null. Never throws for want of a GPU. Makes no context on any
// device.
std::string describe_devices();

// As NVML knows the device too: `0000:3b:00.0`. Throws NoGpu, CudaError.
std::string pci_bus_id(int ordinal);

// The compute capability, 10 * major + minor. Makes no context either. Throws NoGpu, CudaError.
int capability(int ordinal);

}  // namespace pibench::cuda
