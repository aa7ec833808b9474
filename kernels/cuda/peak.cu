// The peak loops that run from compute capability 8.0 on.
#include "instructions.h"
// The instructions come first.
#include "peak_entry.h"
#include "peak_loops.h"

PIBENCH_PEAK(float64_scalar, 4, peak_scalar<double>)
PIBENCH_PEAK(float32_scalar, 4, peak_scalar<float>)
PIBENCH_PEAK(float64_mma, 2, peak_mma_double)
PIBENCH_PEAK(tf32_mma, 2, peak_mma<Element::tf32>)
PIBENCH_PEAK(float16_mma, 2, peak_mma<Element::float16>)
PIBENCH_PEAK(bfloat16_mma, 2, peak_mma<Element::bfloat16>)
PIBENCH_PEAK(int8_mma, 2, peak_mma<Element::int8>)
