// Our declarations of the CUDA driver's interface against NVIDIA's own header, where a toolkit has put one;
// and what NVIDIA's codes become in words. And which sides of a product can be counted.
#include <cstdint>
#include <stdexcept>
#include <string>

#include "../../native/cuda/cublas_types.h"
#include "../../native/cuda/device_gemm.h"
#include "../../native/cuda/driver_types.h"
#include "check.h"

#if __has_include("/usr/local/cuda/include/cuda.h")
#define PIBENCH_HAS_CUDA_HEADER 1
#include "/usr/local/cuda/include/cuda.h"
#endif

namespace {

using pibench::test::Checks;

#ifdef PIBENCH_HAS_CUDA_HEADER

void compares(Checks& check) {
  using namespace pibench::cuda;
  check.equal(sizeof(Address), sizeof(CUdeviceptr), "an address is as long as a CUdeviceptr");
  check.equal(sizeof(Uuid), sizeof(CUuuid), "a UUID is as long as a CUuuid");
  check.equal(sizeof(TensorMap), sizeof(CUtensorMap), "a tensor map is as long as a CUtensorMap");
  check.equal(alignof(TensorMap), alignof(CUtensorMap), "and lies where one may lie");
  check.equal(sizeof(LaunchConfig), sizeof(CUlaunchConfig), "a launch is described by as many bytes");
  check.equal(sizeof(LaunchAttribute), sizeof(CUlaunchAttribute), "and its attributes too");

  const std::pair<Result, CUresult> results[] = {
      {result::kSuccess, CUDA_SUCCESS},
      {result::kInvalidValue, CUDA_ERROR_INVALID_VALUE},
      {result::kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY},
      {result::kNotInitialized, CUDA_ERROR_NOT_INITIALIZED},
      {result::kStubLibrary, CUDA_ERROR_STUB_LIBRARY},
      {result::kNoDevice, CUDA_ERROR_NO_DEVICE},
      {result::kInvalidDevice, CUDA_ERROR_INVALID_DEVICE},
      {result::kInvalidImage, CUDA_ERROR_INVALID_IMAGE},
      {result::kNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU},
      {result::kEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE},
      {result::kUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION},
      {result::kNotFound, CUDA_ERROR_NOT_FOUND},
      {result::kNotReady, CUDA_ERROR_NOT_READY},
      {result::kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS},
      {result::kPeerAccessAlreadyEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED},
      {result::kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED},
      {result::kSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH},
      {result::kUnknown, CUDA_ERROR_UNKNOWN}};
  for (const auto& [ours, theirs] : results)
    check.equal(ours, static_cast<int>(theirs), "result " + std::to_string(ours));

  const std::pair<Attribute, CUdevice_attribute> attributes[] = {
      {Attribute::clock_kilohertz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
      {Attribute::multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
      {Attribute::ecc_enabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED},
      {Attribute::memory_clock_kilohertz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
      {Attribute::memory_bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
      {Attribute::l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
      {Attribute::threads_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
      {Attribute::async_engines, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT},
      {Attribute::compute_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
      {Attribute::compute_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
      {Attribute::shared_bytes_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN}};
  for (const auto& [ours, theirs] : attributes)
    check.equal(static_cast<int>(ours), static_cast<int>(theirs),
                "attribute " + std::to_string(static_cast<int>(ours)));

  check.equal(static_cast<int>(FunctionAttribute::registers), static_cast<int>(CU_FUNC_ATTRIBUTE_NUM_REGS),
              "a function's registers");
  check.equal(static_cast<int>(FunctionAttribute::max_dynamic_shared_bytes),
              static_cast<int>(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES),
              "a function's shared memory");
  check.equal(kStreamNonBlocking, static_cast<unsigned>(CU_STREAM_NON_BLOCKING), "a stream's flag");
  check.equal(kEventDefault, static_cast<unsigned>(CU_EVENT_DEFAULT), "an event's flag");
  check.equal(kHostPortable, static_cast<unsigned>(CU_MEMHOSTALLOC_PORTABLE), "a flag of the host's memory");
  check.equal(kHostMapped, static_cast<unsigned>(CU_MEMHOSTALLOC_DEVICEMAP), "another one");
  check.equal(kCaptureThreadLocal, static_cast<unsigned>(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
              "a mode of capturing");
  check.equal(kRecordExternal, static_cast<unsigned>(CU_EVENT_RECORD_EXTERNAL),
              "a flag of recording an event");

  const std::pair<MapType, CUtensorMapDataType> map_types[] = {
      {MapType::uint8, CU_TENSOR_MAP_DATA_TYPE_UINT8},
      {MapType::int32, CU_TENSOR_MAP_DATA_TYPE_INT32},
      {MapType::float16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
      {MapType::float32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
      {MapType::float64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64},
      {MapType::bfloat16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16}};
  for (const auto& [ours, theirs] : map_types)
    check.equal(static_cast<int>(ours), static_cast<int>(theirs),
                "type of a tensor map " + std::to_string(static_cast<int>(ours)));
  check.equal(kNotInterleaved, static_cast<int>(CU_TENSOR_MAP_INTERLEAVE_NONE),
              "a tensor map’s interleaving");
  check.equal(kSwizzle128, static_cast<int>(CU_TENSOR_MAP_SWIZZLE_128B), "its swizzle");
  check.equal(kPromote256, static_cast<int>(CU_TENSOR_MAP_L2_PROMOTION_L2_256B), "its promotion to L2");
  check.equal(kNoFill, static_cast<int>(CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE), "and what is beyond its end");
  check.equal(kClusterDimension, static_cast<std::uint32_t>(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION),
              "an attribute of a launch");
}

#else

void compares(Checks& check) {
  check.that(sizeof(pibench::cuda::TensorMap) == 128, "a tensor map has 128 bytes");
  Checks::inform("there is no cuda.h here: nothing else was compared");
}

#endif

void tells_what_cublas_says(Checks& check) {
  using pibench::cuda::cublas::failure_text;
  const std::string begin = failure_text(1, "cublasCreate_v2", "12.4", "cuBLAS 13.1.1");
  check.that(begin.find("CUBLAS_STATUS_NOT_INITIALIZED") != std::string::npos &&
                 begin.find("CUDA 12.4") != std::string::npos &&
                 begin.find("cuBLAS 13.1.1") != std::string::npos,
             "a library that cannot begin is told with its version and the driver's", begin);
  const std::string product = failure_text(15, "cublasLtMatmul", "12.4", "cuBLASLt 12.4.5");
  check.that(product.find("CUBLAS_STATUS_NOT_SUPPORTED") != std::string::npos &&
                 product.find("no such product") != std::string::npos,
             "what a library does not have is told as that", product);
  const std::string fault = failure_text(13, "cublasLtMatmul", "12.4", "cuBLASLt 12.4.5");
  check.that(fault == "cublasLtMatmul failed: CUBLAS_STATUS_EXECUTION_FAILED (13)",
             "all others have their names", fault);
}

bool is_counted(const pibench::cuda::GemmProblem& problem) {
  try {
    pibench::cuda::require_32_bits(problem, "cuBLAS");
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

// As cuBLAS and our kernels count them: cut to 32 bits, a side would be that of another product.
void counts_sides(Checks& check) {
  using pibench::cuda::Element;
  constexpr std::int64_t kMost = 0x7fff'ffff;
  check.that(is_counted({kMost, kMost, kMost, kMost, Element::float32}), "sides of 31 bits are counted");
  constexpr std::int64_t kLong = (std::int64_t{1} << 32) + 512;
  const pibench::cuda::GemmProblem longer[] = {{kLong, 1, 1, 1, Element::float32},
                                               {1, kLong, 1, 1, Element::float32},
                                               {1, 1, kLong, 1, Element::float32},
                                               {1, 1, 1, kLong, Element::float32}};
  for (const auto& problem : longer) check.that(!is_counted(problem), "longer ones are refused");
}

}  // namespace

int main() {
  Checks check;
  compares(check);
  tells_what_cublas_says(check);
  counts_sides(check);
  return check.finish();
}
