// The products of fp8 (e4m3) with a warp's matrix units, which have it from compute capability 8.9 on.
#include "mma_entry.h"

PIBENCH_GEMMS(float8_e4m3, float32, 1)
