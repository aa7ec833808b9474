// Makes kernels of mma_gemm.h: one for rows that are multiples of 16 bytes, one for any.
#pragma once

#include "instructions.h"
// The instructions come first.
#include "mma_gemm.h"

#define PIBENCH_GEMM(operand, result, blocks, name, aligned)                                         \
  extern "C" __global__ void __launch_bounds__(                                                      \
      pibench::kernels::cuda::detail::mma_threads(pibench::kernels::cuda::Element::operand), blocks) \
      pibench_gemm_##operand##_##result##_##name(                                                    \
          const __grid_constant__ pibench::kernels::cuda::GemmArguments arguments) {                 \
    using pibench::kernels::cuda::Element;                                                           \
    pibench::kernels::cuda::mma_gemm<Element::operand, Element::result, aligned>(arguments);         \
  }
// `blocks`: how many shall fit on a multiprocessor.
#define PIBENCH_GEMMS(operand, result, blocks)     \
  PIBENCH_GEMM(operand, result, blocks, mma, true) \
  PIBENCH_GEMM(operand, result, blocks, mma_any, false)
