// The arithmetic of AVX512-VNNI: VPDPBUSD multiplies quadruples of an unsigned and a signed byte and adds the
// four products to an int32.
//
// Our operands are both signed. A gets 128 added to each element, in packing or as it is read where it lies,
// which makes it unsigned, and the sums begin with -128 times the sum of their column of B, which packing B
// appends to each panel (avx512_quad_packing.h):
//   sum (a + 128) b - 128 sum b = sum a b, exactly, also where int32 wraps around in between.
//
// Everything is in an unnamed namespace, as in avx512_tile.h.
#pragma once

#include "avx512_floats.h"
#include "avx512_halves.h"

namespace pibench::kernels {
namespace {

constexpr int kSign = 0x80;
struct Int8Quads {
  using Element = std::int8_t;
  using Unit = std::uint32_t;
  using Result = std::int32_t;
  using Vector = __m512i;
  using Mask = __mmask16;
  static constexpr bool kInPlace = true;
  static constexpr bool kReadsFactor = false;
  static constexpr bool kAsksForA = false;
  static constexpr bool kAsksForB = false;
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

}  // namespace
}  // namespace pibench::kernels
