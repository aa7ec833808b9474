// The reductions and copies of our collectives, written once for all instruction sets.
//
// `I` tells how an instruction set handles a vector: kBytes, its size; stream, a non-temporal store of one to
// an aligned address; fence, which orders those before what follows. It must be a type of an anonymous
// namespace: every instance below then has internal linkage, so that the linker cannot choose code for one
// instruction set for the whole program.
//
// Arithmetic is the compiler's own on vectors. Integers wrap; bfloat16, float16 and float8_e4m3 are reduced
// as float32 and rounded once, to nearest even.
#pragma once

#include "collective_kernels.h"

namespace pibench::kernels::collective {

// A vector of T in the registers of I.
template <typename I, typename T>
struct VectorOf {
  // The attribute takes no place in an alias of a template.
  typedef T Type __attribute__((vector_size(I::kBytes)));  // NOLINT(modernize-use-using)
};
template <typename I, typename T>
using Vector = typename VectorOf<I, T>::Type;

template <typename T>
struct WrappingOf {
  using Type = T;
};
template <>
struct WrappingOf<std::int8_t> {
  using Type = std::uint8_t;
};
template <>
struct WrappingOf<std::int32_t> {
  using Type = std::uint32_t;
};
template <>
struct WrappingOf<std::int64_t> {
  using Type = std::uint64_t;
};

template <Redop op, typename I, typename T>
Vector<I, T> combined(Vector<I, T> a, Vector<I, T> b) noexcept {
  using Wrapping = Vector<I, typename WrappingOf<T>::Type>;
  if constexpr (op == Redop::min) return a < b ? a : b;
  if constexpr (op == Redop::max) return a > b ? a : b;
  if constexpr (op == Redop::prod) return (Vector<I, T>)((Wrapping)a * (Wrapping)b);
  return (Vector<I, T>)((Wrapping)a + (Wrapping)b);
}

// In what integers T of so many bytes are divided.
template <typename T, std::size_t bytes>
struct RealOf {
  using Type = T;
};
template <typename T>
struct RealOf<T, 1> {
  using Type = float;
};
template <typename T>
struct RealOf<T, 4> {
  using Type = double;
};

// How the elements of T are reduced: a vector from memory to what is accumulated, and back.
template <typename I, typename T>
struct Lanes {
  using Accumulated = Vector<I, T>;
  static constexpr std::size_t kUnroll = 4;  // vectors that are reduced at once
  static Accumulated load(const std::byte* from) noexcept {
    Accumulated x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
  }
  template <Redop op>
  static Accumulated combine(Accumulated a, Accumulated b) noexcept {
    return combined<op, I, T>(a, b);
  }
  static Accumulated divided(Accumulated a, int ranks) noexcept {
    if constexpr (static_cast<T>(1) / 2 != 0) {
      return a / static_cast<T>(ranks);
    } else {
      // No vector unit divides integers. As real numbers of more digits they have a quotient that is cut off
      // to the right one: it lies an nth from the next whole number at least, and rounding does not reach
      // that. The longest have no such numbers, and go one by one, in a loop: as many divisions in a row are
      // code. Ranks may be more than T has numbers.
      using Real = typename RealOf<T, sizeof(T)>::Type;
      const auto n = static_cast<Real>(ranks);
      T lanes[sizeof a / sizeof(T)];
      __builtin_memcpy(lanes, &a, sizeof a);
#pragma GCC unroll 1
      for (T& lane : lanes) lane = static_cast<T>(static_cast<Real>(lane) / n);
      __builtin_memcpy(&a, lanes, sizeof a);
      return a;
    }
  }
  static Vector<I, std::uint32_t> packed(Accumulated a) noexcept { return (Vector<I, std::uint32_t>)a; }
};

struct BFloat16 {};

template <typename I>
struct Lanes<I, BFloat16> {
  static constexpr std::size_t kUnroll = 4;
  using Words = Vector<I, std::uint32_t>;
  using Reals = Vector<I, float>;
  // Elements at even and at odd places.
  struct Accumulated {
    Reals even, odd;
  };
  static Accumulated load(const std::byte* from) noexcept {
    Words x;
    __builtin_memcpy(&x, from, sizeof x);
    return {(Reals)(x << 16U), (Reals)(x & 0xffff'0000U)};
  }
  template <Redop op>
  static Accumulated combine(Accumulated a, Accumulated b) noexcept {
    return {combined<op, I, float>(a.even, b.even), combined<op, I, float>(a.odd, b.odd)};
  }
  static Accumulated divided(Accumulated a, int ranks) noexcept {
    const auto n = static_cast<float>(ranks);
    return {a.even / n, a.odd / n};
  }
  // To nearest even. Infinities stay; a NaN stays one, or becomes an infinity where its payload was all in
  // the lower half.
  static Words rounded(Reals x) noexcept {
    const auto bits = (Words)x;
    return bits + 0x7fffU + ((bits >> 16U) & 1U);
  }
  static Words packed(const Accumulated& a) noexcept {
    return (rounded(a.even) >> 16U) | (rounded(a.odd) & 0xffff'0000U);
  }
};

// What is stored in fewer bits than float32 and has another range, with subnormal numbers.
struct Float16 {
  static constexpr unsigned kBits = 16, kFraction = 10, kBias = 15;
  static constexpr std::uint32_t kFirstSpecial = 0x7c00;  // infinity, and above it what is no number
  static constexpr std::uint32_t kMost = 0x7c00;          // what is too large becomes an infinity
  static constexpr std::uint32_t kNan = 0x7e00;
};
// As the Open Compute Project has it: without infinities. What is too large becomes the largest number, as in
// CUDA's conversions.
struct Float8E4M3 {
  static constexpr unsigned kBits = 8, kFraction = 3, kBias = 7;
  static constexpr std::uint32_t kFirstSpecial = 0x7f;
  static constexpr std::uint32_t kMost = 0x7e;
  static constexpr std::uint32_t kNan = 0x7f;
};

// A power of two that float32 has as a normal number.
constexpr float power_of_two(int exponent) noexcept {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(127 + exponent) << 23U);
}

// Elements as float32, those at the same place of each word together.
template <typename I, typename Small>
struct SmallLanes {
  using Words = Vector<I, std::uint32_t>;
  using Reals = Vector<I, float>;
  static constexpr unsigned kParts = 32 / Small::kBits;
  // As many numbers as of float32: each takes a dozen instructions, and as much of the compiler's time.
  static constexpr std::size_t kUnroll = 4 / kParts;
  static constexpr unsigned kDropped = 23 - Small::kFraction;  // bits of float32's fraction
  static constexpr std::uint32_t kSign = 1U << (Small::kBits - 1);
  static constexpr int kBias = Small::kBias;
  struct Accumulated {
    Reals parts[kParts];
  };

  // Of the lowest bits of each word. The exponent becomes that of float32 by a multiplication, which turns
  // subnormal numbers into normal ones, too.
  static Reals widened(Words x) noexcept {
    const Words size = (x & (kSign - 1)) << kDropped;
    const auto scaled = (Words)((Reals)size * power_of_two(127 - kBias));
    const Words special = scaled | 0x7f80'0000U;
    return (Reals)((size >= (Small::kFirstSpecial << kDropped) ? special : scaled) |
                   (x & kSign) << (32 - Small::kBits));
  }
  // To nearest even. In a sum with a number whose last place is the smallest subnormal number, the addition
  // itself rounds to that place.
  static Words narrowed(Reals x) noexcept {
    constexpr int kFraction = Small::kFraction;
    constexpr float kRounding = power_of_two(24 - kBias - kFraction);
    const auto bits = (Words)x;
    const Words size = bits & 0x7fff'ffffU;
    const Words normal = ((size + ((1U << (kDropped - 1)) - 1) + ((size >> kDropped) & 1U)) >> kDropped) -
                         ((127U - Small::kBias) << Small::kFraction);
    const Words subnormal = (Words)((Reals)size + kRounding) - __builtin_bit_cast(std::uint32_t, kRounding);
    Words result = size < ((128U - Small::kBias) << 23U) ? subnormal : normal;
    const Words most = Words{} + Small::kMost;
    result = result > Small::kMost ? most : result;
    const Words nan = Words{} + Small::kNan;
    result = size > 0x7f80'0000U ? nan : result;
    return result | ((bits >> (32 - Small::kBits)) & kSign);
  }

  static Accumulated load(const std::byte* from) noexcept {
    Words x;
    __builtin_memcpy(&x, from, sizeof x);
    Accumulated a;
#pragma GCC unroll 4
    for (unsigned i = 0; i < kParts; ++i) a.parts[i] = widened(x >> (i * Small::kBits));
    return a;
  }
  template <Redop op>
  static Accumulated combine(Accumulated a, const Accumulated& b) noexcept {
#pragma GCC unroll 4
    for (unsigned i = 0; i < kParts; ++i) a.parts[i] = combined<op, I, float>(a.parts[i], b.parts[i]);
    return a;
  }
  static Accumulated divided(Accumulated a, int ranks) noexcept {
#pragma GCC unroll 4
    for (Reals& part : a.parts) part = part / static_cast<float>(ranks);
    return a;
  }
  static Words packed(const Accumulated& a) noexcept {
    Words words = narrowed(a.parts[0]);
#pragma GCC unroll 4
    for (unsigned i = 1; i < kParts; ++i) words |= narrowed(a.parts[i]) << (i * Small::kBits);
    return words;
  }
};

template <typename I>
struct Lanes<I, Float16> : SmallLanes<I, Float16> {};
template <typename I>
struct Lanes<I, Float8E4M3> : SmallLanes<I, Float8E4M3> {};

// Whole vectors of what is left, or the last elements, padded with zeros.
template <typename I, typename T>
typename Lanes<I, T>::Accumulated load_some(const std::byte* from, std::size_t bytes) noexcept {
  if (bytes >= I::kBytes) return Lanes<I, T>::load(from);
  alignas(I::kBytes) std::byte padded[I::kBytes] = {};
  __builtin_memcpy(padded, from, bytes);
  return Lanes<I, T>::load(padded);
}

template <typename I>
bool aligned(const Ranges& r) noexcept {
  for (int k = 0; k < r.output_count; ++k) {
    if (reinterpret_cast<std::uintptr_t>(r.outputs[k] + r.begin) % I::kBytes != 0) return false;
  }
  return true;
}

template <typename I>
void put(std::byte* to, Vector<I, std::uint32_t> words, bool streaming) noexcept {
  if (streaming)
    I::stream(to, words);
  else
    __builtin_memcpy(to, &words, sizeof words);
}

template <typename I, typename T, Redop op>
Vector<I, std::uint32_t> finished(const typename Lanes<I, T>::Accumulated& sum, int ranks) noexcept {
  if constexpr (op == Redop::avg)
    return Lanes<I, T>::packed(Lanes<I, T>::divided(sum, ranks));
  else
    return Lanes<I, T>::packed(sum);
}

// Whole steps from `begin` on; returns where they end. Each operand is read or written for several vectors at
// once, so that its address, and how it is stored, is asked for once for all of them. A step is read before
// any of it is written: an output may be an input. Of `pair` it is known at compile time that there are two
// inputs and two outputs: then their addresses stay in registers.
template <typename I, typename T, Redop op, bool pair>
std::size_t reduce_steps(const Ranges& ranges, bool streaming) noexcept {
  using L = Lanes<I, T>;
  constexpr std::size_t kUnroll = L::kUnroll;
  constexpr std::size_t kStep = kUnroll * I::kBytes;
  // A copy, which no store below can change.
  const Ranges r = ranges;
  std::byte* const two_inputs[2] = {r.inputs[0], r.inputs[pair ? 1 : 0]};
  std::byte* const two_outputs[2] = {r.outputs[0], r.outputs[pair ? 1 : 0]};
  std::byte* const* const inputs = pair ? two_inputs : r.inputs;
  std::byte* const* const outputs = pair ? two_outputs : r.outputs;
  const int input_count = pair ? 2 : r.input_count;
  const int output_count = pair ? 2 : r.output_count;
  std::size_t at = r.begin;
  for (; at + kStep <= r.end; at += kStep) {
    typename L::Accumulated sums[kUnroll];
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kUnroll; ++j) sums[j] = L::load(inputs[0] + at + j * I::kBytes);
    for (int k = 1; k < input_count; ++k) {
      const std::byte* const from = inputs[k] + at;
#pragma GCC unroll 4
      for (std::size_t j = 0; j < kUnroll; ++j)
        sums[j] = L::template combine<op>(sums[j], L::load(from + j * I::kBytes));
    }
    Vector<I, std::uint32_t> words[kUnroll];
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kUnroll; ++j) words[j] = finished<I, T, op>(sums[j], r.ranks);
    for (int k = 0; k < output_count; ++k) {
      std::byte* const to = outputs[k] + at;
#pragma GCC unroll 4
      for (std::size_t j = 0; j < kUnroll; ++j) put<I>(to + j * I::kBytes, words[j], streaming);
    }
  }
  return at;
}

template <typename I, typename T, Redop op>
void reduce(const Ranges& r, bool streaming) noexcept {
  using L = Lanes<I, T>;
  const bool past_caches = streaming && aligned<I>(r);
  std::size_t at = r.begin;
  // Two ranks that add, which most of what is asked for comes down to, have a loop of their own.
  const bool pair = op == Redop::sum && r.input_count == 2 && r.output_count == 2;
  if constexpr (op == Redop::sum) {
    if (pair) at = reduce_steps<I, T, op, true>(r, past_caches);
  }
  if (!pair) at = reduce_steps<I, T, op, false>(r, past_caches);
  for (; at < r.end; at += I::kBytes) {
    const std::size_t some = r.end - at < I::kBytes ? r.end - at : I::kBytes;
    typename L::Accumulated sum = load_some<I, T>(r.inputs[0] + at, some);
    for (int k = 1; k < r.input_count; ++k)
      sum = L::template combine<op>(sum, load_some<I, T>(r.inputs[k] + at, some));
    const Vector<I, std::uint32_t> words = finished<I, T, op>(sum, r.ranks);
    for (int k = 0; k < r.output_count; ++k) __builtin_memcpy(r.outputs[k] + at, &words, some);
  }
  if (past_caches) I::fence();
}

template <typename I, bool streaming>
void copy(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  if constexpr (streaming) {
    using Words = Vector<I, std::uint32_t>;
    constexpr std::size_t kUnroll = 4;
    constexpr std::size_t kStep = kUnroll * I::kBytes;
    const std::size_t before = (I::kBytes - reinterpret_cast<std::uintptr_t>(to) % I::kBytes) % I::kBytes;
    std::size_t at = before < bytes ? before : bytes;
    __builtin_memcpy(to, from, at);
    for (; at + kStep <= bytes; at += kStep) {
      Words values[kUnroll];
#pragma GCC unroll 4
      for (std::size_t j = 0; j < kUnroll; ++j)
        __builtin_memcpy(&values[j], from + at + j * I::kBytes, I::kBytes);
#pragma GCC unroll 4
      for (std::size_t j = 0; j < kUnroll; ++j) I::stream(to + at + j * I::kBytes, values[j]);
    }
    __builtin_memcpy(to + at, from + at, bytes - at);
    I::fence();
  } else {
    __builtin_memcpy(to, from, bytes);
  }
}

// The table of an instruction set. Sums and products of integers are the same with a sign and without.
template <typename I>
constexpr CollectiveKernels table(const char* name, std::uint32_t needs) noexcept {
  CollectiveKernels kernels{name, needs, {}, {copy<I, false>, copy<I, true>}};
  const auto fill = [&kernels]<typename T>(Element element, T) {
    using Wrapping = typename WrappingOf<T>::Type;
    auto& row = kernels.reduce[static_cast<int>(element)];
    row[static_cast<int>(Redop::sum)] = reduce<I, Wrapping, Redop::sum>;
    row[static_cast<int>(Redop::prod)] = reduce<I, Wrapping, Redop::prod>;
    row[static_cast<int>(Redop::min)] = reduce<I, T, Redop::min>;
    row[static_cast<int>(Redop::max)] = reduce<I, T, Redop::max>;
    row[static_cast<int>(Redop::avg)] = reduce<I, T, Redop::avg>;
  };
  fill(Element::float32, float{});
  fill(Element::float64, double{});
  fill(Element::bfloat16, BFloat16{});
  fill(Element::float16, Float16{});
  fill(Element::float8_e4m3, Float8E4M3{});
  fill(Element::int8, std::int8_t{});
  fill(Element::uint8, std::uint8_t{});
  fill(Element::int32, std::int32_t{});
  fill(Element::uint32, std::uint32_t{});
  fill(Element::int64, std::int64_t{});
  fill(Element::uint64, std::uint64_t{});
  return kernels;
}

}  // namespace pibench::kernels::collective
