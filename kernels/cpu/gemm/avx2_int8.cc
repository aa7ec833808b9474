// Micro-kernels for AVX2: int8, as pairs of int16.
#include "avx2_arithmetic.h"
#include "avx2_kernels.h"
#include "avx2_packing.h"
#include "instruction_set.h"
#include "thin_kernels.h"

namespace pibench::kernels {
namespace {

constexpr Packing kPackPairs = word_packing<Int8AsPairs>();

constexpr MicroKernel kNarrowInt8 = kernel_of<Int16Pairs, kNarrow, false>(DataType::int8, &kPackPairs);

constexpr MicroKernel kKernels[] = {wide_kernel<Int16Pairs, false>(kNarrowInt8, &kThin<Dots<ThinPairs>>)};

// Several products, then their sums: one by one, a core that gives each instruction to a unit before it knows
// what else comes lets products wait (in groups Zen 3 has 1.05 to 1.1 times the rate).
std::uint64_t peak_int8(std::uint64_t iterations) noexcept {
  constexpr int kSums = kChains / 2;
  __m256i ones = _mm256_set1_epi16(1);
  asm volatile("" : "+x"(ones));
  __m256i sums[kSums];
#pragma GCC unroll 16
  for (auto& sum : sums) sum = _mm256_setzero_si256();
  for (std::uint64_t i = 0; i < 2 * iterations; ++i) {
    __m256i products[kSums];
#pragma GCC unroll 16
    for (auto& product : products) {
      // Else all products would be one.
      asm volatile("vpmaddwd %1, %1, %0" : "=x"(product) : "x"(ones));
    }
#pragma GCC unroll 16
    for (int j = 0; j < kSums; ++j) asm volatile("vpaddd %1, %0, %0" : "+x"(sums[j]) : "x"(products[j]));
  }
  if (!all_count<std::int32_t>(sums, iterations, 4)) return 0;
  return 2 * iterations * kSums * Int16Pairs::kLanes * Int16Pairs::kUnit * 2;
}

constexpr PeakLoop kPeaks[] = {{DataType::int8, peak_int8}};

}  // namespace

constinit const InstructionSet kAvx2Int8 = {"avx2",   kCpuAvx2 | kCpuFma,
                                            kKernels, sizeof(kKernels) / sizeof(kKernels[0]),
                                            kPeaks,   sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
