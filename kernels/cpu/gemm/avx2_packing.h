// Packing for AVX2, in words of 32 bits (a float, a bfloat16 as a float, two int8 as int16) and of 64 bits (a
// double). Everything is in an unnamed namespace, as in avx2_tile.h.
#pragma once

#include <immintrin.h>

#include "packing.h"

namespace pibench::kernels {
namespace {

inline __m128i load16(const void* from) noexcept {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}
inline __m256i load32(const void* from) noexcept {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
inline void store8(void* to, __m128i value) noexcept { _mm_storel_epi64(static_cast<__m128i*>(to), value); }
inline void store16(void* to, __m128i value) noexcept { _mm_storeu_si128(static_cast<__m128i*>(to), value); }
inline void store32(void* to, __m256i value) noexcept {
  _mm256_storeu_si256(static_cast<__m256i*>(to), value);
}
inline void store_first(void* to, std::int64_t bytes, __m256i value) noexcept {
  char all[32];
  store32(all, value);
  __builtin_memcpy(to, all, static_cast<std::size_t>(bytes));
}
inline __m128i upper(__m256i value) noexcept { return _mm256_extracti128_si256(value, 1); }
inline __m128i lower(__m256i value) noexcept { return _mm256_castsi256_si128(value); }

// What differs between words: Element is one where it lies; kPerWord of them, neighbours in the depth, make a
// word. `along` makes a vector of words of neighbours, `across` of what stands below each other, `row`
// elements apart.
struct Words32 {
  static constexpr int kBytes = 4;
  static constexpr int kLanes = 8;
};
struct Words64 {
  static constexpr int kBytes = 8;
  static constexpr int kLanes = 4;
};
struct Floats : Words32 {
  using Element = float;
  static constexpr int kPerWord = 1;
  static __m256i along(const Element* from) noexcept { return load32(from); }
  static __m256i across(const Element* from, std::int64_t) noexcept { return load32(from); }
};
struct Doubles : Words64 {
  using Element = double;
  static constexpr int kPerWord = 1;
  static __m256i along(const Element* from) noexcept { return load32(from); }
  static __m256i across(const Element* from, std::int64_t) noexcept { return load32(from); }
};
struct Bfloat16AsFloats : Words32 {
  using Element = std::uint16_t;
  static constexpr int kPerWord = 1;
  static __m256i along(const Element* from) noexcept {
    return _mm256_slli_epi32(_mm256_cvtepu16_epi32(load16(from)), 16);
  }
  static __m256i across(const Element* from, std::int64_t) noexcept { return along(from); }
};
struct Int8AsPairs : Words32 {
  using Element = std::int8_t;
  static constexpr int kPerWord = 2;
  static __m256i along(const Element* from) noexcept { return _mm256_cvtepi8_epi16(load16(from)); }
  static __m256i across(const Element* from, std::int64_t row) noexcept {
    const __m128i even = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    const __m128i odd = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + row));
    return _mm256_cvtepi8_epi16(_mm_unpacklo_epi8(even, odd));
  }
};

// The same of fewer elements: of a lane, so many of the depth.
template <typename Words>
__m256i along_first(const typename Words::Element* from, std::int64_t elements) noexcept {
  typename Words::Element some[Words::kLanes * Words::kPerWord] = {};
  __builtin_memcpy(some, from, static_cast<std::size_t>(elements) * sizeof(*some));
  return Words::along(some);
}
// Of so many lanes, `depth` elements each.
template <typename Words>
__m256i across_first(const typename Words::Element* from, std::int64_t row, std::int64_t lanes,
                     std::int64_t depth) noexcept {
  typename Words::Element some[Words::kPerWord][Words::kLanes] = {};
  for (std::int64_t i = 0; i < Words::kPerWord && i < depth; ++i)
    __builtin_memcpy(some[i], from + i * row, static_cast<std::size_t>(lanes) * sizeof(some[0][0]));
  return Words::across(some[0], Words::kLanes);
}

// A strip of A has at most so many rows, and is packed so many at a time.
constexpr int kMostLanes = 12;
constexpr int kGroup = 6;

// Columns of six rows of words, `column` bytes apart, in ascending order: what a column has beyond its width
// is overwritten by the next one.
inline void put_columns(const __m256i (&rows)[kGroup], Words32, std::int64_t column, char* to) noexcept {
  // In each half pairs of two columns: the low ones of columns 0 and 1, the high ones of 2 and 3.
  const __m256i low01 = _mm256_unpacklo_epi32(rows[0], rows[1]);
  const __m256i low23 = _mm256_unpacklo_epi32(rows[2], rows[3]);
  const __m256i low45 = _mm256_unpacklo_epi32(rows[4], rows[5]);
  const __m256i high01 = _mm256_unpackhi_epi32(rows[0], rows[1]);
  const __m256i high23 = _mm256_unpackhi_epi32(rows[2], rows[3]);
  const __m256i high45 = _mm256_unpackhi_epi32(rows[4], rows[5]);
  const __m256i first_four[4] = {_mm256_unpacklo_epi64(low01, low23), _mm256_unpackhi_epi64(low01, low23),
                                 _mm256_unpacklo_epi64(high01, high23),
                                 _mm256_unpackhi_epi64(high01, high23)};
  const __m256i last_two[4] = {low45, _mm256_unpackhi_epi64(low45, low45), high45,
                               _mm256_unpackhi_epi64(high45, high45)};
#pragma GCC unroll 4
  for (int p = 0; p < 4; ++p, to += column) {
    store16(to, lower(first_four[p]));
    store8(to + 16, lower(last_two[p]));
  }
#pragma GCC unroll 4
  for (int p = 0; p < 4; ++p, to += column) {
    store16(to, upper(first_four[p]));
    store8(to + 16, upper(last_two[p]));
  }
}
inline void put_columns(const __m256i (&rows)[kGroup], Words64, std::int64_t column, char* to) noexcept {
  const __m256i even[3] = {_mm256_unpacklo_epi64(rows[0], rows[1]), _mm256_unpacklo_epi64(rows[2], rows[3]),
                           _mm256_unpacklo_epi64(rows[4], rows[5])};
  const __m256i odd[3] = {_mm256_unpackhi_epi64(rows[0], rows[1]), _mm256_unpackhi_epi64(rows[2], rows[3]),
                          _mm256_unpackhi_epi64(rows[4], rows[5])};
  const auto put = [&](__m128i first, __m128i second, __m128i third) __attribute__((always_inline)) {
    store16(to, first);
    store16(to + 16, second);
    store16(to + 32, third);
    to += column;
  };
  put(lower(even[0]), lower(even[1]), lower(even[2]));
  put(lower(odd[0]), lower(odd[1]), lower(odd[2]));
  put(upper(even[0]), upper(even[1]), upper(even[2]));
  put(upper(odd[0]), upper(odd[1]), upper(odd[2]));
}

// A strip of A whose depth is contiguous in memory: in each block of the depth the last rows first, because
// what they have beyond the width is where the first rows of the next column belong.
template <typename Words>
void transpose_strip(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                     std::int64_t width, void* packed) noexcept {
  constexpr std::int64_t kDepth = std::int64_t{Words::kLanes} * Words::kPerWord;
  const auto* from = static_cast<const typename Words::Element*>(source);
  auto* to = static_cast<char*>(packed);
  const std::int64_t column = width * Words::kBytes;
  const std::int64_t last_group = (lanes - 1) / kGroup * kGroup;
  // Rows that are not there are the last one again.
  const typename Words::Element* starts[kMostLanes];
  for (std::int64_t i = 0; i < last_group + kGroup; ++i) starts[i] = from + (i < lanes ? i : lanes - 1) * ld;
  __m256i rows[kGroup];
  std::int64_t p = 0;
  for (; p + kDepth <= depth; p += kDepth, to += Words::kLanes * column) {
    for (std::int64_t first = last_group; first >= 0; first -= kGroup) {
#pragma GCC unroll 8
      for (int i = 0; i < kGroup; ++i) rows[i] = Words::along(starts[first + i] + p);
      put_columns(rows, Words{}, column, to + first * Words::kBytes);
    }
  }
  // The last columns by way of a block that has room for more.
  const std::int64_t words = (depth - p + Words::kPerWord - 1) / Words::kPerWord;
  for (std::int64_t first = 0; first < lanes && words > 0; first += kGroup) {
    char block[Words::kLanes * kGroup * Words::kBytes];
#pragma GCC unroll 8
    for (int i = 0; i < kGroup; ++i) rows[i] = along_first<Words>(starts[first + i] + p, depth - p);
    put_columns(rows, Words{}, kGroup * Words::kBytes, block);
    const std::int64_t here = lanes - first < kGroup ? lanes - first : kGroup;
    for (std::int64_t w = 0; w < words; ++w)
      __builtin_memcpy(to + w * column + first * Words::kBytes, block + w * kGroup * Words::kBytes,
                       static_cast<std::size_t>(here * Words::kBytes));
  }
}

// Lanes that are neighbours in memory: of B, whose width is whole vectors, or of a transposed A, where what
// is beyond the width is written again, or slack.
template <typename Words>
void copy_strip(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                std::int64_t width, void* packed) noexcept {
  const auto* from = static_cast<const typename Words::Element*>(source);
  auto* to = static_cast<char*>(packed);
  for (std::int64_t p = 0; p < depth; p += Words::kPerWord) {
    // The next strip begins where this one ends, row by row: too far apart for the CPU to see a stream.
    _mm_prefetch(reinterpret_cast<const char*>(from + width) + kEndOfLine, _MM_HINT_T1);
    for (std::int64_t i = 0; i < width; i += Words::kLanes) {
      const std::int64_t here = lanes - i < Words::kLanes ? lanes - i : Words::kLanes;
      const bool whole = here == Words::kLanes && p + Words::kPerWord <= depth;
      const __m256i words = whole      ? Words::across(from + i, ld)
                            : here > 0 ? across_first<Words>(from + i, ld, here, depth - p)
                                       : _mm256_setzero_si256();
      store32(to + i * Words::kBytes, words);
    }
    from += Words::kPerWord * ld;
    to += width * Words::kBytes;
  }
}

// Whole panels of a B as it is, kLinesOfRows rows of it at a time: of so few pages the core foresees what is
// read next. (One line of each row, panel by panel, meets in few sets of the caches where rows are a multiple
// of a page apart.)
template <typename Words>
std::int64_t copy_lines(const void* source, std::int64_t ld, std::int64_t columns, std::int64_t depth,
                        std::int64_t width, std::int64_t panel_bytes, void* packed) noexcept {
  static_assert(Words::kPerWord == 1, "each row by itself");
  constexpr std::int64_t kLinesOfRows = 4;
  const std::int64_t panels = columns / width;
  const std::int64_t panel_row = width * Words::kBytes;
  const auto copy_rows = [&](std::int64_t first, std::int64_t rows) __attribute__((always_inline)) {
    const auto* from = static_cast<const typename Words::Element*>(source) + first * ld;
    auto* to = static_cast<char*>(packed) + first * panel_row;
    for (std::int64_t panel = 0; panel < panels; ++panel, from += width, to += panel_bytes) {
#pragma GCC unroll 4
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < width; i += Words::kLanes)
          store32(to + r * panel_row + i * Words::kBytes, Words::across(from + r * ld + i, ld));
      }
    }
  };
  std::int64_t p = 0;
  for (; p + kLinesOfRows <= depth; p += kLinesOfRows) copy_rows(p, kLinesOfRows);
  for (; p < depth; ++p) copy_rows(p, 1);
  return panels * width;
}

// Eight rows of words of 32 bits, or four of 64, as columns.
inline void transpose(__m256i (&r)[8]) noexcept {
  __m256i t[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
    r[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
    r[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
    r[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m256i first = r[i];
    r[i] = _mm256_permute2x128_si256(first, r[4 + i], 0x20);
    r[4 + i] = _mm256_permute2x128_si256(first, r[4 + i], 0x31);
  }
}
inline void transpose(__m256i (&r)[4]) noexcept {
  const __m256i even01 = _mm256_unpacklo_epi64(r[0], r[1]);
  const __m256i odd01 = _mm256_unpackhi_epi64(r[0], r[1]);
  const __m256i even23 = _mm256_unpacklo_epi64(r[2], r[3]);
  const __m256i odd23 = _mm256_unpackhi_epi64(r[2], r[3]);
  r[0] = _mm256_permute2x128_si256(even01, even23, 0x20);
  r[1] = _mm256_permute2x128_si256(odd01, odd23, 0x20);
  r[2] = _mm256_permute2x128_si256(even01, even23, 0x31);
  r[3] = _mm256_permute2x128_si256(odd01, odd23, 0x31);
}

// A panel of a transposed B: lanes whose depth is contiguous in memory.
template <typename Words>
void transpose_panel(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                     std::int64_t width, void* packed) noexcept {
  constexpr std::int64_t kDepth = std::int64_t{Words::kLanes} * Words::kPerWord;
  const auto* from = static_cast<const typename Words::Element*>(source);
  auto* to = static_cast<char*>(packed);
  const std::int64_t column = width * Words::kBytes;
  for (std::int64_t p = 0; p < depth; p += kDepth, to += Words::kLanes * column) {
    const std::int64_t elements = depth - p < kDepth ? depth - p : kDepth;
    const std::int64_t words = (elements + Words::kPerWord - 1) / Words::kPerWord;
    for (std::int64_t first = 0; first < width; first += Words::kLanes) {
      __m256i rows[Words::kLanes];
#pragma GCC unroll 8
      for (int i = 0; i < Words::kLanes; ++i) {
        const auto* row = from + (first + i) * ld + p;
        rows[i] = first + i >= lanes   ? _mm256_setzero_si256()
                  : elements == kDepth ? Words::along(row)
                                       : along_first<Words>(row, elements);
      }
      transpose(rows);
      char* at = to + first * Words::kBytes;
      const std::int64_t room = width - first < Words::kLanes ? width - first : Words::kLanes;
      if (room == Words::kLanes && words == Words::kLanes) {
#pragma GCC unroll 8
        for (int w = 0; w < Words::kLanes; ++w) store32(at + w * column, rows[w]);
      } else {
        for (std::int64_t w = 0; w < words; ++w) store_first(at + w * column, room * Words::kBytes, rows[w]);
      }
    }
  }
}

template <typename Words>
constexpr Packing word_packing() {
  Packing packing{sizeof(typename Words::Element),
                  Words::kBytes / Words::kPerWord,
                  Words::kPerWord,
                  0,
                  0,
                  {transpose_strip<Words>, copy_strip<Words>, Words::kPerWord},
                  {transpose_panel<Words>, copy_strip<Words>, Words::kPerWord}};
  // Of narrower elements by lines was not measured.
  if constexpr (sizeof(typename Words::Element) == Words::kBytes) packing.by_lines = copy_lines<Words>;
  return packing;
}

}  // namespace
}  // namespace pibench::kernels
