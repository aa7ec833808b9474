// Micro-kernels for AVX-512: float64 (avx512.cc has the others).
#include "avx512_halves.h"
#include "avx512_kernels.h"
#include "avx512_packing.h"
#include "thin_kernels.h"

namespace pibench::kernels {
namespace {

struct Float64 {
  using Element = double;
  using Unit = double;
  using Result = double;
  using Vector = __m512d;
  using Mask = __mmask8;
  static constexpr bool kInPlace = true;
  static constexpr bool kOwnInstruction = false;
  static constexpr bool kReadsFactor = true;
  static constexpr bool kAsksForA = true;
  static constexpr bool kAsksForB = true;
  static constexpr bool kCopies = true;
  static constexpr int kLanes = 8;
  static constexpr int kUnit = 1;
  static constexpr int kThinSums = 24;
  static Vector start(const void*, int) noexcept { return zeros<Vector>(); }
  static Vector load(const double* from) noexcept { return _mm512_loadu_pd(from); }
  static Vector load(Mask mask, const double* from) noexcept { return _mm512_maskz_loadu_pd(mask, from); }
  static Vector broadcast(const double* from) noexcept { return _mm512_set1_pd(*from); }
  static Vector broadcast_source(const double* from) noexcept { return broadcast(from); }
  static Vector multiply(Vector a, Vector b) noexcept { return _mm512_mul_pd(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept { return _mm512_fmadd_pd(a, b, sum); }
  static void multiply_add_from(const Unit* from, Vector b, Vector& sum) noexcept {
    asm("vfmadd231pd %1%{1to8%}, %2, %0" : "+v"(sum) : "m"(*from), "v"(b));
  }
  static Vector read(const double* from) noexcept { return load(from); }
  static Vector read(Mask mask, const double* from) noexcept { return load(mask, from); }
  static void write(double* to, Vector value) noexcept { _mm512_storeu_pd(to, value); }
  static void stream(double* to, Vector value) noexcept { _mm512_stream_pd(to, value); }
  static void write(double* to, Mask mask, Vector value) noexcept { _mm512_mask_storeu_pd(to, mask, value); }
  static Vector add(Vector a, Vector b) noexcept { return _mm512_add_pd(a, b); }
  static Vector load_first(const double* from, int count) noexcept { return load(first_lanes(count), from); }
  static void write_first(double* to, int count, Vector value) noexcept {
    write(to, first_lanes(count), value);
  }
  static void totals(const Vector* sums, double* to) noexcept {
    // In each quarter a, b, or c, d.
    const auto pairs = [](Vector a, Vector b) {
      const Vector quarters = _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
      return _mm256_add_pd(_mm512_castpd512_pd256(quarters), _mm512_extractf64x4_pd(quarters, 1));
    };
    const __m256d ab = pairs(sums[0], sums[1]);
    const __m256d cd = pairs(sums[2], sums[3]);
    _mm256_storeu_pd(
        to, _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20), _mm256_permute2f128_pd(ab, cd, 0x31)));
  }

 private:
  static Mask first_lanes(int count) noexcept {
    return static_cast<Mask>((1U << static_cast<unsigned>(count)) - 1U);
  }
};

// Of half a vector's columns.
struct HalfOfFloat64 : Half {
  using Element = double;
  using Unit = double;
  using Result = double;
  using Vector = __m256d;
  using Mask = __mmask8;
  static constexpr bool kOwnInstruction = false;
  static constexpr int kLanes = 4;
  static constexpr int kUnit = 1;
  static Vector start(const void*, int) noexcept { return zeros<Vector>(); }
  static Vector load(const Unit* from) noexcept { return _mm256_loadu_pd(from); }
  static Vector load(Mask mask, const Unit* from) noexcept { return _mm256_maskz_loadu_pd(mask, from); }
  static Vector broadcast(const Unit* from) noexcept { return _mm256_set1_pd(*from); }
  static Vector broadcast_source(const Unit* from) noexcept { return broadcast(from); }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept { return _mm256_fmadd_pd(a, b, sum); }
  static Vector read(const Result* from) noexcept { return _mm256_loadu_pd(from); }
  static Vector read(Mask mask, const Result* from) noexcept { return _mm256_maskz_loadu_pd(mask, from); }
  static void write(Result* to, Vector value) noexcept { _mm256_storeu_pd(to, value); }
  static void write(Result* to, Mask mask, Vector value) noexcept { _mm256_mask_storeu_pd(to, mask, value); }
  static Vector add(Vector a, Vector b) noexcept { return _mm256_add_pd(a, b); }
};

constexpr Packing kPack64 = word_packing<Words64>();

constexpr MicroKernel kNarrowFloat64 = narrow_kernel<Float64>(DataType::float64, &kPack64);
constexpr MicroKernel kHalfFloat64 = half_kernel<HalfOfFloat64>(kNarrowFloat64);

// Each row of doubles goes on to its next cache line after eight steps: more rows at a time were slower for
// products of about a hundred rows and columns, and faster for none, on Zen 4.
constexpr int kRowsOfDoubles = 8;

constexpr MicroKernel kKernels[] = {
    with_half(wide_kernel<Float64>(kNarrowFloat64, &kThin<Singles<Float64>>, kRowsOfDoubles), kHalfFloat64),
};

// As many as of float32, in avx512.cc, which says why.
constexpr int kChains = 12;

std::uint64_t peak_float64(std::uint64_t iterations) noexcept {
  __m512d half = _mm512_set1_pd(0.5);
  __m512d two = _mm512_set1_pd(2);
  asm volatile("" : "+v"(half), "+v"(two));
  __m512d chains[kChains] = {};
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& chain : chains) {
      chain = _mm512_fmadd_pd(half, two, chain);
      asm volatile("" : "+v"(chain));
    }
  }
  if (!all_count<double>(chains, iterations, 1)) return 0;
  return iterations * kChains * Float64::kLanes * 2;
}

constexpr PeakLoop kPeaks[] = {{DataType::float64, peak_float64}};

}  // namespace

constinit const InstructionSet kAvx512Float64 = {
    "avx512", kCpuAvx512F | kCpuAvx512Bw | kCpuAvx512Vl | kCpuAvx512Dq | kCpuFma,
    kKernels, sizeof(kKernels) / sizeof(kKernels[0]),
    kPeaks,   sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
