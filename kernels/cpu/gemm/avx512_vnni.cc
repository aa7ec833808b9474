// Micro-kernels for AVX512-VNNI, whose arithmetic is in avx512_quads.h.
#include "avx512_joining.h"
#include "avx512_kernels.h"
#include "avx512_quad_packing.h"
#include "avx512_quads.h"
#include "thin_kernels.h"

namespace pibench::kernels {
namespace {

// Where B's rows are joined as they are read, it is B to which 128 is added, a vector at a time, and the sums
// begin with -128 times the sum of their row of A, which packing A appends to each strip.
struct JoiningQuads : Int8Quads {
  static Vector start(const void* trailer, int row) noexcept {
    return _mm512_set1_epi32(static_cast<const std::int32_t*>(trailer)[row]);
  }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept {
    return Int8Quads::multiply_add(b, a, sum);
  }
  static Joined join(const Element* from, std::int64_t row) noexcept {
    return unsigned_quadruples(two_rows(from, row), two_rows(from + 2 * row, row));
  }
  static Joined join(const Element* from, std::int64_t row, int rows, std::int64_t columns) noexcept {
    const __mmask32 lanes =
        columns >= 32 ? ~__mmask32{0} : (__mmask32{1} << static_cast<unsigned>(columns)) - 1U;
    const auto load = [&](int r) __attribute__((always_inline)) {
      return r < rows ? _mm256_maskz_loadu_epi8(lanes, from + r * row) : _mm256_setzero_si256();
    };
    return unsigned_quadruples(two_rows(load(0), load(1)), two_rows(load(2), load(3)));
  }

 private:
  static Joined unsigned_quadruples(__m512i upper, __m512i lower) noexcept {
    const __m512i sign = _mm512_set1_epi8(static_cast<char>(kSign));
    return quadruples_of_32(_mm512_xor_si512(upper, sign), _mm512_xor_si512(lower, sign));
  }
};

// A matrix and few vectors: here the matrix is what 128 is added to as it is read, and each sum is too large
// by 128 times that of the vector's elements.
struct ThinQuads {
  using Element = std::int8_t;
  using Result = std::int32_t;
  using Vector = __m512i;
  static constexpr int kLanes = Int8Quads::kLanes;
  static constexpr int kDepth = 4;
  static constexpr int kThinSums = 16;
  static constexpr bool kCompact = true;
  static constexpr bool kBiased = true;

  static Vector row(const Element* from) noexcept { return unsign(_mm512_loadu_si512(from)); }
  static Vector row(const Element* from, int count) noexcept { return unsign(factors(from, count)); }
  static Vector factors(const Element* from) noexcept { return _mm512_loadu_si512(from); }
  static Vector factors(const Element* from, int count) noexcept {
    return load_bytes(reinterpret_cast<const char*>(from), count);
  }
  static Vector columns(const Element* from, std::int64_t row) noexcept {
    const auto load = [&](std::int64_t r) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + r * row));
    };
    return unsign(quadruples(load(0), load(1), load(2), load(3)));
  }
  static Vector columns(const Element* from, std::int64_t row, int count, int depth) noexcept {
    const auto load = [&](int r) {
      return r < depth ? _mm_maskz_loadu_epi8(first_lanes(count), from + r * row) : _mm_setzero_si128();
    };
    return unsign(quadruples(load(0), load(1), load(2), load(3)));
  }
  static Vector factor(const Element* from, std::int64_t element, int depth = kDepth) noexcept {
    std::uint32_t quad = 0;
    for (int i = 0; i < depth; ++i) {
      quad |= std::uint32_t{static_cast<std::uint8_t>(from[i * element])} << (8U * static_cast<unsigned>(i));
    }
    return _mm512_set1_epi32(static_cast<int>(quad));
  }
  static Vector multiply_add(Vector of_matrix, Vector of_vector, Vector sum) noexcept {
    return Int8Quads::multiply_add(of_matrix, of_vector, sum);
  }
  static Vector bias(Vector of_vector, Vector sum) noexcept {
    return multiply_add(_mm512_set1_epi8(static_cast<char>(kSign)), of_vector, sum);
  }
  static Vector add(Vector a, Vector b) noexcept { return _mm512_add_epi32(a, b); }
  static Vector subtract(Vector a, Vector b) noexcept { return _mm512_sub_epi32(a, b); }
  static Vector read(const Result* from) noexcept { return _mm512_loadu_si512(from); }
  static Vector read_first(const Result* from, int count) noexcept {
    return _mm512_maskz_loadu_epi32(first_lanes(count), from);
  }
  static void write(Result* to, Vector value) noexcept { _mm512_storeu_si512(to, value); }
  static void write_first(Result* to, int count, Vector value) noexcept {
    _mm512_mask_storeu_epi32(to, first_lanes(count), value);
  }
  static void totals(const Vector* sums, Result* to) noexcept {
    const auto pairs = [](Vector a, Vector b) {
      return add(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    };
    const Vector ab = pairs(sums[0], sums[1]);
    const Vector cd = pairs(sums[2], sums[3]);
    // In each quarter a, b, c, d.
    const Vector quarters = add(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    const __m256i halves =
        _mm256_add_epi32(_mm512_castsi512_si256(quarters), _mm512_extracti64x4_epi64(quarters, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1)));
  }

 private:
  static Vector unsign(Vector elements) noexcept {
    return _mm512_xor_si512(elements, _mm512_set1_epi8(static_cast<char>(kSign)));
  }
};

constexpr MicroKernel kNarrowQuads = narrow_kernel<Int8Quads>(DataType::int8, &kPackQuads);
constexpr MicroKernel kHalfQuads = half_kernel<HalfOfQuads>(kNarrowQuads);
constexpr MicroKernel kJoinsQuads = joining_kernel<JoiningQuads>(DataType::int8, &kPackForJoining);
constexpr MicroKernel kKernels[] = {
    with_joining(with_half(wide_kernel<Int8Quads>(kNarrowQuads, &kThinInt8), kHalfQuads), kJoinsQuads)};

constexpr int kChains = 12;

std::uint64_t peak_int8(std::uint64_t iterations) noexcept {
  __m512i ones = _mm512_set1_epi8(1);
  asm volatile("" : "+v"(ones));
  __m512i chains[kChains] = {};
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& chain : chains) {
      chain = Int8Quads::multiply_add(ones, ones, chain);
      asm volatile("" : "+v"(chain));
    }
  }
  if (!all_count<std::int32_t>(chains, iterations, 4)) return 0;
  return iterations * kChains * Int8Quads::kLanes * 8;
}

constexpr PeakLoop kPeaks[] = {{DataType::int8, peak_int8}};

}  // namespace

constinit const ThinKernel kThinInt8 = kThin<ThinQuads>;

constinit const InstructionSet kAvx512Vnni = {
    "avx512_vnni", kCpuAvx512F | kCpuAvx512Bw | kCpuAvx512Vl | kCpuAvx512Dq | kCpuAvx512Vnni,
    kKernels,      sizeof(kKernels) / sizeof(kKernels[0]),
    kPeaks,        sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
