// Micro-kernels for AVX2 with FMA: 16 registers of 256 bits.
#include <immintrin.h>

#include "instruction_set.h"

namespace pibench::kernels {
namespace {

constexpr int kLanes = 8;
constexpr int kNr = 2 * kLanes;
constexpr int kRows = 6;  // 6 x 2 accumulators, 2 vectors of B, one element of A: 15 of 16 registers

template <int rows>
void compute_tile(std::int64_t depth, const void* packed_a, const void* packed_b, void* result,
                  std::int64_t ldc, bool accumulate) noexcept {
  const auto* a = static_cast<const float*>(packed_a);
  const auto* b = static_cast<const float*>(packed_b);
  auto* c = static_cast<float*>(result);

  __m256 sums[rows][2];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
    sums[i][0] = _mm256_setzero_ps();
    sums[i][1] = _mm256_setzero_ps();
    // The tile of C is needed at the end: ask for it now. Into L2, because A and B fill L1 until then.
    _mm_prefetch(reinterpret_cast<const char*>(c + i * ldc), _MM_HINT_T1);
  }
  for (std::int64_t p = 0; p < depth; ++p) {
    const __m256 b0 = _mm256_loadu_ps(b);
    const __m256 b1 = _mm256_loadu_ps(b + kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const __m256 element = _mm256_broadcast_ss(a + i);
      sums[i][0] = _mm256_fmadd_ps(element, b0, sums[i][0]);
      sums[i][1] = _mm256_fmadd_ps(element, b1, sums[i][1]);
    }
    a += rows;
    b += kNr;
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
    float* row = c + i * ldc;
    if (accumulate) {
      sums[i][0] = _mm256_add_ps(sums[i][0], _mm256_loadu_ps(row));
      sums[i][1] = _mm256_add_ps(sums[i][1], _mm256_loadu_ps(row + kLanes));
    }
    _mm256_storeu_ps(row, sums[i][0]);
    _mm256_storeu_ps(row + kLanes, sums[i][1]);
  }
}

constexpr ComputeTile kByRows[kRows] = {compute_tile<1>, compute_tile<2>, compute_tile<3>,
                                        compute_tile<4>, compute_tile<5>, compute_tile<6>};

constexpr MicroKernel kKernels[] = {
    {DataType::float32, &kPackFloat32, sizeof(float), kRows, kNr, kByRows},
    {DataType::bfloat16, &kPackBfloat16AsFloat32, sizeof(float), kRows, kNr, kByRows},
};

// Two FMA units of latency 4 or 5 need 10 independent chains. x = x * 1/2 + 1/2 stays at 1.
constexpr int kChains = 12;

std::uint64_t peak_float32(std::uint64_t iterations) noexcept {
  __m256 half = _mm256_set1_ps(0.5F);
  asm volatile("" : "+x"(half));
  __m256 chains[kChains];
#pragma GCC unroll 16
  for (auto& chain : chains) chain = _mm256_set1_ps(1.0F);
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& chain : chains) {
      chain = _mm256_fmadd_ps(chain, half, half);
      asm volatile("" : "+x"(chain));
    }
  }
  return iterations * kChains * kLanes * 2;
}

std::uint64_t peak_float64(std::uint64_t iterations) noexcept {
  __m256d half = _mm256_set1_pd(0.5);
  asm volatile("" : "+x"(half));
  __m256d chains[kChains];
#pragma GCC unroll 16
  for (auto& chain : chains) chain = _mm256_set1_pd(1.0);
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& chain : chains) {
      chain = _mm256_fmadd_pd(chain, half, half);
      asm volatile("" : "+x"(chain));
    }
  }
  return iterations * kChains * kLanes;
}

constexpr PeakLoop kPeaks[] = {
    {DataType::float32, peak_float32}, {DataType::float64, peak_float64}, {DataType::bfloat16, peak_float32}};

}  // namespace

constinit const InstructionSet kAvx2 = {"avx2",   kCpuAvx2 | kCpuFma,
                                        kKernels, sizeof(kKernels) / sizeof(kKernels[0]),
                                        kPeaks,   sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
