// Packing for AMX, with AVX-512. A line is 64 bytes: a row of a tile. A line of A holds 64 bytes of the depth
// of one lane; a line of B holds a word of 32 bits, a pair or quadruple of the depth, of each of 16 lanes.
// Both are one transposition of 16 x 16 words apart.
//
// A strip's width equals its lanes for A, and is a multiple of 16 for B. Everything is in an unnamed
// namespace, as in amx_kernel.h.
#pragma once

#include "avx512_packing.h"
#include "instruction_set.h"

namespace pibench::kernels {
namespace {

constexpr std::int64_t kLine = 64;
constexpr std::int64_t kLineLanes = 16;

// Of 32 neighbouring lanes.
struct Lines {
  __m512i first, second;
};

// Word 0 of 16 neighbouring lanes, of which `lanes` exist: the pair of two rows that are `row_bytes` apart,
// of which `rows` exist.
struct WordsOfPairs {
  static constexpr std::int64_t kElement = 2;
  static constexpr std::int64_t kUnit = 2;
  static __m512i gather(const char* from, std::int64_t row_bytes, std::int64_t lanes,
                        std::int64_t rows) noexcept {
    const __m256i even = load_row(from, lanes);
    const __m256i odd = rows > 1 ? load_row(from + row_bytes, lanes) : _mm256_setzero_si256();
    const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(even), odd, 1);
    // Four elements of each row side by side in each quarter, then taken in turn.
    const __m512i quarters = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), both);
    return _mm512_shuffle_epi8(quarters, turns());
  }
  // The same of 32 lanes that exist, of rows that exist, with half the instructions.
  static Lines gather_two(const char* from, std::int64_t row_bytes) noexcept {
    const __m512i even = _mm512_loadu_si512(from);
    const __m512i odd = _mm512_loadu_si512(from + row_bytes);
    const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __m512i second = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    return {_mm512_shuffle_epi8(_mm512_permutex2var_epi64(even, first, odd), turns()),
            _mm512_shuffle_epi8(_mm512_permutex2var_epi64(even, second, odd), turns())};
  }

 private:
  static __m512i turns() noexcept {
    return _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
  }
  static __m256i load_row(const char* from, std::int64_t lanes) noexcept {
    if (lanes >= kLineLanes) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return _mm256_maskz_loadu_epi16(static_cast<__mmask16>((1U << static_cast<unsigned>(lanes)) - 1U), from);
  }
};

// The same of four rows of bytes.
struct WordsOfQuads {
  static constexpr std::int64_t kElement = 1;
  static constexpr std::int64_t kUnit = 4;
  static __m512i gather(const char* from, std::int64_t row_bytes, std::int64_t lanes,
                        std::int64_t rows) noexcept {
    __m512i all = _mm512_castsi128_si512(load_row(from, lanes));
    all = _mm512_inserti32x4(all, row(from, row_bytes, lanes, rows, 1), 1);
    all = _mm512_inserti32x4(all, row(from, row_bytes, lanes, rows, 2), 2);
    all = _mm512_inserti32x4(all, row(from, row_bytes, lanes, rows, 3), 3);
    const __m512i quarters = _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), all);
    return _mm512_shuffle_epi8(quarters, turns());
  }
  static Lines gather_two(const char* from, std::int64_t row_bytes) noexcept {
    const auto two_rows = [&](std::int64_t index) {
      const char* upper = from + index * row_bytes;
      return _mm512_inserti64x4(_mm512_castsi256_si512(load_two(upper)), load_two(upper + row_bytes), 1);
    };
    const __m512i upper = two_rows(0);
    const __m512i lower = two_rows(2);
    const __m512i first = _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
    const __m512i second = _mm512_setr_epi32(4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31);
    return {_mm512_shuffle_epi8(_mm512_permutex2var_epi32(upper, first, lower), turns()),
            _mm512_shuffle_epi8(_mm512_permutex2var_epi32(upper, second, lower), turns())};
  }

 private:
  static __m512i turns() noexcept {
    return _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
  }
  static __m256i load_two(const char* from) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static __m128i row(const char* from, std::int64_t row_bytes, std::int64_t lanes, std::int64_t rows,
                     std::int64_t index) noexcept {
    return rows > index ? load_row(from + index * row_bytes, lanes) : _mm_setzero_si128();
  }
  static __m128i load_row(const char* from, std::int64_t lanes) noexcept {
    if (lanes >= kLineLanes) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return _mm_maskz_loadu_epi8(static_cast<__mmask16>((1U << static_cast<unsigned>(lanes)) - 1U), from);
  }
};

// Elements of the depth in a line of A, and in 16 lines of B.
template <typename Words>
constexpr std::int64_t kDepthOfLine = kLine / Words::kElement;

// A as it is: lines are copied.
template <typename Words>
void copy_lines(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                std::int64_t width, void* packed) noexcept {
  const std::int64_t bytes = depth * Words::kElement;
  const auto* from = static_cast<const char*>(source);
  auto* to = static_cast<char*>(packed);
  for (std::int64_t i = 0; i < lanes; ++i) {
    for (std::int64_t at = 0; at < bytes; at += kLine) {
      _mm512_storeu_si512(to + at * width + i * kLine, load_bytes(from + at, bytes - at));
    }
    from += ld * Words::kElement;
  }
}

// A transposed.
template <typename Words>
void transpose_lines(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                     std::int64_t width, void* packed) noexcept {
  const std::int64_t row_bytes = ld * Words::kElement;
  const auto* from = static_cast<const char*>(source);
  auto* to = static_cast<char*>(packed);
  for (std::int64_t p = 0; p < depth; p += kDepthOfLine<Words>) {
    for (std::int64_t i = 0; i < lanes; i += kLineLanes) {
      __m512i lines[kLineLanes];
#pragma GCC unroll 16
      for (std::int64_t w = 0; w < kLineLanes; ++w) {
        const std::int64_t at = p + w * Words::kUnit;
        lines[w] = at < depth ? Words::gather(from + at * row_bytes + i * Words::kElement, row_bytes,
                                              lanes - i, depth - at)
                              : _mm512_setzero_si512();
      }
      transpose16(lines);
      char* out = to + (p / kDepthOfLine<Words> * width + i) * kLine;
#pragma GCC unroll 16
      for (std::int64_t r = 0; r < kLineLanes; ++r) {
        if (i + r < lanes) _mm512_storeu_si512(out + r * kLine, lines[r]);
      }
    }
  }
}

inline void store_lines(char* to, Lines lines) noexcept {
  _mm512_storeu_si512(to, lines.first);
  _mm512_storeu_si512(to + kLine, lines.second);
}

// B as it is.
template <typename Words>
void gather_words(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                  std::int64_t width, void* packed) noexcept {
  const std::int64_t row_bytes = ld * Words::kElement;
  const std::int64_t whole = (depth + kDepthOfLine<Words> - 1) / kDepthOfLine<Words> * kDepthOfLine<Words>;
  const auto* from = static_cast<const char*>(source);
  auto* to = static_cast<char*>(packed);
  std::int64_t p = 0;
  if (lanes == 2 * kLineLanes && width == lanes) {
    for (; p + Words::kUnit <= depth; p += Words::kUnit) {
      store_lines(to, Words::gather_two(from + p * row_bytes, row_bytes));
      to += 2 * kLine;
    }
  }
  for (; p < whole; p += Words::kUnit) {
    for (std::int64_t i = 0; i < width; i += kLineLanes) {
      const bool exists = p < depth && i < lanes;
      const __m512i line =
          exists ? Words::gather(from + p * row_bytes + i * Words::kElement, row_bytes, lanes - i, depth - p)
                 : _mm512_setzero_si512();
      _mm512_storeu_si512(to, line);
      to += kLine;
    }
  }
}

// B as it is, row by row, all whole panels at a time: CPUs fetch what follows in a row, but only lines of a
// page each where a panel is read from top to bottom. (Measured: from L3 2.2 times as fast, from L2 1.4.)
template <typename Words>
std::int64_t gather_lines(const void* source, std::int64_t ld, std::int64_t columns, std::int64_t depth,
                          std::int64_t width, std::int64_t panel_bytes, void* packed) noexcept {
  constexpr std::int64_t kPanel = 2 * kLineLanes;
  constexpr std::int64_t kRowsAsked = 4;  // further on
  if (width != kPanel) return 0;
  const std::int64_t row_bytes = ld * Words::kElement;
  const std::int64_t whole = columns / kPanel * kPanel;
  for (std::int64_t p = 0; p < depth; p += Words::kUnit) {
    const auto* from = static_cast<const char*>(source) + p * row_bytes;
    auto* to = static_cast<char*>(packed) + p * Words::kElement * kPanel;
    for (std::int64_t i = 0; i < whole; i += kPanel, to += panel_bytes) {
      const char* const here = from + i * Words::kElement;
#pragma GCC unroll 4
      for (int r = 0; r < Words::kUnit; ++r) _mm_prefetch(here + (r + kRowsAsked) * row_bytes, _MM_HINT_T0);
      store_lines(to, Words::gather_two(here, row_bytes));
    }
  }
  return whole;
}

// B transposed.
template <typename Words>
void transpose_words(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                     std::int64_t width, void* packed) noexcept {
  const std::int64_t row_bytes = ld * Words::kElement;
  const auto* from = static_cast<const char*>(source);
  auto* to = static_cast<char*>(packed);
  for (std::int64_t p = 0; p < depth; p += kDepthOfLine<Words>) {
    const std::int64_t bytes = (depth - p) * Words::kElement;
    for (std::int64_t i = 0; i < width; i += kLineLanes) {
      __m512i lines[kLineLanes];
#pragma GCC unroll 16
      for (std::int64_t r = 0; r < kLineLanes; ++r) {
        lines[r] = i + r < lanes ? load_bytes(from + (i + r) * row_bytes + p * Words::kElement, bytes)
                                 : _mm512_setzero_si512();
      }
      transpose16(lines);
      char* out = to + (p / Words::kUnit * width + i) * 4;
#pragma GCC unroll 16
      for (std::int64_t w = 0; w < kLineLanes; ++w) _mm512_storeu_si512(out + w * width * 4, lines[w]);
    }
  }
}

// B as it is, a whole panel of two lines' width, a few groups of rows at a time.
template <typename Words>
struct PackWords {
  static void pack(PanelAhead& panel, std::int64_t groups) noexcept {
    const std::int64_t now = groups < panel.groups ? groups : panel.groups;
    const auto* from = static_cast<const char*>(panel.from);
    auto* to = static_cast<char*>(panel.to);
    for (std::int64_t group = 0; group < now; ++group) {
      store_lines(to, Words::gather_two(from, panel.row_bytes));
      to += 2 * kLine;
      from += Words::kUnit * panel.row_bytes;
    }
    panel.from = from;
    panel.to = to;
    panel.groups -= now;
  }
};

template <typename Words>
constexpr Packing tile_packing() {
  constexpr int kDepth = static_cast<int>(kDepthOfLine<Words>);
  return {Words::kElement,
          Words::kElement,
          kDepth,
          0,
          0,
          {copy_lines<Words>, transpose_lines<Words>, kDepth},
          {transpose_words<Words>, gather_words<Words>, static_cast<int>(Words::kUnit)},
          nullptr,
          nullptr,
          gather_lines<Words>};
}

}  // namespace
}  // namespace pibench::kernels
