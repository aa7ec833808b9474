// Micro-kernel for AVX512-BF16: VDPBF16PS multiplies pairs of bfloat16 and adds both products to a float32.
#include "avx512_floats.h"
#include "avx512_halves.h"
#include "avx512_joining.h"
#include "avx512_kernels.h"
#include "avx512_packing.h"
#include "thin_along_rows.h"

namespace pibench::kernels {
namespace {

struct Bfloat16Pairs {
  using Element = std::uint16_t;
  using Unit = std::uint32_t;
  using Result = float;
  using Vector = __m512;
  using Mask = __mmask16;
  static constexpr bool kInPlace = true;
  static constexpr bool kReadsFactor = false;
  static constexpr bool kAsksForA = false;
  static constexpr bool kAsksForB = false;
  static constexpr bool kCopies = false;
  static constexpr bool kOwnInstruction = false;
  static constexpr int kLanes = 16;
  static constexpr int kUnit = 2;
  static Vector start(const void*, int) noexcept { return zeros<Vector>(); }
  static __m512i load(const Unit* from) noexcept { return _mm512_loadu_si512(from); }
  static __m512i load(Mask mask, const Unit* from) noexcept { return _mm512_maskz_loadu_epi32(mask, from); }
  static __m512i broadcast(const Unit* from) noexcept { return _mm512_set1_epi32(static_cast<int>(*from)); }
  static __m512i broadcast_source(const Unit* from) noexcept {
    int pair = 0;
    __builtin_memcpy(&pair, from, sizeof pair);
    return _mm512_set1_epi32(pair);
  }
  static Vector multiply_add(__m512i a, __m512i b, Vector sum) noexcept {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
  }
  static Vector read(const float* from) noexcept { return _mm512_loadu_ps(from); }
  static Vector read(Mask mask, const float* from) noexcept { return _mm512_maskz_loadu_ps(mask, from); }
  static void write(float* to, Vector value) noexcept { _mm512_storeu_ps(to, value); }
  static void stream(float* to, Vector value) noexcept { _mm512_stream_ps(to, value); }
  static void write(float* to, Mask mask, Vector value) noexcept { _mm512_mask_storeu_ps(to, mask, value); }
  static Vector add(Vector a, Vector b) noexcept { return _mm512_add_ps(a, b); }
};

// Of half a vector's columns.
struct HalfOfPairs : HalfOfFloats {
  using Element = std::uint16_t;
  using Unit = std::uint32_t;
  static constexpr int kUnit = 2;
  static __m256i load(const Unit* from) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static __m256i load(Mask mask, const Unit* from) noexcept { return _mm256_maskz_loadu_epi32(mask, from); }
  static __m256i broadcast(const Unit* from) noexcept { return _mm256_set1_epi32(static_cast<int>(*from)); }
  static __m256i broadcast_source(const Unit* from) noexcept {
    int pair = 0;
    __builtin_memcpy(&pair, from, sizeof pair);
    return _mm256_set1_epi32(pair);
  }
  static Vector multiply_add(__m256i a, __m256i b, Vector sum) noexcept {
    return _mm256_dpbf16_ps(sum, reinterpret_cast<__m256bh>(a), reinterpret_cast<__m256bh>(b));
  }
};

inline __m512i widen16(const char* from, std::int64_t lanes) noexcept {
  if (lanes >= 16) return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  const auto mask = static_cast<__mmask16>((1U << static_cast<unsigned>(lanes)) - 1U);
  return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, from));
}

// Where the elements of 16 pairs stand in two rows of 32, from a column on.
inline __m512i pairs_from(int column) noexcept {
  const __m512i pair = _mm512_add_epi32(
      _mm512_set1_epi32(column), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  return _mm512_or_si512(pair, _mm512_slli_epi32(_mm512_add_epi32(pair, _mm512_set1_epi32(32)), 16));
}

// Two rows of 32 columns as pairs.
inline Joined pairs_of_32(__m512i low, __m512i high) noexcept {
  return {_mm512_permutex2var_epi16(low, pairs_from(0), high),
          _mm512_permutex2var_epi16(low, pairs_from(16), high)};
}

struct JoiningPairs : Bfloat16Pairs {
  static Joined join(const Element* from, std::int64_t row) noexcept {
    return pairs_of_32(_mm512_loadu_si512(from), _mm512_loadu_si512(from + row));
  }
  static Joined join(const Element* from, std::int64_t row, int rows, std::int64_t columns) noexcept {
    const auto load = [&](int r) __attribute__((always_inline)) {
      return r < rows ? load_bytes(reinterpret_cast<const char*>(from + r * row), 2 * columns)
                      : _mm512_setzero_si512();
    };
    return pairs_of_32(load(0), load(1));
  }
};

// Lanes that are neighbours in memory: two rows become one row of pairs.
void pair_rows(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
               std::int64_t width, void* packed) noexcept {
  constexpr std::int64_t kElement = 2;
  constexpr std::int64_t kPair = 4;
  constexpr std::int64_t kLanes = 16;
  const auto* from = static_cast<const char*>(source);
  auto* to = static_cast<char*>(packed);
  std::int64_t p = 0;
  // A whole panel at once: a permutation of both rows for each half.
  if (width == 2 * kLanes && lanes == width) {
    for (; p + 2 <= depth; p += 2) {
      const Joined pairs = pairs_of_32(_mm512_loadu_si512(from), _mm512_loadu_si512(from + ld * kElement));
      _mm512_storeu_si512(to, pairs.first);
      _mm512_storeu_si512(to + kLanes * kPair, pairs.second);
      from += 2 * ld * kElement;
      to += width * kPair;
    }
  }
  for (; p < depth; p += 2) {
    for (std::int64_t i = 0; i < width; i += kLanes) {
      const std::int64_t here = lanes - i;
      const __m512i low = here > 0 ? widen16(from + i * kElement, here) : _mm512_setzero_si512();
      const __m512i high =
          here > 0 && p + 1 < depth ? widen16(from + (ld + i) * kElement, here) : _mm512_setzero_si512();
      const __m512i pairs = _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
      const std::int64_t room = width - i < kLanes ? width - i : kLanes;
      Words32::store(to + i * kPair, static_cast<int>(room), pairs);
    }
    from += 2 * ld * kElement;
    to += width * kPair;
  }
}

constexpr Packing kPackPairs = {2,
                                2,
                                2,
                                0,
                                0,
                                {transpose_strip<Words32, 2, 0, true>, pair_rows, 2},
                                {transpose_strip<Words32, 2, 0, false>, pair_rows, 2}};

// Inner products of rows and few vectors, by pairs as they lie, in vectors of the sums' type. (Across rows
// what the pairs are joined of comes no faster than floats made of them.)
struct DotPairs {
  using Element = std::uint16_t;
  using Result = float;
  using Vector = __m512;
  static constexpr int kLanes = 16;
  static constexpr int kDepth = 2;
  static constexpr int kThinSums = 16;
  static constexpr bool kCompact = true;
  static constexpr bool kBiased = false;

  static Vector row(const Element* from) noexcept { return as_floats(_mm512_loadu_si512(from)); }
  static Vector row(const Element* from, int count) noexcept {
    return as_floats(load_bytes(reinterpret_cast<const char*>(from), std::int64_t{count} * 2));
  }
  static Vector factors(const Element* from) noexcept { return row(from); }
  static Vector factors(const Element* from, int count) noexcept { return row(from, count); }
  static Vector multiply_add(Vector of_matrix, Vector of_vector, Vector sum) noexcept {
    return Bfloat16Pairs::multiply_add(_mm512_castps_si512(of_vector), _mm512_castps_si512(of_matrix), sum);
  }
  static Vector add(Vector a, Vector b) noexcept { return _mm512_add_ps(a, b); }
  static void totals(const Vector* sums, Result* to) noexcept { totals_of_four(sums, to); }

 private:
  static Vector as_floats(__m512i pairs) noexcept { return _mm512_castsi512_ps(pairs); }
};

constexpr ThinKernel kDots = {{multiply_along_rows<DotPairs, 1>, multiply_along_rows<DotPairs, 2>,
                               multiply_along_rows<DotPairs, 3>, multiply_along_rows<DotPairs, 4>},
                              {}};

constexpr MicroKernel kNarrowPairs = narrow_kernel<Bfloat16Pairs>(DataType::bfloat16, &kPackPairs);
constexpr MicroKernel kHalfPairs = half_kernel<HalfOfPairs>(kNarrowPairs);
constexpr MicroKernel kJoinsPairs = joining_kernel<JoiningPairs>(DataType::bfloat16, &kPackPairs);
constexpr MicroKernel with_dots(MicroKernel kernel) {
  kernel.dots = &kDots;
  return kernel;
}
constexpr MicroKernel kWidePairs =
    with_half(wide_kernel<Bfloat16Pairs>(kNarrowPairs, &kThinBfloat16), kHalfPairs);
constexpr MicroKernel kKernels[] = {with_dots(with_joining(kWidePairs, kJoinsPairs))};

constexpr int kChains = 12;

// Each instruction adds 2, a pair of 1/2 * 2.
std::uint64_t peak_bfloat16(std::uint64_t iterations) noexcept {
  __m512i halves = _mm512_set1_epi32(0x3f003f00);
  __m512i twos = _mm512_set1_epi32(0x40004000);
  asm volatile("" : "+v"(halves), "+v"(twos));
  __m512 chains[kChains] = {};
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& chain : chains) {
      chain = Bfloat16Pairs::multiply_add(halves, twos, chain);
      asm volatile("" : "+v"(chain));
    }
  }
  if (!all_count<float>(chains, iterations, 2)) return 0;
  return iterations * kChains * Bfloat16Pairs::kLanes * 4;
}

constexpr PeakLoop kPeaks[] = {{DataType::bfloat16, peak_bfloat16}};

}  // namespace

// In the time of one VDPBF16PS a Xeon with it does four multiply-adds of float32, which bfloat16 can be
// widened for.
constinit const InstructionSet kAvx512Bf16 = {
    "avx512_bf16", kCpuAvx512F | kCpuAvx512Bw | kCpuAvx512Vl | kCpuAvx512Dq | kCpuFma | kCpuAvx512Bf16,
    kKernels,      sizeof(kKernels) / sizeof(kKernels[0]),
    kPeaks,        sizeof(kPeaks) / sizeof(kPeaks[0]),
    true};

}  // namespace pibench::kernels
