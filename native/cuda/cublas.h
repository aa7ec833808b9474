// cuBLAS and cuBLASLt in the place of our kernels: opened by path at run time, never linked.
#pragma once

#include <memory>
#include <string>

#include "device_gemm.h"

namespace pibench::cuda {

// `interface`: cublas or cublaslt. Throws std::invalid_argument where it has no such product,
// std::runtime_error where the library cannot be loaded or refuses.
std::unique_ptr<DeviceGemm> make_library_gemm(Session& session, const GemmProblem& problem,
                                              const std::string& interface, const std::string& path);
std::unique_ptr<DeviceGemm> make_cublas_gemm(Session& session, const GemmProblem& problem,
                                             const std::string& path);
// `result`: the type of the result's elements; what an inspection measures has result_of(problem.element).
std::unique_ptr<DeviceGemm> make_cublas_lt_gemm(Session& session, const GemmProblem& problem, Element result,
                                                const std::string& path);

// What a library says of itself without a GPU: its version. Throws std::runtime_error where it cannot be
// loaded.
std::string cublas_version(const std::string& path);
std::string cublas_lt_version(const std::string& path);

}  // namespace pibench::cuda
