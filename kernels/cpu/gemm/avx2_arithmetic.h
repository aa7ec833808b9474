// The arithmetic of AVX2's tiles (avx2_tile.h) and of its products of a matrix and few vectors
// (thin_arithmetic.h). Everything is in an unnamed namespace, as in avx512_tile.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace pibench::kernels {
namespace {

struct Float32 {
  using Element = float;
  using Unit = float;
  using Result = float;
  using Vector = __m256;
  static constexpr bool kCopies = true;
  static constexpr int kLanes = 8;
  static constexpr int kUnit = 1;
  static constexpr int kThinSums = 8;
  static Vector zero() noexcept { return _mm256_setzero_ps(); }
  static Vector load(const float* from) noexcept { return _mm256_loadu_ps(from); }
  static Vector broadcast(const float* from) noexcept { return _mm256_broadcast_ss(from); }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept { return _mm256_fmadd_ps(a, b, sum); }
  static Vector accumulate(Vector a, Vector b, Vector sum) noexcept {
    asm("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
    return sum;
  }
  static Vector read(const float* from) noexcept { return _mm256_loadu_ps(from); }
  static Vector read_first(const float* from, int count) noexcept { return load_first(from, count); }
  static void stream(float* to, Vector value) noexcept { _mm256_stream_ps(to, value); }
  static void write(float* to, Vector value) noexcept { _mm256_storeu_ps(to, value); }
  static Vector add(Vector a, Vector b) noexcept { return _mm256_add_ps(a, b); }
  // By pieces: QEMU's masked loads read, and fault on, the lanes that they leave out.
  static Vector load_first(const float* from, int count) noexcept {
    if (count >= kLanes) return load(from);
    constexpr int kHalf = kLanes / 2;
    const __m128 low = count >= kHalf ? _mm_loadu_ps(from) : load_few(from, count);
    const __m128 high = count > kHalf ? load_few(from + kHalf, count - kHalf) : _mm_setzero_ps();
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
  }
  static void write_first(float* to, int count, Vector value) noexcept {
    if (count >= kLanes) return write(to, value);
    __m128 part = _mm256_castps256_ps128(value);
    if ((count & 4) != 0) {
      _mm_storeu_ps(to, part);
      part = _mm256_extractf128_ps(value, 1);
      to += 4;
    }
    if ((count & 2) != 0) {
      _mm_storel_pi(reinterpret_cast<__m64*>(to), part);
      part = _mm_movehl_ps(part, part);
      to += 2;
    }
    if ((count & 1) != 0) _mm_store_ss(to, part);
  }
  static void totals(const Vector* sums, float* to) noexcept {
    // In each half a, b, c, d.
    const Vector halves = _mm256_hadd_ps(_mm256_hadd_ps(sums[0], sums[1]), _mm256_hadd_ps(sums[2], sums[3]));
    _mm_storeu_ps(to, _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1)));
  }

 private:
  static __m128 load_few(const float* from, int count) noexcept {
    if (count == 1) return _mm_load_ss(from);
    const __m128 two = _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
    return count == 2 ? two : _mm_movelh_ps(two, _mm_load_ss(from + 2));
  }
};

struct Float64 {
  using Element = double;
  using Unit = double;
  using Result = double;
  using Vector = __m256d;
  static constexpr bool kCopies = true;
  static constexpr int kLanes = 4;
  static constexpr int kUnit = 1;
  static constexpr int kThinSums = 8;
  static Vector zero() noexcept { return _mm256_setzero_pd(); }
  static Vector load(const double* from) noexcept { return _mm256_loadu_pd(from); }
  static Vector broadcast(const double* from) noexcept { return _mm256_broadcast_sd(from); }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept { return _mm256_fmadd_pd(a, b, sum); }
  static Vector accumulate(Vector a, Vector b, Vector sum) noexcept {
    asm("vfmadd231pd %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
    return sum;
  }
  static Vector read(const double* from) noexcept { return _mm256_loadu_pd(from); }
  static Vector read_first(const double* from, int count) noexcept { return load_first(from, count); }
  static void stream(double* to, Vector value) noexcept { _mm256_stream_pd(to, value); }
  static void write(double* to, Vector value) noexcept { _mm256_storeu_pd(to, value); }
  static Vector add(Vector a, Vector b) noexcept { return _mm256_add_pd(a, b); }
  static Vector load_first(const double* from, int count) noexcept {
    if (count >= kLanes) return load(from);
    const __m128d low = count >= 2 ? _mm_loadu_pd(from) : _mm_load_sd(from);
    const __m128d high = count == 3 ? _mm_load_sd(from + 2) : _mm_setzero_pd();
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
  }
  static void write_first(double* to, int count, Vector value) noexcept {
    if (count >= kLanes) return write(to, value);
    __m128d part = _mm256_castpd256_pd128(value);
    if ((count & 2) != 0) {
      _mm_storeu_pd(to, part);
      part = _mm256_extractf128_pd(value, 1);
      to += 2;
    }
    if ((count & 1) != 0) _mm_store_sd(to, part);
  }
  static void totals(const Vector* sums, double* to) noexcept {
    // In each half a, b, or c, d.
    const Vector ab = _mm256_hadd_pd(sums[0], sums[1]);
    const Vector cd = _mm256_hadd_pd(sums[2], sums[3]);
    _mm256_storeu_pd(
        to, _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20), _mm256_permute2f128_pd(ab, cd, 0x31)));
  }
};

// A bfloat16 is the upper half of a float.
struct Bfloat16 : Float32 {
  using Element = std::uint16_t;
  using Float32::broadcast;
  using Float32::load;
  using Float32::load_first;
  static Vector load(const Element* from) noexcept {
    const __m128i elements = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(elements), 16));
  }
  static Vector load_first(const Element* from, int count) noexcept {
    if (count >= kLanes) return load(from);
    Element elements[kLanes] = {};
    __builtin_memcpy(elements, from, static_cast<std::size_t>(count) * sizeof(Element));
    return load(elements);
  }
  static Vector broadcast(const Element* from) noexcept {
    return _mm256_castsi256_ps(_mm256_set1_epi32(static_cast<int>(std::uint32_t{*from} << 16U)));
  }
};

// Pairs of int16: VPMADDWD sums their two products in int32, exactly.
struct Int16Pairs {
  using Unit = std::int32_t;
  using Result = std::int32_t;
  using Vector = __m256i;
  static constexpr bool kCopies = false;
  static constexpr int kLanes = 8;
  static constexpr int kUnit = 2;
  static Vector zero() noexcept { return _mm256_setzero_si256(); }
  static Vector load(const Unit* from) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Vector broadcast(const Unit* from) noexcept { return _mm256_set1_epi32(*from); }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
  }
  static Vector accumulate(Vector a, Vector b, Vector sum) noexcept {
    const Vector product = _mm256_madd_epi16(a, b);
    asm("vpaddd %1, %0, %0" : "+x"(sum) : "x"(product));
    return sum;
  }
  static Vector read(const std::int32_t* from) noexcept { return load(from); }
  static Vector load_first(const Unit* from, int count) noexcept {
    if (count >= kLanes) return load(from);
    Unit words[kLanes] = {};
    __builtin_memcpy(words, from, static_cast<std::size_t>(count) * sizeof(Unit));
    return load(words);
  }
  static Vector read_first(const Result* from, int count) noexcept { return load_first(from, count); }
  static void write_first(Result* to, int count, Vector value) noexcept {
    if (count >= kLanes) return write(to, value);
    Result words[kLanes];
    write(words, value);
    __builtin_memcpy(to, words, static_cast<std::size_t>(count) * sizeof(Result));
  }
  static void stream(Result* to, Vector value) noexcept {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), value);
  }
  static void write(std::int32_t* to, Vector value) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
  }
  static Vector add(Vector a, Vector b) noexcept { return _mm256_add_epi32(a, b); }
};

// int8 as pairs of int16, in products of a matrix and few vectors.
struct ThinPairs : Int16Pairs {
  using Element = std::int8_t;
  static constexpr int kDepth = 2;
  static constexpr int kThinSums = 8;

  static Vector row(const Element* from) noexcept {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static Vector columns(const Element* from, std::int64_t row) noexcept {
    const __m128i even = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    const __m128i odd = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + row));
    return _mm256_cvtepi8_epi16(_mm_unpacklo_epi8(even, odd));
  }
  static Vector factor(const Element* from, std::int64_t element, int depth = kDepth) noexcept {
    const auto word = [&](int i) {
      return static_cast<std::uint32_t>(static_cast<std::uint16_t>(i < depth ? from[i * element] : 0));
    };
    return _mm256_set1_epi32(static_cast<int>(word(0) | word(1) << 16U));
  }
  static void totals(const Vector* sums, Result* to) noexcept {
    // In each half a, b, c, d.
    const Vector halves =
        _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[3]));
    const __m128i all = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), all);
  }
};

}  // namespace
}  // namespace pibench::kernels
