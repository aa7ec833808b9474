// Lanes of two vectors in another order, in the vector extensions of GCC and Clang: what every CPU
// has an instruction for. Everything is in an unnamed namespace, as in thin_arithmetic.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pibench::kernels {
namespace {

// Of 128 bits.
template <typename T>
struct Lanes {
  using Type __attribute__((vector_size(16))) = T;
};

// As large as a lane.
template <std::size_t bytes>
struct IntegerOf;
template <>
struct IntegerOf<1> {
  using Type = std::int8_t;
};
template <>
struct IntegerOf<2> {
  using Type = std::int16_t;
};
template <>
struct IntegerOf<4> {
  using Type = std::int32_t;
};
template <>
struct IntegerOf<8> {
  using Type = std::int64_t;
};

// Of lanes 0 .. count - 1 of `a` and count .. 2 count - 1 of `b`. (Older GCC lack __builtin_shufflevector,
// and Clang the other.)
template <int... lanes, typename Vector>
[[gnu::always_inline]] inline Vector shuffled(const Vector& a, const Vector& b) noexcept {
#if defined(__clang__)
  return __builtin_shufflevector(a, b, lanes...);
#else
  using Lane = typename IntegerOf<sizeof(Vector) / sizeof...(lanes)>::Type;
  using Mask __attribute__((vector_size(sizeof(Vector)))) = Lane;
  return __builtin_shuffle(a, b, Mask{lanes...});
#endif
}

// The lanes of the lower halves in turn.
inline Lanes<std::int8_t>::Type interleaved(Lanes<std::int8_t>::Type a, Lanes<std::int8_t>::Type b) noexcept {
  return shuffled<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(a, b);
}
inline Lanes<std::uint16_t>::Type interleaved(Lanes<std::uint16_t>::Type a,
                                              Lanes<std::uint16_t>::Type b) noexcept {
  return shuffled<0, 8, 1, 9, 2, 10, 3, 11>(a, b);
}

// The first lanes, of so many bytes, the others being 0.
template <typename T, typename Bytes>
[[gnu::always_inline]] inline typename Lanes<T>::Type first_lanes(const T* from) noexcept {
  Bytes bytes = 0;
  std::memcpy(&bytes, from, sizeof(bytes));
  return reinterpret_cast<typename Lanes<T>::Type>(typename Lanes<Bytes>::Type{bytes});
}

// Eight int8 as int16.
inline Lanes<std::int16_t>::Type widened(Lanes<std::int8_t>::Type bytes) noexcept {
  return reinterpret_cast<Lanes<std::int16_t>::Type>(interleaved(bytes, bytes)) >> 8;
}
inline Lanes<std::int16_t>::Type widened_bytes(const std::int8_t* from) noexcept {
  return widened(first_lanes<std::int8_t, std::uint64_t>(from));
}
// Four of each row in turns.
inline Lanes<std::int16_t>::Type joined_bytes(const std::int8_t* even, const std::int8_t* odd) noexcept {
  return widened(interleaved(first_lanes<std::int8_t, std::uint32_t>(even),
                             first_lanes<std::int8_t, std::uint32_t>(odd)));
}
// Four bfloat16 as floats, of which they are the upper halves.
inline Lanes<float>::Type widened_halves(const std::uint16_t* from) noexcept {
  constexpr Lanes<std::uint16_t>::Type kZeros{};
  return reinterpret_cast<Lanes<float>::Type>(
      interleaved(kZeros, first_lanes<std::uint16_t, std::uint64_t>(from)));
}

}  // namespace
}  // namespace pibench::kernels
