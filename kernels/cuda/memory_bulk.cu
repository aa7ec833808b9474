// The passes over memory that the bulk copy engine makes.
#include "hopper_instructions.h"
// The instructions come first.
#include "bulk_copy.h"

extern "C" __global__ void __launch_bounds__(32)
    pibench_memory_copy_bulk(const __grid_constant__ pibench::kernels::cuda::MemoryArguments arguments) {
  pibench::kernels::cuda::bulk_copy(arguments);
}
