// Micro-kernels for AVX-512, 32 registers of 512 bits: float32, and bfloat16 as that. float64 has a file of
// its own (avx512_float64.cc), because each takes long to compile and the first command needs one only.
#include "avx512_floats.h"
#include "avx512_halves.h"
#include "avx512_kernels.h"
#include "avx512_packing.h"
#include "thin_kernels.h"

namespace pibench::kernels {
namespace {

struct Float32 {
  using Element = float;
  using Unit = float;
  using Result = float;
  using Vector = __m512;
  using Mask = __mmask16;
  static constexpr bool kInPlace = true;
  static constexpr bool kOwnInstruction = false;
  static constexpr bool kReadsFactor = true;
  static constexpr bool kAsksForA = true;
  static constexpr bool kAsksForB = true;
  static constexpr bool kCopies = true;
  static constexpr int kLanes = 16;
  static constexpr int kUnit = 1;
  static constexpr int kThinSums = 24;
  static Vector start(const void*, int) noexcept { return zeros<Vector>(); }
  static Vector load(const float* from) noexcept { return _mm512_loadu_ps(from); }
  static Vector load(Mask mask, const float* from) noexcept { return _mm512_maskz_loadu_ps(mask, from); }
  static Vector broadcast(const float* from) noexcept { return _mm512_set1_ps(*from); }
  static Vector broadcast_source(const float* from) noexcept { return broadcast(from); }
  static Vector multiply(Vector a, Vector b) noexcept { return _mm512_mul_ps(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept { return _mm512_fmadd_ps(a, b, sum); }
  static void multiply_add_from(const Unit* from, Vector b, Vector& sum) noexcept {
    asm("vfmadd231ps %1%{1to16%}, %2, %0" : "+v"(sum) : "m"(*from), "v"(b));
  }
  static Vector read(const float* from) noexcept { return load(from); }
  static Vector read(Mask mask, const float* from) noexcept { return load(mask, from); }
  static void write(float* to, Vector value) noexcept { _mm512_storeu_ps(to, value); }
  static void stream(float* to, Vector value) noexcept { _mm512_stream_ps(to, value); }
  static void write(float* to, Mask mask, Vector value) noexcept { _mm512_mask_storeu_ps(to, mask, value); }
  static Vector add(Vector a, Vector b) noexcept { return _mm512_add_ps(a, b); }
  static Vector load_first(const float* from, int count) noexcept { return load(first_lanes(count), from); }
  static void write_first(float* to, int count, Vector value) noexcept {
    write(to, first_lanes(count), value);
  }
  static void totals(const Vector* sums, float* to) noexcept { totals_of_four(sums, to); }
};

// Of half a vector's columns.
struct HalfOfFloat32 : HalfOfFloats {
  using Element = float;
  using Unit = float;
  static constexpr int kUnit = 1;
  static Vector load(const Unit* from) noexcept { return _mm256_loadu_ps(from); }
  static Vector load(Mask mask, const Unit* from) noexcept { return _mm256_maskz_loadu_ps(mask, from); }
  static Vector broadcast(const Unit* from) noexcept { return _mm256_set1_ps(*from); }
  static Vector broadcast_source(const Unit* from) noexcept { return broadcast(from); }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept { return _mm256_fmadd_ps(a, b, sum); }
};

// A bfloat16 is the upper half of a float. AVX512-BF16's instruction, which does the work of two
// multiply-adds, takes as long as four of them on the Xeon that was measured, and across rows pairs of two
// would have to be made for it. (Along rows avx512_bf16.cc has them as they lie.)
struct Bfloat16 : Float32 {
  using Element = std::uint16_t;
  using Float32::broadcast;
  using Float32::load;
  using Float32::load_first;
  static Vector load(const Element* from) noexcept {
    return widen(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
  static Vector load_first(const Element* from, int count) noexcept {
    return widen(_mm256_maskz_loadu_epi16(first_lanes(count), from));
  }
  static Vector broadcast(const Element* from) noexcept {
    return _mm512_castsi512_ps(_mm512_set1_epi32(static_cast<int>(std::uint32_t{*from} << 16U)));
  }

 private:
  static Vector widen(__m256i elements) noexcept {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(elements), 16));
  }
};

constexpr Packing kPack32 = word_packing<Words32>();

constexpr MicroKernel kNarrowFloat32 = narrow_kernel<Float32>(DataType::float32, &kPack32);
constexpr MicroKernel kHalfFloat32 = half_kernel<HalfOfFloat32>(kNarrowFloat32);

constexpr MicroKernel kKernels[] = {
    with_half(wide_kernel<Float32>(kNarrowFloat32, &kThin<Singles<Float32>>), kHalfFloat32),
    {.type = DataType::bfloat16,
     .packing = &kPackBfloat16AsFloat32,
     .result_size = sizeof(float),
     .mr = kWideRows,
     .nr = kWide * Float32::kLanes,
     .by_rows = kByRows<Float32, kWide, kWideRows, false>.functions,
     .thin = &kThinBfloat16,
     .most_vectors = kMostVectors},
};

// Two FMA units of latency 4 or 5 need 10 independent chains. Each multiply-add adds 1, as 1/2 * 2.
constexpr int kChains = 12;

std::uint64_t peak_float32(std::uint64_t iterations) noexcept {
  __m512 half = _mm512_set1_ps(0.5F);
  __m512 two = _mm512_set1_ps(2);
  asm volatile("" : "+v"(half), "+v"(two));
  __m512 chains[kChains] = {};
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& chain : chains) {
      chain = _mm512_fmadd_ps(half, two, chain);
      asm volatile("" : "+v"(chain));
    }
  }
  if (!all_count<float>(chains, iterations, 1)) return 0;
  return iterations * kChains * Float32::kLanes * 2;
}

constexpr PeakLoop kPeaks[] = {{DataType::float32, peak_float32}, {DataType::bfloat16, peak_float32}};

}  // namespace

constinit const ThinKernel kThinBfloat16 = kThin<Singles<Bfloat16>>;

constinit const InstructionSet kAvx512 = {
    "avx512", kCpuAvx512F | kCpuAvx512Bw | kCpuAvx512Vl | kCpuAvx512Dq | kCpuFma,
    kKernels, sizeof(kKernels) / sizeof(kKernels[0]),
    kPeaks,   sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
