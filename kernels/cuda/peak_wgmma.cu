// The peak loops of Hopper's matrix units. For sm_90a only.
#include "wgmma_instructions.h"
// The instructions come first.
#include "peak_entry.h"
#include "peak_wgmma.h"

PIBENCH_PEAK(tf32_wgmma, 1, peak_wgmma<Element::tf32>)
PIBENCH_PEAK(float16_wgmma, 1, peak_wgmma<Element::float16>)
PIBENCH_PEAK(bfloat16_wgmma, 1, peak_wgmma<Element::bfloat16>)
PIBENCH_PEAK(float8_e4m3_wgmma, 1, peak_wgmma<Element::float8_e4m3>)
PIBENCH_PEAK(int8_wgmma, 1, peak_wgmma<Element::int8>)
