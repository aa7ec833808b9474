// Micro-kernels for AVX2 with FMA: float64.
#include "avx2_arithmetic.h"
#include "avx2_kernels.h"
#include "avx2_packing.h"
#include "instruction_set.h"
#include "thin_kernels.h"

namespace pibench::kernels {
namespace {

constexpr Packing kPack64 = word_packing<Doubles>();

constexpr MicroKernel kNarrowFloat64 = kernel_of<Float64, kNarrow, true>(DataType::float64, &kPack64);

constexpr MicroKernel kKernels[] = {wide_kernel<Float64, true>(kNarrowFloat64, &kThin<Singles<Float64>>)};

std::uint64_t peak_float64(std::uint64_t iterations) noexcept {
  return peak<Float64>(_mm256_set1_pd(0.5), _mm256_set1_pd(2), iterations);
}

constexpr PeakLoop kPeaks[] = {{DataType::float64, peak_float64}};

}  // namespace

constinit const InstructionSet kAvx2Float64 = {"avx2",   kCpuAvx2 | kCpuFma,
                                               kKernels, sizeof(kKernels) / sizeof(kKernels[0]),
                                               kPeaks,   sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
