// Micro-kernels for AVX2 with FMA, 16 registers of 256 bits: float32, and bfloat16 as that. float64 and int8
// have files of their own, because each takes long to compile and the first command needs one only.
#include "avx2_arithmetic.h"
#include "avx2_kernels.h"
#include "avx2_packing.h"
#include "instruction_set.h"
#include "thin_kernels.h"

namespace pibench::kernels {
namespace {

constexpr Packing kPack32 = word_packing<Floats>();
constexpr Packing kPackHalves = word_packing<Bfloat16AsFloats>();

constexpr MicroKernel kNarrowFloat32 = kernel_of<Float32, kNarrow, true>(DataType::float32, &kPack32);
constexpr MicroKernel kNarrowBfloat16 = kernel_of<Float32, kNarrow, false>(DataType::bfloat16, &kPackHalves);

constexpr MicroKernel kKernels[] = {
    wide_kernel<Float32, true>(kNarrowFloat32, &kThin<Singles<Float32>>),
    wide_kernel<Float32, false>(kNarrowBfloat16, &kThin<Singles<Bfloat16>>),
};

std::uint64_t peak_float32(std::uint64_t iterations) noexcept {
  return peak<Float32>(_mm256_set1_ps(0.5F), _mm256_set1_ps(2), iterations);
}

constexpr PeakLoop kPeaks[] = {{DataType::float32, peak_float32}, {DataType::bfloat16, peak_float32}};

}  // namespace

constinit const InstructionSet kAvx2 = {"avx2",   kCpuAvx2 | kCpuFma,
                                        kKernels, sizeof(kKernels) / sizeof(kKernels[0]),
                                        kPeaks,   sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
