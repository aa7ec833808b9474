// The arithmetic of products of a matrix and few vectors (thin_arithmetic.h) in the vectors of
// portable_vectors.h. Everything is in an unnamed namespace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "portable_vectors.h"
#include "thin_arithmetic.h"

namespace pibench::kernels {
namespace {

// The sums of the lanes of four vectors.
template <typename Lane, typename Vector, typename Result>
inline void sum_lanes(const Vector* sums, Result* to) noexcept {
  constexpr int kLanes = static_cast<int>(sizeof(Vector) / sizeof(Lane));
  for (int s = 0; s < 4; ++s) {
    Lane lanes[kLanes];
    __builtin_memcpy(lanes, sums + s, sizeof(lanes));
    // In halves, so that additions do not wait for each other.
#pragma GCC unroll 4
    for (int half = kLanes / 2; half > 0; half /= 2) {
#pragma GCC unroll 4
      for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    }
    to[s] = static_cast<Result>(lanes[0]);
  }
}

template <typename T>
struct PortableFloats {
  using Element = T;
  using Result = T;
  using Vector = typename VectorOf<T>::Aligned;
  using Memory = typename VectorOf<T>::Type;
  static constexpr int kLanes = VectorOf<T>::kLanes;
  static constexpr int kThinSums = 8;
  static Vector load(const T* from) noexcept { return *reinterpret_cast<const Memory*>(from); }
  static Vector load_first(const T* from, int count) noexcept {
    if (count >= kLanes) return load(from);
    T lanes[kLanes] = {};
    __builtin_memcpy(lanes, from, static_cast<std::size_t>(count) * sizeof(T));
    return load(lanes);
  }
  static Vector broadcast(const T* from) noexcept { return Vector{} + *from; }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept { return a * b + sum; }
  static Vector add(Vector a, Vector b) noexcept { return a + b; }
  static Vector read(const T* from) noexcept { return load(from); }
  static void write(T* to, Vector value) noexcept { *reinterpret_cast<Memory*>(to) = value; }
  static void write_first(T* to, int count, Vector value) noexcept {
    if (count >= kLanes) return write(to, value);
    __builtin_memcpy(to, &value, static_cast<std::size_t>(count) * sizeof(T));
  }
  static void totals(const Vector* sums, T* to) noexcept { sum_lanes<T>(sums, to); }
};

// A bfloat16 is the upper half of a float.
struct PortableBfloat16 : PortableFloats<float> {
  using Element = std::uint16_t;
  using Float32 = PortableFloats<float>;
  using Float32::load_first;
  static Vector load(const Element* from) noexcept { return widen_halves(from); }
  static Vector load_first(const Element* from, int count) noexcept {
    if (count >= kLanes) return load(from);
    Element elements[kLanes] = {};
    __builtin_memcpy(elements, from, static_cast<std::size_t>(count) * sizeof(Element));
    return load(elements);
  }
  static Vector broadcast(const Element* from) noexcept {
    const std::uint32_t bits = std::uint32_t{*from} << 16U;
    float value = 0;
    __builtin_memcpy(&value, &bits, sizeof(value));
    return Vector{} + value;
  }
};

// Few variants, of which every platform has to be compiled twice.
template <typename Arithmetic>
struct CompactSingles : Singles<Arithmetic> {
  static constexpr bool kCompact = true;
};

// int8 as pairs of int16.
struct PortablePairs {
  using Element = std::int8_t;
  using Result = std::int32_t;
  using Vector = Words;
  static constexpr int kLanes = kInt8Lanes;
  static constexpr int kDepth = 2;
  static constexpr int kThinSums = 8;

  static Vector row(const Element* from) noexcept { return widen_bytes(from); }
  static Vector columns(const Element* from, std::int64_t row) noexcept {
    return join_rows(from, from + row);
  }
  static Vector factor(const Element* from, std::int64_t element, int depth = kDepth) noexcept {
    const std::int16_t pair[kDepth] = {from[0], static_cast<std::int16_t>(depth > 1 ? from[element] : 0)};
    return reinterpret_cast<Vector>(broadcast_pair(pair));
  }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept {
    return kernels::multiply_add(pairs_of(a), pairs_of(b), sum);
  }
  static Vector add(Vector a, Vector b) noexcept { return add_words(a, b); }
  static Vector read(const Result* from) noexcept { return read_words(from); }
  static void write(Result* to, Vector value) noexcept { write_words(to, value); }
  static void totals(const Vector* sums, Result* to) noexcept { sum_lanes<std::uint32_t>(sums, to); }
};

}  // namespace
}  // namespace pibench::kernels
