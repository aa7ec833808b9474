// The passes over memory that the bulk copy engine makes.
#include "hopper_instructions.h"
// The instructions come first.
#include "bulk_copy.h"

#define PIBENCH_BULK(variant, places, bytes)                                       \
  extern "C" __global__ void __launch_bounds__(32) pibench_memory_copy_##variant(  \
      const __grid_constant__ pibench::kernels::cuda::MemoryArguments arguments) { \
    pibench::kernels::cuda::bulk_copy<places, bytes>(arguments);                   \
  }
PIBENCH_BULK(bulk, 4, 16 * 1024)
PIBENCH_BULK(bulk8once, 1, 8 * 1024)
PIBENCH_BULK(bulk16once, 1, 16 * 1024)
PIBENCH_BULK(bulk32once, 1, 32 * 1024)
