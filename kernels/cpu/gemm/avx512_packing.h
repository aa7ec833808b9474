// Packing for AVX-512, in words of 32 bits (a float, two bfloat16, four int8) and of 64 bits (a double): 16
// or 8 lanes at a time. Everything is in an unnamed namespace, as in avx512_tile.h.
#pragma once

#include <immintrin.h>

#include "packing.h"

namespace pibench::kernels {
namespace {

// Rows of 32-bit words -> columns.
inline void transpose16(__m512i (&r)[16]) noexcept {
  __m512i t[16];
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  // r[4 * g + q]: in its 128-bit quarters the columns q, q + 4, q + 8, q + 12 of the rows of group g.
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) {
    t[q] = _mm512_shuffle_i32x4(r[q], r[4 + q], 0x88);
    t[4 + q] = _mm512_shuffle_i32x4(r[q], r[4 + q], 0xdd);
    t[8 + q] = _mm512_shuffle_i32x4(r[8 + q], r[12 + q], 0x88);
    t[12 + q] = _mm512_shuffle_i32x4(r[8 + q], r[12 + q], 0xdd);
  }
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) {
    r[q] = _mm512_shuffle_i32x4(t[q], t[8 + q], 0x88);
    r[8 + q] = _mm512_shuffle_i32x4(t[q], t[8 + q], 0xdd);
    r[4 + q] = _mm512_shuffle_i32x4(t[4 + q], t[12 + q], 0x88);
    r[12 + q] = _mm512_shuffle_i32x4(t[4 + q], t[12 + q], 0xdd);
  }
}

// Rows of 64-bit words -> columns.
inline void transpose8(__m512i (&r)[8]) noexcept {
  __m512i t[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);
  }
  // t[2 * g + h]: in its quarters the columns h, h + 2, h + 4, h + 6 of the rows of group g.
#pragma GCC unroll 2
  for (int h = 0; h < 2; ++h) {
    const __m512i low01 = _mm512_shuffle_i32x4(t[h], t[2 + h], 0x88);
    const __m512i high01 = _mm512_shuffle_i32x4(t[h], t[2 + h], 0xdd);
    const __m512i low23 = _mm512_shuffle_i32x4(t[4 + h], t[6 + h], 0x88);
    const __m512i high23 = _mm512_shuffle_i32x4(t[4 + h], t[6 + h], 0xdd);
    r[h] = _mm512_shuffle_i32x4(low01, low23, 0x88);
    r[4 + h] = _mm512_shuffle_i32x4(low01, low23, 0xdd);
    r[2 + h] = _mm512_shuffle_i32x4(high01, high23, 0x88);
    r[6 + h] = _mm512_shuffle_i32x4(high01, high23, 0xdd);
  }
}

// What differs between words of 32 and of 64 bits.
struct Words32 {
  static constexpr int kBytes = 4;
  static constexpr int kLanes = 16;
  static void transpose(__m512i (&rows)[16]) noexcept { transpose16(rows); }
  static void store(void* to, int count, __m512i words) noexcept {
    _mm512_mask_storeu_epi32(to, static_cast<__mmask16>((1U << static_cast<unsigned>(count)) - 1U), words);
  }
};
struct Words64 {
  static constexpr int kBytes = 8;
  static constexpr int kLanes = 8;
  static void transpose(__m512i (&rows)[8]) noexcept { transpose8(rows); }
  static void store(void* to, int count, __m512i words) noexcept {
    _mm512_mask_storeu_epi64(to, static_cast<__mmask8>((1U << static_cast<unsigned>(count)) - 1U), words);
  }
};

inline __m512i load_bytes(const char* from, std::int64_t count) noexcept {
  if (count >= 64) return _mm512_loadu_si512(from);
  const __mmask64 mask = (__mmask64{1} << static_cast<unsigned>(count)) - 1U;
  return _mm512_maskz_loadu_epi8(mask, from);
}

// Lanes whose depth is contiguous in memory. `element` bytes each; words of several elements are zero beyond
// the depth. `flip` is applied to every byte: 0x80 makes signed bytes unsigned ones, 128 above.
// `overflow`: lanes beyond the strip may be written (they are written again, or slack); else they become
// zero up to the width.
template <typename Words, int element, int flip, bool overflow>
void transpose_strip(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                     std::int64_t width, void* packed) noexcept {
  constexpr int kPerWord = Words::kBytes / element;
  constexpr std::int64_t kDepth = std::int64_t{Words::kLanes} * kPerWord;
  const __m512i flips = _mm512_set1_epi8(static_cast<char>(flip));
  const auto* from = static_cast<const char*>(source);
  auto* to = static_cast<char*>(packed);
  const std::int64_t row_bytes = ld * element;
  // By depth outside: what overflows a word is overwritten by the next one.
  for (std::int64_t p = 0; p < depth; p += kDepth) {
    const std::int64_t bytes = (depth - p < kDepth ? depth - p : kDepth) * element;
    const auto words = static_cast<int>((bytes + Words::kBytes - 1) / Words::kBytes);
    for (std::int64_t first = 0; first < width; first += Words::kLanes) {
      // The last vector of lanes overlaps the one before rather than hang over.
      const bool hangs_over = first > 0 && first + Words::kLanes > width;
      const std::int64_t i = hangs_over ? width - Words::kLanes : first;
      const std::int64_t here = lanes - i < Words::kLanes ? lanes - i : Words::kLanes;
      __m512i rows[Words::kLanes];
#pragma GCC unroll 16
      for (int r = 0; r < Words::kLanes; ++r) {
        rows[r] =
            r < here ? load_bytes(from + (i + r) * row_bytes + p * element, bytes) : _mm512_setzero_si512();
        if constexpr (flip != 0) rows[r] = _mm512_xor_si512(rows[r], flips);
      }
      Words::transpose(rows);
      char* out = to + (p / kPerWord * width + i) * Words::kBytes;
      const auto room = static_cast<int>(width - i < Words::kLanes ? width - i : Words::kLanes);
      if (words == Words::kLanes && (overflow || room == Words::kLanes)) {
#pragma GCC unroll 16
        for (int w = 0; w < Words::kLanes; ++w) {
          _mm512_storeu_si512(out + w * width * Words::kBytes, rows[w]);
        }
      } else {
        for (int w = 0; w < words; ++w) Words::store(out + w * width * Words::kBytes, room, rows[w]);
      }
    }
  }
}

// Lanes that are neighbours in memory, one element to a word: rows are copied.
template <typename Words>
void copy_strip(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                std::int64_t width, void* packed) noexcept {
  const auto* from = static_cast<const char*>(source);
  auto* to = static_cast<char*>(packed);
  for (std::int64_t p = 0; p < depth; ++p) {
    for (std::int64_t i = 0; i < width; i += Words::kLanes) {
      // The next strip begins where this one ends, row by row: too far apart for the CPU to see a stream.
      _mm_prefetch(from + (width + i) * Words::kBytes + kEndOfLine, _MM_HINT_T1);
      const std::int64_t here = lanes - i < Words::kLanes ? lanes - i : Words::kLanes;
      const __m512i words =
          here > 0 ? load_bytes(from + i * Words::kBytes, here * Words::kBytes) : _mm512_setzero_si512();
      const auto room = static_cast<int>(width - i < Words::kLanes ? width - i : Words::kLanes);
      if (room == Words::kLanes) {
        _mm512_storeu_si512(to + i * Words::kBytes, words);
      } else {
        Words::store(to + i * Words::kBytes, room, words);
      }
    }
    from += ld * Words::kBytes;
    to += width * Words::kBytes;
  }
}

template <typename Words>
constexpr Packing word_packing() {
  return {Words::kBytes,
          Words::kBytes,
          1,
          0,
          0,
          {transpose_strip<Words, Words::kBytes, 0, true>, copy_strip<Words>, 1},
          {transpose_strip<Words, Words::kBytes, 0, false>, copy_strip<Words>, 1}};
}

}  // namespace
}  // namespace pibench::kernels
