// Micro-kernels for AVX-512: 32 registers of 512 bits.
#include "avx512_dot.h"
#include "avx512_packing.h"
#include "avx512_tile.h"

namespace pibench::kernels {
namespace {

struct Float32 {
  using Unit = float;
  using Result = float;
  using Vector = __m512;
  using Mask = __mmask16;
  static constexpr bool kInPlace = true;
  static constexpr int kLanes = 16;
  static constexpr int kUnit = 1;
  static Vector start(const void*, int) noexcept { return zeros<Vector>(); }
  static Vector load(const float* from) noexcept { return _mm512_loadu_ps(from); }
  static Vector load(Mask mask, const float* from) noexcept { return _mm512_maskz_loadu_ps(mask, from); }
  static Vector broadcast(const float* from) noexcept { return _mm512_set1_ps(*from); }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept { return _mm512_fmadd_ps(a, b, sum); }
  static Vector read(const float* from) noexcept { return load(from); }
  static Vector read(Mask mask, const float* from) noexcept { return load(mask, from); }
  static void write(float* to, Vector value) noexcept { _mm512_storeu_ps(to, value); }
  static void stream(float* to, Vector value) noexcept { _mm512_stream_ps(to, value); }
  static void write(float* to, Mask mask, Vector value) noexcept { _mm512_mask_storeu_ps(to, mask, value); }
  static Vector add(Vector a, Vector b) noexcept { return _mm512_add_ps(a, b); }
  static float total(Vector sums) noexcept { return _mm512_reduce_add_ps(sums); }
};

struct Float64 {
  using Unit = double;
  using Result = double;
  using Vector = __m512d;
  using Mask = __mmask8;
  static constexpr bool kInPlace = true;
  static constexpr int kLanes = 8;
  static constexpr int kUnit = 1;
  static Vector start(const void*, int) noexcept { return zeros<Vector>(); }
  static Vector load(const double* from) noexcept { return _mm512_loadu_pd(from); }
  static Vector load(Mask mask, const double* from) noexcept { return _mm512_maskz_loadu_pd(mask, from); }
  static Vector broadcast(const double* from) noexcept { return _mm512_set1_pd(*from); }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept { return _mm512_fmadd_pd(a, b, sum); }
  static Vector read(const double* from) noexcept { return load(from); }
  static Vector read(Mask mask, const double* from) noexcept { return load(mask, from); }
  static void write(double* to, Vector value) noexcept { _mm512_storeu_pd(to, value); }
  static void stream(double* to, Vector value) noexcept { _mm512_stream_pd(to, value); }
  static void write(double* to, Mask mask, Vector value) noexcept { _mm512_mask_storeu_pd(to, mask, value); }
  static Vector add(Vector a, Vector b) noexcept { return _mm512_add_pd(a, b); }
  static double total(Vector sums) noexcept { return _mm512_reduce_add_pd(sums); }
};

constexpr Packing kPack32 = word_packing<Words32>();
constexpr Packing kPack64 = word_packing<Words64>();

constexpr MicroKernel kNarrowFloat32 = narrow_kernel<Float32>(DataType::float32, &kPack32);
constexpr MicroKernel kNarrowFloat64 = narrow_kernel<Float64>(DataType::float64, &kPack64);

constexpr MicroKernel kDotFloat32 = dot_kernel<Float32>(DataType::float32, &kPackFloat32By16);
constexpr MicroKernel kDotFloat64 = dot_kernel<Float64>(DataType::float64, &kPackFloat64By8);

constexpr MicroKernel kKernels[] = {
    wide_kernel<Float32>(kNarrowFloat32, &kDotFloat32),
    wide_kernel<Float64>(kNarrowFloat64, &kDotFloat64),
    {DataType::bfloat16, &kPackBfloat16AsFloat32, sizeof(float), kWideRows, kWide* Float32::kLanes,
     kByRows<Float32, kWide, kWideRows, false>.functions},
};

// Two FMA units of latency 4 or 5 need 10 independent chains. x = x * 1/2 + 1/2 stays at 1.
constexpr int kChains = 12;

std::uint64_t peak_float32(std::uint64_t iterations) noexcept {
  __m512 half = _mm512_set1_ps(0.5F);
  asm volatile("" : "+v"(half));
  __m512 chains[kChains];
#pragma GCC unroll 16
  for (auto& chain : chains) chain = _mm512_set1_ps(1.0F);
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& chain : chains) {
      chain = _mm512_fmadd_ps(chain, half, half);
      asm volatile("" : "+v"(chain));
    }
  }
#pragma GCC unroll 16
  for (const auto& chain : chains) {
    if (_mm512_cmpneq_ps_mask(chain, _mm512_set1_ps(1.0F)) != 0) return 0;
  }
  return iterations * kChains * Float32::kLanes * 2;
}

std::uint64_t peak_float64(std::uint64_t iterations) noexcept {
  __m512d half = _mm512_set1_pd(0.5);
  asm volatile("" : "+v"(half));
  __m512d chains[kChains];
#pragma GCC unroll 16
  for (auto& chain : chains) chain = _mm512_set1_pd(1.0);
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& chain : chains) {
      chain = _mm512_fmadd_pd(chain, half, half);
      asm volatile("" : "+v"(chain));
    }
  }
#pragma GCC unroll 16
  for (const auto& chain : chains) {
    if (_mm512_cmpneq_pd_mask(chain, _mm512_set1_pd(1.0)) != 0) return 0;
  }
  return iterations * kChains * Float64::kLanes * 2;
}

constexpr PeakLoop kPeaks[] = {
    {DataType::float32, peak_float32}, {DataType::float64, peak_float64}, {DataType::bfloat16, peak_float32}};

}  // namespace

constinit const InstructionSet kAvx512 = {
    "avx512", kCpuAvx512F | kCpuAvx512Bw | kCpuAvx512Vl | kCpuAvx512Dq | kCpuFma,
    kKernels, sizeof(kKernels) / sizeof(kKernels[0]),
    kPeaks,   sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
