// The CUDA driver, opened at run time: its functions by name, and what its results mean. Nothing of CUDA is
// linked, so the addon loads where there is no GPU; what is missing there is said when a GPU is asked for.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "driver_types.h"

namespace pibench::cuda {

// A call of the driver that failed: the call, the name of its result and the driver's own words.
class CudaError : public std::runtime_error {
 public:
  CudaError(Result code, const std::string& what) : std::runtime_error(what), code_(code) {}
  [[nodiscard]] Result code() const noexcept { return code_; }

 private:
  Result code_;
};

// Why there is no GPU to measure here, in words for a person.
class NoGpu : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The oldest interface that has every function below: CUDA 11.4 (drivers of the 470 series).
inline constexpr int kLeastVersion = 11040;

// `12.4` from 12040.
std::string version_text(int version);

// Every function as the driver exports it: of those that changed over the years the version whose
// declaration stands here, by its suffix.
struct Functions {
  Result (*cuInit)(unsigned flags) = nullptr;
  Result (*cuDriverGetVersion)(int* version) = nullptr;
  Result (*cuGetErrorName)(Result code, const char** name) = nullptr;
  Result (*cuGetErrorString)(Result code, const char** text) = nullptr;
  Result (*cuDeviceGetCount)(int* count) = nullptr;
  Result (*cuDeviceGet)(DeviceOrdinal* device, int ordinal) = nullptr;
  Result (*cuDeviceGetName)(char* name, int length, DeviceOrdinal device) = nullptr;
  Result (*cuDeviceGetUuid_v2)(Uuid* uuid, DeviceOrdinal device) = nullptr;
  Result (*cuDeviceGetPCIBusId)(char* id, int length, DeviceOrdinal device) = nullptr;
  Result (*cuDeviceTotalMem_v2)(std::size_t* bytes, DeviceOrdinal device) = nullptr;
  Result (*cuDeviceGetAttribute)(int* value, Attribute attribute, DeviceOrdinal device) = nullptr;
  Result (*cuDeviceCanAccessPeer)(int* can, DeviceOrdinal device, DeviceOrdinal peer) = nullptr;
  Result (*cuDevicePrimaryCtxRetain)(ContextHandle** context, DeviceOrdinal device) = nullptr;
  Result (*cuDevicePrimaryCtxRelease_v2)(DeviceOrdinal device) = nullptr;
  Result (*cuCtxSetCurrent)(ContextHandle* context) = nullptr;
  Result (*cuCtxSynchronize)() = nullptr;
  Result (*cuCtxEnablePeerAccess)(ContextHandle* peer, unsigned flags) = nullptr;
  Result (*cuMemGetInfo_v2)(std::size_t* free, std::size_t* total) = nullptr;
  Result (*cuMemAlloc_v2)(Address* address, std::size_t bytes) = nullptr;
  Result (*cuMemFree_v2)(Address address) = nullptr;
  Result (*cuMemHostAlloc)(void** memory, std::size_t bytes, unsigned flags) = nullptr;
  Result (*cuMemHostGetDevicePointer_v2)(Address* address, void* memory, unsigned flags) = nullptr;
  Result (*cuMemFreeHost)(void* memory) = nullptr;
  Result (*cuMemcpyHtoD_v2)(Address to, const void* from, std::size_t bytes) = nullptr;
  Result (*cuMemcpyDtoH_v2)(void* to, Address from, std::size_t bytes) = nullptr;
  Result (*cuMemcpyHtoDAsync_v2)(Address to, const void* from, std::size_t bytes, StreamHandle* s) = nullptr;
  Result (*cuMemcpyDtoHAsync_v2)(void* to, Address from, std::size_t bytes, StreamHandle* s) = nullptr;
  Result (*cuMemcpyDtoDAsync_v2)(Address to, Address from, std::size_t bytes, StreamHandle* s) = nullptr;
  Result (*cuMemcpyPeerAsync)(Address to, ContextHandle* to_context, Address from,
                              ContextHandle* from_context, std::size_t bytes, StreamHandle* s) = nullptr;
  Result (*cuMemsetD8Async)(Address to, unsigned char value, std::size_t count, StreamHandle* s) = nullptr;
  Result (*cuModuleLoadData)(ModuleHandle** module, const void* image) = nullptr;
  Result (*cuModuleUnload)(ModuleHandle* module) = nullptr;
  Result (*cuModuleGetFunction)(FunctionHandle** function, ModuleHandle* module, const char* name) = nullptr;
  Result (*cuFuncGetAttribute)(int* value, FunctionAttribute attribute, FunctionHandle* function) = nullptr;
  Result (*cuFuncSetAttribute)(FunctionHandle* function, FunctionAttribute attribute, int value) = nullptr;
  Result (*cuOccupancyMaxActiveBlocksPerMultiprocessor)(int* blocks, FunctionHandle* function, int threads,
                                                        std::size_t shared_bytes) = nullptr;
  Result (*cuLaunchKernel)(FunctionHandle* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                           unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                           StreamHandle* s, void** parameters, void** extra) = nullptr;
  Result (*cuStreamCreate)(StreamHandle** stream, unsigned flags) = nullptr;
  Result (*cuStreamDestroy_v2)(StreamHandle* stream) = nullptr;
  Result (*cuStreamSynchronize)(StreamHandle* stream) = nullptr;
  Result (*cuStreamQuery)(StreamHandle* stream) = nullptr;
  Result (*cuStreamWaitEvent)(StreamHandle* stream, EventHandle* event, unsigned flags) = nullptr;
  Result (*cuEventCreate)(EventHandle** event, unsigned flags) = nullptr;
  Result (*cuEventDestroy_v2)(EventHandle* event) = nullptr;
  Result (*cuEventRecord)(EventHandle* event, StreamHandle* stream) = nullptr;
  Result (*cuEventRecordWithFlags)(EventHandle* event, StreamHandle* stream, unsigned flags) = nullptr;
  Result (*cuEventSynchronize)(EventHandle* event) = nullptr;
  Result (*cuEventElapsedTime)(float* milliseconds, EventHandle* begin, EventHandle* end) = nullptr;
  Result (*cuStreamBeginCapture_v2)(StreamHandle* stream, unsigned mode) = nullptr;
  Result (*cuStreamEndCapture)(StreamHandle* stream, GraphHandle** graph) = nullptr;
  Result (*cuGraphInstantiateWithFlags)(GraphExecHandle** exec, GraphHandle* graph,
                                        unsigned long long flags) = nullptr;
  Result (*cuGraphUpload)(GraphExecHandle* exec, StreamHandle* stream) = nullptr;
  Result (*cuGraphLaunch)(GraphExecHandle* exec, StreamHandle* stream) = nullptr;
  Result (*cuGraphExecDestroy)(GraphExecHandle* exec) = nullptr;
  Result (*cuGraphDestroy)(GraphHandle* graph) = nullptr;
  // Younger than kLeastVersion, so null with older drivers; asked of cuGetProcAddress, by the version that
  // brought them.
  Result (*cuLaunchKernelEx)(const LaunchConfig* config, FunctionHandle* function, void** parameters,
                             void** extra) = nullptr;
  Result (*cuFuncLoad)(FunctionHandle* function) = nullptr;
  Result (*cuTensorMapEncodeTiled)(TensorMap* map, MapType type, std::uint32_t rank, void* address,
                                   const std::uint64_t* sizes, const std::uint64_t* strides,
                                   const std::uint32_t* box, const std::uint32_t* element_strides,
                                   int interleave, int swizzle, int l2_promotion, int fill) = nullptr;
};

class Driver {
 public:
  // The one driver of this process, opened and initialised when it is first asked for; it stays open to the
  // end. Throws NoGpu with the reason where it cannot be had: no library, a symbol missing, too old, no
  // device.
  static const Driver& get();

  [[nodiscard]] const Functions& functions() const noexcept { return functions_; }
  [[nodiscard]] int version() const noexcept { return version_; }
  // Of the library that was opened.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  // Throws CudaError, with `call` in its message, unless `code` is success; std::bad_alloc where the device
  // is out of memory, so that it ends like a process that is.
  void check(Result code, const char* call) const;
  // `CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure)`.
  [[nodiscard]] std::string describe(Result code) const;

 private:
  Driver();
  void initialise();
  [[noreturn]] void refuse(Result code, const char* call) const;

  Functions functions_;
  int version_ = 0;
  std::string path_;
};

inline const Functions& cu() { return Driver::get().functions(); }
inline void check(Result code, const char* call) { Driver::get().check(code, call); }

// Out of a device's memory: std::bad_alloc, with the device in its words.
class OutOfDeviceMemory : public std::bad_alloc {
 public:
  explicit OutOfDeviceMemory(std::string what)
      : what_(std::make_shared<const std::string>(std::move(what))) {}
  [[nodiscard]] const char* what() const noexcept override { return what_->c_str(); }

 private:
  std::shared_ptr<const std::string> what_;  // copying an exception must not throw
};

}  // namespace pibench::cuda
