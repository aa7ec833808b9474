// The passes over memory: the kernels of contract.h's kMemories but for those of the bulk copy engine.
#include "instructions.h"
// The instructions come first.
#include "memory_passes.h"

#define PIBENCH_KERNEL(name, threads)                                   \
  extern "C" __global__ void __launch_bounds__(threads, 1024 / threads) \
      pibench_memory_##name(const __grid_constant__ pibench::kernels::cuda::MemoryArguments arguments)
// Registers for as many threads as a multiprocessor holds.
#define PIBENCH_ONCE(operation, variant, streaming, threads, count)                                     \
  extern "C" __global__ void __launch_bounds__(threads, 2048 / threads)                                 \
      pibench_memory_##operation##_##variant(                                                           \
          const __grid_constant__ pibench::kernels::cuda::MemoryArguments arguments) {                  \
    pibench::kernels::cuda::once_pass<pibench::kernels::cuda::Operation::operation, streaming, threads, \
                                      count>(arguments);                                                \
  }
#define PIBENCH_PASS(operation)                                                                          \
  PIBENCH_KERNEL(operation##_vector, 512) {                                                              \
    pibench::kernels::cuda::memory_pass<pibench::kernels::cuda::Operation::operation, false>(arguments); \
  }                                                                                                      \
  PIBENCH_KERNEL(operation##_streaming, 512) {                                                           \
    pibench::kernels::cuda::memory_pass<pibench::kernels::cuda::Operation::operation, true>(arguments);  \
  }                                                                                                      \
  PIBENCH_ONCE(operation, single, true, 1024, 1)                                                         \
  PIBENCH_ONCE(operation, single256, true, 256, 1)

PIBENCH_KERNEL(read_vector, 512) { pibench::kernels::cuda::read_pass<false>(arguments); }
PIBENCH_KERNEL(read_streaming, 512) { pibench::kernels::cuda::read_pass<true>(arguments); }
PIBENCH_PASS(write)
PIBENCH_PASS(copy)
PIBENCH_PASS(scale)
PIBENCH_PASS(add)
PIBENCH_PASS(triad)
PIBENCH_ONCE(copy, double, false, 512, 2)
