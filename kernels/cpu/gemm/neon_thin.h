// The arithmetic of products of a matrix and few vectors (thin_arithmetic.h) in int8, by the dot product of
// four elements. The other types are those of portable_thin.h, of which the compiler makes the same
// instructions as of NEON's functions. Everything is in an unnamed namespace.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

namespace pibench::kernels {
namespace {

struct ThinQuads {
  using Element = std::int8_t;
  using Result = std::int32_t;
  using Vector = int32x4_t;
  static constexpr int kLanes = 4;
  static constexpr int kDepth = 4;
  static constexpr int kThinSums = 8;

  static Vector row(const Element* from) noexcept { return vreinterpretq_s32_s8(vld1q_s8(from)); }
  static Vector columns(const Element* from, std::int64_t row) noexcept {
    const int8x16_t even = vzip1q_s8(four(from), four(from + 2 * row));
    const int8x16_t odd = vzip1q_s8(four(from + row), four(from + 3 * row));
    return vreinterpretq_s32_s8(vzip1q_s8(even, odd));
  }
  static Vector factor(const Element* from, std::int64_t element, int depth = kDepth) noexcept {
    Element elements[kDepth] = {};
    for (int i = 0; i < depth; ++i) elements[i] = from[i * element];
    std::int32_t word = 0;
    __builtin_memcpy(&word, elements, sizeof(word));
    return vdupq_n_s32(word);
  }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept {
    return vdotq_s32(sum, vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(b));
  }
  static Vector add(Vector a, Vector b) noexcept { return vaddq_s32(a, b); }
  static Vector read(const Result* from) noexcept { return vld1q_s32(from); }
  static void write(Result* to, Vector value) noexcept { vst1q_s32(to, value); }
  static void totals(const Vector* sums, Result* to) noexcept {
    write(to, vpaddq_s32(vpaddq_s32(sums[0], sums[1]), vpaddq_s32(sums[2], sums[3])));
  }

 private:
  static int8x16_t four(const Element* from) noexcept {
    std::int32_t word = 0;
    __builtin_memcpy(&word, from, sizeof(word));
    return vreinterpretq_s8_s32(vdupq_n_s32(word));
  }
};

}  // namespace
}  // namespace pibench::kernels
