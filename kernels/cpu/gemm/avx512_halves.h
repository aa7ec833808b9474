// What tiles of half a vector have in common. Everything is in an unnamed namespace, as in avx512_tile.h.
#pragma once

#include <immintrin.h>

#include "avx512_tile.h"

namespace pibench::kernels {
namespace {

struct Half {
  static constexpr bool kInPlace = true;
  static constexpr bool kReadsFactor = false;
  static constexpr bool kAsksForA = false;
  static constexpr bool kAsksForB = false;
  static constexpr bool kCopies = false;
};

// Whose results are float32.
struct HalfOfFloats : Half {
  using Result = float;
  using Vector = __m256;
  using Mask = __mmask8;
  static constexpr bool kOwnInstruction = false;
  static constexpr int kLanes = 8;
  static Vector start(const void*, int) noexcept { return zeros<Vector>(); }
  static Vector read(const Result* from) noexcept { return _mm256_loadu_ps(from); }
  static Vector read(Mask mask, const Result* from) noexcept { return _mm256_maskz_loadu_ps(mask, from); }
  static void write(Result* to, Vector value) noexcept { _mm256_storeu_ps(to, value); }
  static void write(Result* to, Mask mask, Vector value) noexcept { _mm256_mask_storeu_ps(to, mask, value); }
  static Vector add(Vector a, Vector b) noexcept { return _mm256_add_ps(a, b); }
};

}  // namespace
}  // namespace pibench::kernels
