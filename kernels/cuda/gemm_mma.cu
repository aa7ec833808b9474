// The products of a warp's matrix units: the kernels of contract_gemm.h whose engine is mma, but for fp8.
#include "instructions.h"
// The instructions come first.
#include "mma_gemm.h"

#define PIBENCH_GEMM(operand, result, name, aligned)                                                     \
  extern "C" __global__ void __launch_bounds__(                                                          \
      256, pibench::kernels::cuda::Element::operand == pibench::kernels::cuda::Element::float64 ? 1 : 2) \
      pibench_gemm_##operand##_##result##_##name(                                                        \
          const __grid_constant__ pibench::kernels::cuda::GemmArguments arguments) {                     \
    using pibench::kernels::cuda::Element;                                                               \
    pibench::kernels::cuda::mma_gemm<Element::operand, Element::result, aligned>(arguments);             \
  }
#define PIBENCH_GEMMS(operand, result)     \
  PIBENCH_GEMM(operand, result, mma, true) \
  PIBENCH_GEMM(operand, result, mma_any, false)

PIBENCH_GEMMS(bfloat16, float32)
PIBENCH_GEMMS(bfloat16, bfloat16)
PIBENCH_GEMMS(float16, float32)
PIBENCH_GEMMS(float16, float16)
PIBENCH_GEMMS(tf32, float32)
PIBENCH_GEMMS(int8, int32)
PIBENCH_GEMMS(float64, float64)
