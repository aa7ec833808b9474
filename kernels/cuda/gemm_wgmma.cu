// The products of Hopper's matrix units: the kernels of contract_gemm.h whose engine is wgmma. For sm_90a
// only.
#include "wgmma_instructions.h"
// The instructions come first.
#include "wgmma_gemm.h"

#define PIBENCH_GEMM(operand, result, columns)                                                 \
  extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1)               \
      pibench_gemm_##operand##_##result##_wgmma_##columns(                                     \
          const __grid_constant__ pibench::kernels::cuda::TensorGemmArguments arguments) {     \
    using pibench::kernels::cuda::Element;                                                     \
    pibench::kernels::cuda::wgmma_gemm<Element::operand, Element::result, columns>(arguments); \
  }

PIBENCH_GEMM(bfloat16, float32, 256)
PIBENCH_GEMM(bfloat16, float32, 128)
PIBENCH_GEMM(bfloat16, bfloat16, 256)
PIBENCH_GEMM(bfloat16, bfloat16, 128)
PIBENCH_GEMM(float16, float32, 256)
PIBENCH_GEMM(float16, float32, 128)
PIBENCH_GEMM(float16, float16, 256)
PIBENCH_GEMM(float16, float16, 128)
PIBENCH_GEMM(tf32, float32, 256)
PIBENCH_GEMM(tf32, float32, 128)
PIBENCH_GEMM(float8_e4m3, float32, 256)
PIBENCH_GEMM(float8_e4m3, float32, 128)
PIBENCH_GEMM(int8, int32, 256)
PIBENCH_GEMM(int8, int32, 128)
