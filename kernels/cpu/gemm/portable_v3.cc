// The portable micro-kernels as the compiler makes them for x86-64-v3: the same source, with AVX2 and FMA.
#include "portable_kernels.h"

namespace pibench::kernels {

constinit const InstructionSet kPortableV3 = {"portable-v3", kCpuAvx2 | kCpuFma,
                                              kKernels,      sizeof(kKernels) / sizeof(kKernels[0]),
                                              kPeaks,        sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
