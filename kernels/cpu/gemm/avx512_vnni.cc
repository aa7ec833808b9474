// Micro-kernel for AVX512-VNNI: VPDPBUSD multiplies quadruples of an unsigned and a signed byte and adds the
// four products to an int32.
//
// Our operands are both signed. A is packed with 128 added to each element, which makes it unsigned, and the
// sums begin with -128 times the sum of their column of B, which packing B appends to each panel:
//   sum (a + 128) b - 128 sum b = sum a b, exactly, also where int32 wraps around in between.
#include "avx512_packing.h"
#include "avx512_tile.h"

namespace pibench::kernels {
namespace {

struct Int8Quads {
  using Unit = std::uint32_t;
  using Result = std::int32_t;
  using Vector = __m512i;
  using Mask = __mmask16;
  static constexpr bool kInPlace = false;
  static constexpr int kLanes = 16;
  static constexpr int kUnit = 4;
  static Vector start(const void* trailer, int vector) noexcept {
    return _mm512_loadu_si512(static_cast<const std::int32_t*>(trailer) + std::int64_t{vector} * kLanes);
  }
  static Vector load(const Unit* from) noexcept { return _mm512_loadu_si512(from); }
  static Vector load(Mask mask, const Unit* from) noexcept { return _mm512_maskz_loadu_epi32(mask, from); }
  static Vector broadcast(const Unit* from) noexcept { return _mm512_set1_epi32(static_cast<int>(*from)); }
  // The instruction itself: around its intrinsic GCC 12 copies every sum and keeps it on the stack, which
  // leaves 40 % of the rate.
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "vm"(b));
    return sum;
  }
  static Vector read(const std::int32_t* from) noexcept { return _mm512_loadu_si512(from); }
  static Vector read(Mask mask, const std::int32_t* from) noexcept {
    return _mm512_maskz_loadu_epi32(mask, from);
  }
  static void write(std::int32_t* to, Vector value) noexcept { _mm512_storeu_si512(to, value); }
  static void stream(std::int32_t* to, Vector value) noexcept {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), value);
  }
  static void write(std::int32_t* to, Mask mask, Vector value) noexcept {
    _mm512_mask_storeu_epi32(to, mask, value);
  }
  static Vector add(Vector a, Vector b) noexcept { return _mm512_add_epi32(a, b); }
};

constexpr int kSign = 0x80;

inline __m512i widen8(const char* from, std::int64_t lanes) noexcept {
  if (lanes >= 16) return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  const auto mask = static_cast<__mmask16>((1U << static_cast<unsigned>(lanes)) - 1U);
  return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(mask, from));
}

// Lanes that are neighbours in memory: four rows become one row of quadruples.
template <int flip>
void quadruple_rows(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                    std::int64_t width, void* packed) noexcept {
  constexpr std::int64_t kQuad = 4;
  constexpr std::int64_t kLanes = 16;
  const __m512i flips = _mm512_set1_epi8(static_cast<char>(flip));
  const auto* from = static_cast<const char*>(source);
  auto* to = static_cast<char*>(packed);
  for (std::int64_t p = 0; p < depth; p += kQuad) {
    for (std::int64_t i = 0; i < width; i += kLanes) {
      const std::int64_t here = lanes - i;
      __m512i quads = _mm512_setzero_si512();
      if (here > 0) {
        quads = widen8(from + i, here);
        if (p + 1 < depth) quads = _mm512_or_si512(quads, _mm512_slli_epi32(widen8(from + ld + i, here), 8));
        if (p + 2 < depth) {
          quads = _mm512_or_si512(quads, _mm512_slli_epi32(widen8(from + 2 * ld + i, here), 16));
        }
        if (p + 3 < depth) {
          quads = _mm512_or_si512(quads, _mm512_slli_epi32(widen8(from + 3 * ld + i, here), 24));
        }
      }
      if constexpr (flip != 0) quads = _mm512_xor_si512(quads, flips);
      const std::int64_t room = width - i < kLanes ? width - i : kLanes;
      Words32::store(to + i * 4, static_cast<int>(room), quads);
    }
    from += kQuad * ld;
    to += width * kQuad;
  }
}

// Appends -128 times the sum of each of `width` lanes.
void append_sums(std::int64_t depth, std::int64_t width, void* packed) noexcept {
  const std::int64_t quads = (depth + 3) / 4;
  const __m512i minus_ones = _mm512_set1_epi8(static_cast<char>(kSign));  // as unsigned: 128
  auto* words = static_cast<std::int32_t*>(packed);
  std::int32_t* trailer = words + quads * width;
  for (std::int64_t i = 0; i < width; i += Int8Quads::kLanes) {
    __m512i sums = _mm512_setzero_si512();
    for (std::int64_t q = 0; q < quads; ++q) {
      sums = _mm512_dpbusd_epi32(sums, minus_ones, _mm512_loadu_si512(words + q * width + i));
    }
    _mm512_storeu_si512(trailer + i, _mm512_sub_epi32(_mm512_setzero_si512(), sums));
  }
}

void pack_b_along_depth(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                        std::int64_t width, void* packed) noexcept {
  transpose_strip<Words32, 1, 0, false>(source, ld, lanes, depth, width, packed);
  append_sums(depth, width, packed);
}

void pack_b_along_lanes(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                        std::int64_t width, void* packed) noexcept {
  quadruple_rows<0>(source, ld, lanes, depth, width, packed);
  append_sums(depth, width, packed);
}

constexpr Packing kPackQuads = {1,
                                1,
                                4,
                                sizeof(std::int32_t),
                                {transpose_strip<Words32, 1, kSign, true>, quadruple_rows<kSign>, 4},
                                {pack_b_along_depth, pack_b_along_lanes, 4}};

constexpr MicroKernel kNarrowQuads = narrow_kernel<Int8Quads>(DataType::int8, &kPackQuads);
constexpr MicroKernel kKernels[] = {wide_kernel<Int8Quads>(kNarrowQuads)};

constexpr int kChains = 12;

std::uint64_t peak_int8(std::uint64_t iterations) noexcept {
  __m512i ones = _mm512_set1_epi8(1);
  asm volatile("" : "+v"(ones));
  __m512i chains[kChains];
#pragma GCC unroll 16
  for (auto& chain : chains) chain = _mm512_setzero_si512();
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& chain : chains) {
      chain = Int8Quads::multiply_add(ones, ones, chain);
      asm volatile("" : "+v"(chain));
    }
  }
  // Four products of ones a round, modulo 2^32.
  const __m512i sum = _mm512_set1_epi32(static_cast<int>(static_cast<std::uint32_t>(4 * iterations)));
#pragma GCC unroll 16
  for (const auto& chain : chains) {
    if (_mm512_cmpneq_epi32_mask(chain, sum) != 0) return 0;
  }
  return iterations * kChains * Int8Quads::kLanes * 8;
}

constexpr PeakLoop kPeaks[] = {{DataType::int8, peak_int8}};

}  // namespace

constinit const InstructionSet kAvx512Vnni = {
    "avx512_vnni", kCpuAvx512F | kCpuAvx512Bw | kCpuAvx512Vl | kCpuAvx512Dq | kCpuAvx512Vnni,
    kKernels,      sizeof(kKernels) / sizeof(kKernels[0]),
    kPeaks,        sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
