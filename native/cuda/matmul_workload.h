// matmul on a GPU, with our own kernels or those of a library.
#pragma once

#include <memory>
#include <string>

#include "device_gemm.h"
#include "device_workload.h"

namespace pibench::cuda {

struct MatmulParameters {
  Place place;
  GemmProblem problem;
  std::string engine;  // of our own kernels; empty: the preferred one
  std::uint64_t seed = 0;
  bool cold = false;      // operands rotate, so that none is in the L2 when its turn comes
  std::string interface;  // of a library in place of our kernels: cublas, cublaslt; or empty
  std::string library;    // its path
};

// Throws std::invalid_argument, NoGpu, CudaError, std::runtime_error.
std::unique_ptr<Workload> make_matmul_workload(const MatmulParameters& parameters);

}  // namespace pibench::cuda
