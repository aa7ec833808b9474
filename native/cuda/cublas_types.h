// The constants of cuBLAS and cuBLASLt that both of our interfaces to them use: NVIDIA's documented values,
// declared here so that nothing of CUDA is needed to build the addon.
#pragma once

#include <stdexcept>
#include <string>

#include "driver.h"
#include "elements.h"

namespace pibench::cuda::cublas {

using Status = int;  // cublasStatus_t
inline constexpr int kOperationNone = 0;
inline constexpr int kOperationTransposed = 1;

// cudaDataType_t
inline int data_type(Element element) {
  switch (element) {
    case Element::float32:
    case Element::tf32:
      return 0;
    case Element::float64:
      return 1;
    case Element::float16:
      return 2;
    case Element::int8:
      return 3;
    case Element::int32:
      return 10;
    case Element::bfloat16:
      return 14;
    case Element::float8_e4m3:
      return 28;
  }
  return 0;
}

// cublasComputeType_t. float32 is pedantic: without it some versions compute it in parts on matrix units.
inline int compute_type(Element element) {
  switch (element) {
    case Element::float64:
      return 70;
    case Element::float32:
      return 69;
    case Element::tf32:
      return 77;
    case Element::int8:
    case Element::int32:
      return 72;
    case Element::float16:
    case Element::bfloat16:
    case Element::float8_e4m3:
      return 68;
  }
  return 68;
}

// 8-bit elements are multiplied along the rows of both operands only.
inline bool wants_b_transposed(Element element) {
  return element == Element::int8 || element == Element::float8_e4m3;
}

// One and zero in the type that alpha and beta have.
struct Scalars {
  explicit Scalars(Element element) : element_(element) {}
  [[nodiscard]] const void* one() const noexcept { return pick(&one64_, &one32_, &one_int_); }
  [[nodiscard]] const void* zero() const noexcept { return pick(&zero64_, &zero32_, &zero_int_); }
  [[nodiscard]] Element type() const noexcept {
    if (element_ == Element::float64 || element_ == Element::int8)
      return element_ == Element::int8 ? Element::int32 : Element::float64;
    return Element::float32;
  }

 private:
  [[nodiscard]] const void* pick(const void* real64, const void* real32, const void* integer) const noexcept {
    if (element_ == Element::float64) return real64;
    return element_ == Element::int8 ? integer : real32;
  }
  Element element_;
  double one64_ = 1, zero64_ = 0;
  float one32_ = 1, zero32_ = 0;
  std::int32_t one_int_ = 1, zero_int_ = 0;
};

// cublasStatus_t
inline const char* name_of(Status status) {
  switch (status) {
    case 1:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case 3:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case 7:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case 8:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case 11:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case 13:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 14:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case 15:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case 16:
      return "CUBLAS_STATUS_LICENSE_ERROR";
    default:
      return "a status that pi-bench does not know";
  }
}

// What failed, in words. `driver` is the version of CUDA that it is for, `library` what it says of itself;
// that they do not fit each other is the usual reason for a library that cannot begin.
inline std::string failure_text(Status status, const char* call, const std::string& driver,
                                const std::string& library) {
  constexpr Status kNotInitialized = 1;
  constexpr Status kNotSupported = 15;
  std::string text = std::string(call) + " failed: " + name_of(status) + " (" + std::to_string(status) + ")";
  if (status == kNotInitialized)
    text += "; the driver is for CUDA " + driver + ", the library is " + library +
            ": a library of a later CUDA than the driver's cannot begin; take another, or a newer driver";
  if (status == kNotSupported)
    text += ": " + library + " has no such product on this GPU, or none that this driver (CUDA " + driver +
            ") can execute";
  return text;
}

// Throws std::runtime_error.
inline void check(Status status, const char* call, const std::string& library) {
  if (status == 0) return;
  throw std::runtime_error(
      failure_text(status, call, pibench::cuda::version_text(Driver::get().version()), library));
}

// `13.1.1` from 130101.
inline std::string version_text(std::size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace pibench::cuda::cublas
