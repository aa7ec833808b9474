// The passes over memory: the kernels of contract.h's kMemories but for those of the bulk copy engine.
#include "instructions.h"
// The instructions come first.
#include "memory_passes.h"

#define PIBENCH_KERNEL(name, threads)                                   \
  extern "C" __global__ void __launch_bounds__(threads, 1024 / threads) \
      pibench_memory_##name(const __grid_constant__ pibench::kernels::cuda::MemoryArguments arguments)
#define PIBENCH_PASS(operation)                                                                          \
  PIBENCH_KERNEL(operation##_vector, 512) {                                                              \
    pibench::kernels::cuda::memory_pass<pibench::kernels::cuda::Operation::operation, false>(arguments); \
  }                                                                                                      \
  PIBENCH_KERNEL(operation##_streaming, 512) {                                                           \
    pibench::kernels::cuda::memory_pass<pibench::kernels::cuda::Operation::operation, true>(arguments);  \
  }                                                                                                      \
  PIBENCH_KERNEL(operation##_single, 1024) {                                                             \
    pibench::kernels::cuda::single_pass<pibench::kernels::cuda::Operation::operation>(arguments);        \
  }

PIBENCH_KERNEL(read_vector, 512) { pibench::kernels::cuda::read_pass<false>(arguments); }
PIBENCH_KERNEL(read_streaming, 512) { pibench::kernels::cuda::read_pass<true>(arguments); }
PIBENCH_PASS(write)
PIBENCH_PASS(copy)
PIBENCH_PASS(scale)
PIBENCH_PASS(add)
PIBENCH_PASS(triad)
