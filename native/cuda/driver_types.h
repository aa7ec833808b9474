// The few types, constants and functions of the CUDA driver's interface that pi-bench uses, declared here so
// that the addon is built without a toolkit. Values are those of NVIDIA's documented, frozen binary
// interface; test/native/cuda_types_check.cc compares them with cuda.h where there is one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pibench::cuda {

using Result = int;             // CUresult
using DeviceOrdinal = int;      // CUdevice
using Address = std::uint64_t;  // CUdeviceptr

// What the driver's pointers stand for, so that no two kinds can be taken for each other.
struct ContextHandle;
struct ModuleHandle;
struct FunctionHandle;
struct StreamHandle;
struct EventHandle;
struct GraphHandle;
struct GraphExecHandle;

struct Uuid {
  std::array<unsigned char, 16> bytes{};
};

// CUtensorMap: how the copy engine sees a tensor; made by the driver, passed to kernels by value.
struct alignas(128) TensorMap {
  std::array<std::uint64_t, 16> opaque{};
};

// CUlaunchAttribute and CUlaunchConfig, of which only the size of a cluster is used.
struct LaunchAttribute {
  std::uint32_t id;
  std::uint32_t pad;
  std::array<std::uint32_t, 16> value;
};
struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  StreamHandle* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

namespace result {
inline constexpr Result kSuccess = 0;
inline constexpr Result kInvalidValue = 1;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kNotInitialized = 3;
inline constexpr Result kStubLibrary = 34;
inline constexpr Result kNoDevice = 100;
inline constexpr Result kInvalidDevice = 101;
inline constexpr Result kInvalidImage = 200;
inline constexpr Result kNoBinaryForGpu = 209;
inline constexpr Result kEccUncorrectable = 214;
inline constexpr Result kUnsupportedPtxVersion = 222;
inline constexpr Result kNotFound = 500;
inline constexpr Result kNotReady = 600;
inline constexpr Result kIllegalAddress = 700;
inline constexpr Result kPeerAccessAlreadyEnabled = 704;
inline constexpr Result kLaunchFailed = 719;
inline constexpr Result kSystemDriverMismatch = 803;
inline constexpr Result kUnknown = 999;
}  // namespace result

// CUdevice_attribute
enum class Attribute : int {
  clock_kilohertz = 13,
  multiprocessors = 16,
  ecc_enabled = 32,
  memory_clock_kilohertz = 36,
  memory_bus_bits = 37,
  l2_bytes = 38,
  threads_per_multiprocessor = 39,
  async_engines = 40,
  compute_major = 75,
  compute_minor = 76,
  shared_bytes_per_block = 97,
};

// CUfunction_attribute
enum class FunctionAttribute : int { registers = 4, max_dynamic_shared_bytes = 8 };

// CUtensorMapDataType
enum class MapType : int { uint8 = 0, int32 = 3, float16 = 6, float32 = 7, float64 = 8, bfloat16 = 9 };

inline constexpr int kNotInterleaved = 0;  // CU_TENSOR_MAP_INTERLEAVE_NONE
inline constexpr int kSwizzle128 = 3;      // CU_TENSOR_MAP_SWIZZLE_128B
inline constexpr int kPromote256 = 3;      // CU_TENSOR_MAP_L2_PROMOTION_L2_256B
inline constexpr int kNoFill = 0;          // CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE

inline constexpr unsigned kStreamNonBlocking = 1;      // CU_STREAM_NON_BLOCKING
inline constexpr unsigned kEventDefault = 0;           // CU_EVENT_DEFAULT: waits by spinning, records times
inline constexpr unsigned kHostPortable = 1;           // CU_MEMHOSTALLOC_PORTABLE
inline constexpr unsigned kHostMapped = 2;             // CU_MEMHOSTALLOC_DEVICEMAP
inline constexpr unsigned kCaptureThreadLocal = 1;     // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
inline constexpr unsigned kRecordExternal = 1;         // CU_EVENT_RECORD_EXTERNAL
inline constexpr std::uint32_t kClusterDimension = 4;  // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION

}  // namespace pibench::cuda
