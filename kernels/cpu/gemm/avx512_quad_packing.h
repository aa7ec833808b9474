// Packs int8 for VPDPBUSD (avx512_quads.h): quadruples of one lane, 128 added where they are to be unsigned,
// and behind them the sums that the products begin with. Everything is in an unnamed namespace, as in
// avx512_tile.h.
#pragma once

#include "avx512_joining.h"
#include "avx512_packing.h"
#include "avx512_quads.h"

namespace pibench::kernels {
namespace {

// Where B is packed by rows, so many further on are asked for: into L2.
constexpr std::int64_t kRowsAhead = 16;

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

}  // namespace
}  // namespace pibench::kernels
