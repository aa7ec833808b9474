// What arithmetic on vectors of 16 floats has in common, for thin products. Everything is in an unnamed
// namespace, as in avx512_tile.h.
#pragma once

#include <immintrin.h>

namespace pibench::kernels {
namespace {

inline __mmask16 first_lanes(int count) noexcept {
  return static_cast<__mmask16>((1U << static_cast<unsigned>(count)) - 1U);
}

// The sums of the lanes of each of four vectors.
inline void totals_of_four(const __m512* sums, float* to) noexcept {
  const auto pairs = [](__m512 a, __m512 b) __attribute__((always_inline)) {
    return _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
  };
  const __m512 ab = pairs(sums[0], sums[1]);
  const __m512 cd = pairs(sums[2], sums[3]);
  // In each quarter a, b, c, d.
  const __m512 quarters = _mm512_add_ps(_mm512_shuffle_ps(ab, cd, 0x44), _mm512_shuffle_ps(ab, cd, 0xee));
  const __m256 halves = _mm256_add_ps(_mm512_castps512_ps256(quarters), _mm512_extractf32x8_ps(quarters, 1));
  _mm_storeu_ps(to, _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1)));
}

}  // namespace
}  // namespace pibench::kernels
