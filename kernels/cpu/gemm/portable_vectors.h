// Vectors of every CPU, in the vector extensions of GCC and Clang. What the compiler makes of them depends on
// the flags of the file that includes this: vectors of 128 bits, which the baselines of x86-64 (SSE2) and
// arm64 (NEON) both have, or of 256 where it may use AVX2. Everything is in an unnamed namespace.
#pragma once

#include <cstdint>

#include "vector_lanes.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace pibench::kernels {
namespace {

#if defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <typename T>
struct VectorOf {
  using Aligned __attribute__((vector_size(kVectorBytes))) = T;
  // C is aligned like its elements only.
  using Type __attribute__((vector_size(kVectorBytes), aligned(alignof(T)), may_alias)) = T;
  static constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));
};

// bfloat16 as floats.
inline VectorOf<float>::Aligned widen_halves(const std::uint16_t* from) noexcept {
#if defined(__AVX2__)
  const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
#else
  return widened_halves(from);
#endif
}

// Pairs of int16, whose products fit into int32. Where the compiler has no dot product to offer, each is
// written out; wrapping sums are unsigned, whose overflow is defined. widen_bytes() makes pairs of
// neighbours, join_rows() of elements of two rows.
#if defined(__AVX2__)
using Words = __m256i;
inline Words broadcast_pair(const std::int16_t* pair) {
  std::int32_t bits = 0;
  __builtin_memcpy(&bits, pair, sizeof(bits));
  return _mm256_set1_epi32(bits);
}
inline Words load_words(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
inline Words pairs_of(Words words) { return words; }
inline Words load_pairs(const std::int16_t* from) { return load_words(from); }
inline Words widen_bytes(const std::int8_t* from) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
inline Words join_rows(const std::int8_t* even, const std::int8_t* odd) {
  const __m128i evens = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(even));
  const __m128i odds = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(odd));
  return _mm256_cvtepi8_epi16(_mm_unpacklo_epi8(evens, odds));
}
inline Words add_words(Words a, Words b) { return _mm256_add_epi32(a, b); }
inline Words multiply_add(Words a, Words b, Words sum) { return add_words(sum, _mm256_madd_epi16(a, b)); }
inline Words read_words(const std::int32_t* from) { return load_words(from); }
inline void write_words(std::int32_t* to, Words words) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), words);
}
#elif defined(__SSE2__)
using Words = __m128i;
inline Words broadcast_pair(const std::int16_t* pair) {
  std::int32_t bits = 0;
  __builtin_memcpy(&bits, pair, sizeof(bits));
  return _mm_set1_epi32(bits);
}
inline Words load_words(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
inline Words pairs_of(Words words) { return words; }
inline Words load_pairs(const std::int16_t* from) { return load_words(from); }
inline Words widen_bytes(const std::int8_t* from) { return reinterpret_cast<Words>(widened_bytes(from)); }
inline Words join_rows(const std::int8_t* even, const std::int8_t* odd) {
  return reinterpret_cast<Words>(joined_bytes(even, odd));
}
inline Words add_words(Words a, Words b) { return _mm_add_epi32(a, b); }
inline Words multiply_add(Words a, Words b, Words sum) { return add_words(sum, _mm_madd_epi16(a, b)); }
inline Words read_words(const std::int32_t* from) { return load_words(from); }
inline void write_words(std::int32_t* to, Words words) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), words);
}
#else
using Words __attribute__((vector_size(16))) = std::uint32_t;
using Pairs __attribute__((vector_size(16))) = std::int16_t;
inline Pairs broadcast_pair(const std::int16_t* pair) {
  return Pairs{pair[0], pair[1], pair[0], pair[1], pair[0], pair[1], pair[0], pair[1]};
}
inline Pairs pairs_of(Words words) { return reinterpret_cast<Pairs>(words); }
inline Pairs load_pairs(const std::int16_t* from) {
  Pairs pairs;
  __builtin_memcpy(&pairs, from, sizeof(pairs));
  return pairs;
}
inline Words widen_bytes(const std::int8_t* from) { return reinterpret_cast<Words>(widened_bytes(from)); }
inline Words join_rows(const std::int8_t* even, const std::int8_t* odd) {
  return reinterpret_cast<Words>(joined_bytes(even, odd));
}
inline Words add_words(Words a, Words b) { return a + b; }
inline Words multiply_add(Pairs a, Pairs b, Words sum) {
  using Signed __attribute__((vector_size(16))) = std::int32_t;
  constexpr int kHalf = 16;  // bits
  const auto first = [](Pairs pairs) {
    return reinterpret_cast<Words>(reinterpret_cast<Signed>(reinterpret_cast<Words>(pairs) << kHalf) >>
                                   kHalf);
  };
  const auto second = [](Pairs pairs) {
    return reinterpret_cast<Words>(reinterpret_cast<Signed>(pairs) >> kHalf);
  };
  return sum + first(a) * first(b) + second(a) * second(b);
}
inline Words read_words(const std::int32_t* from) {
  Words words;
  __builtin_memcpy(&words, from, sizeof(words));
  return words;
}
inline void write_words(std::int32_t* to, Words words) { __builtin_memcpy(to, &words, sizeof(words)); }
#endif

constexpr int kInt8Lanes = static_cast<int>(sizeof(Words) / sizeof(std::int32_t));

}  // namespace
}  // namespace pibench::kernels
