// The products of a warp's matrix units: the kernels of contract_gemm.h whose engine is mma, but for fp8.
#include "mma_entry.h"

PIBENCH_GEMMS(bfloat16, float32, 2)
PIBENCH_GEMMS(bfloat16, bfloat16, 2)
PIBENCH_GEMMS(float16, float32, 2)
PIBENCH_GEMMS(float16, float16, 2)
PIBENCH_GEMMS(tf32, float32, 2)
PIBENCH_GEMMS(int8, int32, 2)
PIBENCH_GEMMS(float64, float64, 2)
