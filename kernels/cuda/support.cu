// The kernels beside the measured ones: contract.h's Support.
#include "instructions.h"
// The instructions come first.
#include "support.h"

#define PIBENCH_KERNEL(name, threads, Arguments)        \
  extern "C" __global__ void __launch_bounds__(threads) \
      pibench_##name(const __grid_constant__ pibench::kernels::cuda::Arguments arguments)

PIBENCH_KERNEL(empty, 32, EmptyArguments) {}
PIBENCH_KERNEL(spin_gate, 1, SpinGateArguments) { pibench::kernels::cuda::spin_gate(arguments); }
PIBENCH_KERNEL(fill, 256, FillArguments) { pibench::kernels::cuda::fill(arguments); }
PIBENCH_KERNEL(pattern, 256, PatternArguments) { pibench::kernels::cuda::pattern(arguments); }
PIBENCH_KERNEL(fingerprint, 256, FingerprintArguments) { pibench::kernels::cuda::fingerprint(arguments); }
PIBENCH_KERNEL(compare, 256, CompareArguments) { pibench::kernels::cuda::compare(arguments); }
