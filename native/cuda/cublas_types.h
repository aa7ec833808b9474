// The constants of cuBLAS and cuBLASLt that both of our interfaces to them use: NVIDIA's documented values,
// declared here so that nothing of CUDA is needed to build the addon.
#pragma once

#include <stdexcept>
#include <string>

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

inline void check(Status status, const char* call) {
  if (status == 0) return;
  throw std::runtime_error(std::string(call) + " failed with cuBLAS status " + std::to_string(status));
}

// `13.1.1` from 130101.
inline std::string version_text(std::size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace pibench::cuda::cublas
