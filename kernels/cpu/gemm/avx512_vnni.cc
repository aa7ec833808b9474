// Micro-kernel for AVX512-VNNI: VPDPBUSD multiplies quadruples of an unsigned and a signed byte and adds the
// four products to an int32.
//
// Our operands are both signed. A gets 128 added to each element, in packing or as it is read where it lies,
// which makes it unsigned, and the sums begin with -128 times the sum of their column of B, which packing B
// appends to each panel:
//   sum (a + 128) b - 128 sum b = sum a b, exactly, also where int32 wraps around in between.
#include "avx512_floats.h"
#include "avx512_halves.h"
#include "avx512_joining.h"
#include "avx512_kernels.h"
#include "avx512_packing.h"
#include "thin_kernels.h"

namespace pibench::kernels {
namespace {

constexpr int kSign = 0x80;
// Where B is packed by rows, so many further on are asked for: into L2.
constexpr std::int64_t kRowsAhead = 16;

struct Int8Quads {
  using Element = std::int8_t;
  using Unit = std::uint32_t;
  using Result = std::int32_t;
  using Vector = __m512i;
  using Mask = __mmask16;
  static constexpr bool kInPlace = true;
  static constexpr bool kReadsFactor = false;
  static constexpr bool kAsksForA = false;
  static constexpr bool kCopies = false;
  static constexpr bool kOwnInstruction = true;
  static constexpr int kLanes = 16;
  static constexpr int kUnit = 4;
  static Vector start(const void* trailer, int vector) noexcept {
    return _mm512_loadu_si512(static_cast<const std::int32_t*>(trailer) + std::int64_t{vector} * kLanes);
  }
  static Vector load(const Unit* from) noexcept { return _mm512_loadu_si512(from); }
  static Vector load(Mask mask, const Unit* from) noexcept { return _mm512_maskz_loadu_epi32(mask, from); }
  static Vector broadcast(const Unit* from) noexcept { return _mm512_set1_epi32(static_cast<int>(*from)); }
  // 128 is added here, beside the multiplications, where packing has not done it.
  static Vector broadcast_source(const Unit* from) noexcept {
    int quad = 0;
    __builtin_memcpy(&quad, from, sizeof quad);
    return _mm512_xor_si512(_mm512_set1_epi32(quad), _mm512_set1_epi8(static_cast<char>(kSign)));
  }
  // The instruction itself: around its intrinsic GCC 12 copies every sum and keeps it on the stack, which
  // costs more than half of the rate.
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

// Of half a vector's columns.
struct HalfOfQuads : Half {
  using Element = std::int8_t;
  using Unit = std::uint32_t;
  using Result = std::int32_t;
  using Vector = __m256i;
  using Mask = __mmask8;
  static constexpr bool kOwnInstruction = true;
  static constexpr int kLanes = 8;
  static constexpr int kUnit = 4;
  static Vector start(const void* trailer, int) noexcept { return read(static_cast<const Result*>(trailer)); }
  static Vector load(const Unit* from) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Vector load(Mask mask, const Unit* from) noexcept { return _mm256_maskz_loadu_epi32(mask, from); }
  static Vector broadcast(const Unit* from) noexcept { return _mm256_set1_epi32(static_cast<int>(*from)); }
  static Vector broadcast_source(const Unit* from) noexcept {
    int quad = 0;
    __builtin_memcpy(&quad, from, sizeof quad);
    return _mm256_xor_si256(_mm256_set1_epi32(quad), _mm256_set1_epi8(static_cast<char>(kSign)));
  }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "vm"(b));
    return sum;
  }
  static Vector read(const Result* from) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Vector read(Mask mask, const Result* from) noexcept { return _mm256_maskz_loadu_epi32(mask, from); }
  static void write(Result* to, Vector value) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
  }
  static void write(Result* to, Mask mask, Vector value) noexcept {
    _mm256_mask_storeu_epi32(to, mask, value);
  }
  static Vector add(Vector a, Vector b) noexcept { return _mm256_add_epi32(a, b); }
};

// Where the bytes of four rows are to stand, by words and, in each quarter, by bytes: the transpose of a
// 4 x 4 matrix.
inline __m512i transpose_of_four() noexcept {
  return _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
}
inline __m512i transpose_of_quarters() noexcept {
  return _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
}

// Four rows of 16 columns as quadruples.
inline __m512i quadruples(__m128i row0, __m128i row1, __m128i row2, __m128i row3) noexcept {
  const __m256i upper = _mm256_inserti128_si256(_mm256_castsi128_si256(row0), row1, 1);
  const __m256i lower = _mm256_inserti128_si256(_mm256_castsi128_si256(row2), row3, 1);
  const __m512i four = _mm512_inserti64x4(_mm512_castsi256_si512(upper), lower, 1);
  return _mm512_shuffle_epi8(_mm512_permutexvar_epi32(transpose_of_four(), four), transpose_of_quarters());
}

// Rows 0 and 1 of 32 columns, and rows 2 and 3, as quadruples of the first and of the last 16 columns.
inline Joined quadruples_of_32(__m512i upper, __m512i lower) noexcept {
  // In each quarter the words of the same four columns, row by row. Rows 0 and 1 are words 0 to 15, 2 and 3
  // those from 16 on.
  const __m512i words = _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
  const auto columns = [&](int first_word) __attribute__((always_inline)) {
    const __m512i from_words = _mm512_add_epi32(words, _mm512_set1_epi32(first_word));
    return _mm512_shuffle_epi8(_mm512_permutex2var_epi32(upper, from_words, lower), transpose_of_quarters());
  };
  return {columns(0), columns(4)};
}
inline __m512i two_rows(__m256i first, __m256i second) noexcept {
  return _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
}
inline __m512i two_rows(const void* from, std::int64_t ld) noexcept {
  const auto* const next = static_cast<const char*>(from) + ld;
  return two_rows(_mm256_loadu_si256(static_cast<const __m256i*>(from)),
                  _mm256_loadu_si256(reinterpret_cast<const __m256i*>(next)));
}

// Lanes that are neighbours in memory: four rows become one row of quadruples. No strip is wider than two
// vectors. With `sums`, what append_sums() would append comes with it.
template <int flip, bool sums>
void quadruple_rows(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                    std::int64_t width, void* packed) noexcept {
  constexpr std::int64_t kQuad = 4;
  constexpr std::int64_t kLanes = Int8Quads::kLanes;
  const __m512i flips = _mm512_set1_epi8(static_cast<char>(flip));
  const __m512i sign = _mm512_set1_epi8(static_cast<char>(kSign));  // as unsigned: 128
  const auto* from = static_cast<const char*>(source);
  auto* to = static_cast<char*>(packed);
  std::int64_t rows = depth;  // that are left
  const auto step = [&](std::int64_t i, __m512i & total) __attribute__((always_inline)) {
    const std::int64_t here = lanes - i;
    const auto mask = static_cast<__mmask16>(here >= kLanes ? 0xffffU
                                             : here > 0     ? (1U << static_cast<unsigned>(here)) - 1U
                                                            : 0U);
    const auto row = [&](std::int64_t r) __attribute__((always_inline)) {
      return r < rows ? _mm_maskz_loadu_epi8(mask, from + r * ld + i) : _mm_setzero_si128();
    };
    __m512i quads = quadruples(row(0), row(1), row(2), row(3));
    if constexpr (flip != 0) quads = _mm512_xor_si512(quads, flips);
    if constexpr (sums) total = Int8Quads::multiply_add(sign, quads, total);
    const std::int64_t room = width - i < kLanes ? width - i : kLanes;
    Words32::store(to + i * kQuad, static_cast<int>(room), quads);
  };
  __m512i first = _mm512_setzero_si512();
  __m512i second = _mm512_setzero_si512();
  // Not where a strip is packed at once: products of 256 to 2000 columns were 1 to 4 % slower by it.
  if (!sums && lanes == 2 * kLanes && width == lanes) {
    for (; rows >= kQuad; rows -= kQuad) {
      auto [left, right] = quadruples_of_32(two_rows(from, ld), two_rows(from + 2 * ld, ld));
      if constexpr (flip != 0) {
        left = _mm512_xor_si512(left, flips);
        right = _mm512_xor_si512(right, flips);
      }
      _mm512_storeu_si512(to, left);
      _mm512_storeu_si512(to + kLanes * kQuad, right);
      from += kQuad * ld;
      to += width * kQuad;
    }
  }
  for (; rows > 0; rows -= kQuad) {
    step(0, first);
    if (width > kLanes) step(kLanes, second);
    from += kQuad * ld;
    to += width * kQuad;
  }
  if constexpr (sums) {
    const auto here = static_cast<int>(width < kLanes ? width : kLanes);
    Words32::store(to, here, _mm512_sub_epi32(_mm512_setzero_si512(), first));
    if (width > kLanes)
      _mm512_storeu_si512(to + 4 * kLanes, _mm512_sub_epi32(_mm512_setzero_si512(), second));
  }
}

// Row by row, two panels at a time, which are a line of each row.
std::int64_t quadruple_lines(const void* source, std::int64_t ld, std::int64_t columns, std::int64_t depth,
                             std::int64_t width, std::int64_t panel_bytes, void* packed) noexcept {
  constexpr std::int64_t kLine = 64;
  constexpr std::int64_t kPanel = kLine / 2;
  constexpr std::int64_t kVector = sizeof(__m512i);
  if (width != kPanel) return 0;
  const std::int64_t whole = columns / kLine * kLine;
  for (std::int64_t p = 0; p < depth; p += Int8Quads::kUnit) {
    const auto* from = static_cast<const char*>(source) + p * ld;
    auto* to = static_cast<char*>(packed) + p * kPanel;
    for (std::int64_t i = 0; i < whole; i += kLine, from += kLine, to += 2 * panel_bytes) {
#pragma GCC unroll 4
      for (int r = 0; r < Int8Quads::kUnit; ++r) _mm_prefetch(from + (r + kRowsAhead) * ld, _MM_HINT_T1);
      const auto put = [&](std::int64_t column, char* panel) __attribute__((always_inline)) {
        const char* const first = from + column;
        const Joined quads = quadruples_of_32(two_rows(first, ld), two_rows(first + 2 * ld, ld));
        _mm512_storeu_si512(panel, quads.first);
        _mm512_storeu_si512(panel + kVector, quads.second);
      };
      put(0, to);
      put(kPanel, to + panel_bytes);
    }
  }
  return whole;
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
    const auto here = static_cast<int>(lesser(width - i, Int8Quads::kLanes));
    Words32::store(trailer + i, here, _mm512_sub_epi32(_mm512_setzero_si512(), sums));
  }
}

void pack_b_along_depth(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                        std::int64_t width, void* packed) noexcept {
  transpose_strip<Words32, 1, 0, false>(source, ld, lanes, depth, width, packed);
  append_sums(depth, width, packed);
}

constexpr Packing kPackQuads = {1,
                                1,
                                4,
                                0,
                                sizeof(std::int32_t),
                                {transpose_strip<Words32, 1, kSign, true>, quadruple_rows<kSign, false>, 4},
                                {pack_b_along_depth, quadruple_rows<0, true>, 4},
                                quadruple_rows<0, false>,
                                append_sums,
                                quadruple_lines};

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

// Appends -128 times the sum of each row to a packed strip.
void append_sums_of_rows(std::int64_t depth, std::int64_t rows, void* packed) noexcept {
  const std::int64_t quads = (depth + 3) / 4;
  const __m512i sign = _mm512_set1_epi8(static_cast<char>(kSign));  // as unsigned: 128
  auto* words = static_cast<std::int32_t*>(packed);
  for (std::int64_t i = 0; i < rows; i += Int8Quads::kLanes) {
    const std::int64_t here = rows - i < Int8Quads::kLanes ? rows - i : Int8Quads::kLanes;
    __m512i sums = _mm512_setzero_si512();
    for (std::int64_t q = 0; q < quads; ++q) {
      const auto* const from = reinterpret_cast<const char*>(words + q * rows + i);
      sums = Int8Quads::multiply_add(sign, load_bytes(from, 4 * here), sums);
    }
    Words32::store(words + quads * rows + i, static_cast<int>(here),
                   _mm512_sub_epi32(_mm512_setzero_si512(), sums));
  }
}

template <PackStrip pack>
void pack_a_with_sums(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                      std::int64_t width, void* packed) noexcept {
  pack(source, ld, lanes, depth, width, packed);
  append_sums_of_rows(depth, width, packed);
}

constexpr Packing kPackForJoining = {
    1,
    1,
    4,
    sizeof(std::int32_t),
    0,
    {pack_a_with_sums<transpose_strip<Words32, 1, 0, true>>, pack_a_with_sums<quadruple_rows<0, false>>, 4},
    {nullptr, nullptr, 4}};

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

constinit const ThinKernel kThinInt8 = kThin<ThinQuads>;

constinit const InstructionSet kAvx512Vnni = {
    "avx512_vnni", kCpuAvx512F | kCpuAvx512Bw | kCpuAvx512Vl | kCpuAvx512Dq | kCpuAvx512Vnni,
    kKernels,      sizeof(kKernels) / sizeof(kKernels[0]),
    kPeaks,        sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
