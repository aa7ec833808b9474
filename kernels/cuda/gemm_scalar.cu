// The products without matrix units: the kernels of contract_gemm.h whose engine is scalar.
#include "instructions.h"
// The instructions come first.
#include "scalar_gemm.h"

#define PIBENCH_GEMM(name, aligned)                                                         \
  extern "C" __global__ void __launch_bounds__(256, 1) pibench_gemm_float32_float32_##name( \
      const __grid_constant__ pibench::kernels::cuda::GemmArguments arguments) {            \
    pibench::kernels::cuda::scalar_gemm<aligned>(arguments);                                \
  }

PIBENCH_GEMM(scalar, true)
PIBENCH_GEMM(scalar_any, false)
