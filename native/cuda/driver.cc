#include "driver.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <string_view>

namespace pibench::cuda {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

// Why the library could not be opened says little to a person who does not know what a driver brings.
std::string why_no_library(const std::string& reason) {
  const bool kernel_side = access("/dev/nvidiactl", F_OK) == 0;
  const std::string device = kernel_side ? "/dev/nvidiactl is there, so the kernel's part of the driver is"
                                         : "nor is there a /dev/nvidia* device";
  const std::string remedy =
      kernel_side ? ": install the user part of the NVIDIA driver, or in a container start it with its GPUs "
                    "(--gpus all), which mounts it"
                  : ": this machine has no NVIDIA GPU, or no driver for it, or this container was started "
                    "without its GPUs";
  return "the NVIDIA driver's library could not be opened (" + reason + "), " + device + remedy;
}

std::string path_of(void* symbol) {
  Dl_info info{};
  return dladdr(symbol, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : kLibrary;
}

using GetProcAddress = Result (*)(const char* symbol, void** function, int version, std::uint64_t flags);
using GetProcAddressV2 = Result (*)(const char* symbol, void** function, int version, std::uint64_t flags,
                                    int* status);

// Functions younger than the oldest driver that will do.
void* younger(void* library, const char* symbol, int version) {
  void* function = nullptr;
  if (auto* get = reinterpret_cast<GetProcAddressV2>(dlsym(library, "cuGetProcAddress_v2"))) {
    int status = 0;
    if (get(symbol, &function, version, 0, &status) == result::kSuccess) return function;
  } else if (auto* first = reinterpret_cast<GetProcAddress>(dlsym(library, "cuGetProcAddress"))) {
    if (first(symbol, &function, version, 0) == result::kSuccess) return function;
  }
  return nullptr;
}

class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}
  template <typename Function>
  void get(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  [[nodiscard]] const std::string& missing() const noexcept { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

const Driver& Driver::get() {
  static const Driver driver;
  return driver;
}

Driver::Driver() {
  // Kept open: a driver's threads outlive what its functions are called for.
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw NoGpu(why_no_library(dlerror()));
  Functions& f = functions_;
  Symbols symbols(library);
  symbols.get(f.cuInit, "cuInit");
  symbols.get(f.cuDriverGetVersion, "cuDriverGetVersion");
  symbols.get(f.cuGetErrorName, "cuGetErrorName");
  symbols.get(f.cuGetErrorString, "cuGetErrorString");
  if (!symbols.missing().empty())
    throw NoGpu(std::string(kLibrary) + " has no " + symbols.missing() +
                ": it is no NVIDIA driver's library");
  path_ = path_of(reinterpret_cast<void*>(f.cuInit));
  initialise();

  symbols.get(f.cuDeviceGetCount, "cuDeviceGetCount");
  symbols.get(f.cuDeviceGet, "cuDeviceGet");
  symbols.get(f.cuDeviceGetName, "cuDeviceGetName");
  symbols.get(f.cuDeviceGetUuid_v2, "cuDeviceGetUuid_v2");
  symbols.get(f.cuDeviceGetPCIBusId, "cuDeviceGetPCIBusId");
  symbols.get(f.cuDeviceTotalMem_v2, "cuDeviceTotalMem_v2");
  symbols.get(f.cuDeviceGetAttribute, "cuDeviceGetAttribute");
  symbols.get(f.cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer");
  symbols.get(f.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  symbols.get(f.cuDevicePrimaryCtxRelease_v2, "cuDevicePrimaryCtxRelease_v2");
  symbols.get(f.cuCtxSetCurrent, "cuCtxSetCurrent");
  symbols.get(f.cuCtxSynchronize, "cuCtxSynchronize");
  symbols.get(f.cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess");
  symbols.get(f.cuMemGetInfo_v2, "cuMemGetInfo_v2");
  symbols.get(f.cuMemAlloc_v2, "cuMemAlloc_v2");
  symbols.get(f.cuMemFree_v2, "cuMemFree_v2");
  symbols.get(f.cuMemHostAlloc, "cuMemHostAlloc");
  symbols.get(f.cuMemHostGetDevicePointer_v2, "cuMemHostGetDevicePointer_v2");
  symbols.get(f.cuMemFreeHost, "cuMemFreeHost");
  symbols.get(f.cuMemcpyHtoD_v2, "cuMemcpyHtoD_v2");
  symbols.get(f.cuMemcpyDtoH_v2, "cuMemcpyDtoH_v2");
  symbols.get(f.cuMemcpyHtoDAsync_v2, "cuMemcpyHtoDAsync_v2");
  symbols.get(f.cuMemcpyDtoHAsync_v2, "cuMemcpyDtoHAsync_v2");
  symbols.get(f.cuMemcpyDtoDAsync_v2, "cuMemcpyDtoDAsync_v2");
  symbols.get(f.cuMemcpyPeerAsync, "cuMemcpyPeerAsync");
  symbols.get(f.cuMemsetD8Async, "cuMemsetD8Async");
  symbols.get(f.cuModuleLoadData, "cuModuleLoadData");
  symbols.get(f.cuModuleUnload, "cuModuleUnload");
  symbols.get(f.cuModuleGetFunction, "cuModuleGetFunction");
  symbols.get(f.cuFuncGetAttribute, "cuFuncGetAttribute");
  symbols.get(f.cuFuncSetAttribute, "cuFuncSetAttribute");
  symbols.get(f.cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  symbols.get(f.cuLaunchKernel, "cuLaunchKernel");
  symbols.get(f.cuStreamCreate, "cuStreamCreate");
  symbols.get(f.cuStreamDestroy_v2, "cuStreamDestroy_v2");
  symbols.get(f.cuStreamSynchronize, "cuStreamSynchronize");
  symbols.get(f.cuStreamQuery, "cuStreamQuery");
  symbols.get(f.cuStreamWaitEvent, "cuStreamWaitEvent");
  symbols.get(f.cuEventCreate, "cuEventCreate");
  symbols.get(f.cuEventDestroy_v2, "cuEventDestroy_v2");
  symbols.get(f.cuEventRecord, "cuEventRecord");
  symbols.get(f.cuEventRecordWithFlags, "cuEventRecordWithFlags");
  symbols.get(f.cuEventSynchronize, "cuEventSynchronize");
  symbols.get(f.cuEventElapsedTime, "cuEventElapsedTime");
  symbols.get(f.cuStreamBeginCapture_v2, "cuStreamBeginCapture_v2");
  symbols.get(f.cuStreamEndCapture, "cuStreamEndCapture");
  symbols.get(f.cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags");
  symbols.get(f.cuGraphUpload, "cuGraphUpload");
  symbols.get(f.cuGraphLaunch, "cuGraphLaunch");
  symbols.get(f.cuGraphExecDestroy, "cuGraphExecDestroy");
  symbols.get(f.cuGraphDestroy, "cuGraphDestroy");
  if (!symbols.missing().empty())
    throw NoGpu("the driver in " + path_ + " has no " + symbols.missing() + ": it is incomplete or too old");

  constexpr int kLaunchKernelEx = 11060;
  constexpr int kTensorMaps = 12000;
  constexpr int kFuncLoad = 12040;
  f.cuLaunchKernelEx =
      reinterpret_cast<decltype(f.cuLaunchKernelEx)>(younger(library, "cuLaunchKernelEx", kLaunchKernelEx));
  f.cuFuncLoad = reinterpret_cast<decltype(f.cuFuncLoad)>(younger(library, "cuFuncLoad", kFuncLoad));
  f.cuTensorMapEncodeTiled = reinterpret_cast<decltype(f.cuTensorMapEncodeTiled)>(
      younger(library, "cuTensorMapEncodeTiled", kTensorMaps));
}

// Before the other functions are looked for: an old driver lacks some of them, and its age is the reason.
void Driver::initialise() {
  // The version can be had without a device.
  if (functions_.cuDriverGetVersion(&version_) == result::kSuccess && version_ > 0 &&
      version_ < kLeastVersion)
    throw NoGpu("the driver in " + path_ + " speaks CUDA " + version_text(version_) + ", pi-bench needs " +
                version_text(kLeastVersion) + " or newer: update the NVIDIA driver");
  const Result code = functions_.cuInit(0);
  if (code != result::kSuccess) refuse(code, "cuInit");
}

void Driver::refuse(Result code, const char* call) const {
  const std::string failed = std::string(call) + " of " + path_ + " says " + describe(code);
  switch (code) {
    case result::kNoDevice:
      throw NoGpu(failed +
                  ": the driver is here, a GPU is not, or CUDA_VISIBLE_DEVICES or the container hides it");
    case result::kSystemDriverMismatch:
      throw NoGpu(failed +
                  ": the library is not of the same version as the kernel's part of the driver; "
                  "restart the machine, or install both from one release");
    case result::kStubLibrary:
      throw NoGpu(failed +
                  ": this is the toolkit's stub to link with; LD_LIBRARY_PATH puts it before the "
                  "driver's own library");
    case result::kUnknown:
      throw NoGpu(failed + ": the kernel's part of the driver does not answer; nvidia-smi may say more");
    default:
      throw NoGpu(failed);
  }
}

std::string Driver::describe(Result code) const {
  const char* name = nullptr;
  const char* text = nullptr;
  functions_.cuGetErrorName(code, &name);
  functions_.cuGetErrorString(code, &text);
  std::string described = name != nullptr ? name : "error " + std::to_string(code);
  if (text != nullptr && *text != '\0') described += " (" + std::string(text) + ")";
  return described;
}

void Driver::check(Result code, const char* call) const {
  if (code == result::kSuccess) return;
  const std::string what = std::string(call) + ": " + describe(code);
  if (code == result::kOutOfMemory) throw OutOfDeviceMemory("out of memory on the device, " + what);
  throw CudaError(code, what);
}

}  // namespace pibench::cuda
