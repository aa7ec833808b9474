// The peak loop of fp8 with a warp's matrix units, which have it from compute capability 8.9 on.
#include "instructions.h"
// The instructions come first.
#include "peak_entry.h"
#include "peak_loops.h"

PIBENCH_PEAK(float8_e4m3_mma, 2, peak_mma<Element::float8_e4m3>)
