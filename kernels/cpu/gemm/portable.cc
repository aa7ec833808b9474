// The portable micro-kernels as the baseline of every CPU executes them.
#include "portable_kernels.h"

namespace pibench::kernels {

constinit const InstructionSet kPortable = {"portable", 0,
                                            kKernels,   sizeof(kKernels) / sizeof(kKernels[0]),
                                            kPeaks,     sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
