// The reductions and copies of our collectives, written once for all instruction sets.
//
// `I` tells how an instruction set handles a vector: kBytes, its size; stream, a non-temporal store of one to
// an aligned address; fence, which orders those before what follows. It must be a type of an anonymous
// namespace: every instance below then has internal linkage, so that the linker cannot choose code for one
// instruction set for the whole program.
//
// Arithmetic is the compiler's own on vectors. Integers wrap; bfloat16 is reduced as float32 and rounded
// once, to nearest even.
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

// How the elements of T are reduced: a vector from memory to what is accumulated, and back.
template <typename I, typename T>
struct Lanes {
  using Accumulated = Vector<I, T>;
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
    const auto n = static_cast<T>(ranks);
    if constexpr (static_cast<T>(1) / 2 != 0) {
      return a / n;
    } else {
      // No vector unit divides integers: one by one in a loop, which is a fraction of the code of as many
      // divisions in a row.
      T lanes[sizeof a / sizeof(T)];
      __builtin_memcpy(lanes, &a, sizeof a);
#pragma GCC unroll 1
      for (T& lane : lanes) lane = static_cast<T>(lane / n);
      __builtin_memcpy(&a, lanes, sizeof a);
      return a;
    }
  }
  static Vector<I, std::uint32_t> packed(Accumulated a) noexcept { return (Vector<I, std::uint32_t>)a; }
};

struct BFloat16 {};

template <typename I>
struct Lanes<I, BFloat16> {
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

// Whole vectors of what is left, or the last elements, padded with zeros.
template <typename I, typename T>
typename Lanes<I, T>::Accumulated load_some(const std::byte* from, std::size_t bytes) noexcept {
  if (bytes >= I::kBytes) return Lanes<I, T>::load(from);
  alignas(I::kBytes) std::byte padded[I::kBytes] = {};
  __builtin_memcpy(padded, from, bytes);
  return Lanes<I, T>::load(padded);
}

// One loop for any number of inputs: each is read for several vectors at once, so that its address is asked
// for once for all of them. Whole steps are read before any of them is written: `to` may be an input.
template <typename I, typename T, Redop op>
void reduce_into(std::byte* to, const Ranges& ranges, std::size_t begin, std::size_t bytes) noexcept {
  using L = Lanes<I, T>;
  using Accumulated = typename L::Accumulated;
  constexpr std::size_t kUnroll = 4;
  constexpr std::size_t kStep = kUnroll * I::kBytes;
  std::byte* const* const inputs = ranges.inputs;
  const int count = ranges.input_count;
  const int ranks = ranges.ranks;
  const auto put = [=](std::size_t at, const Accumulated& sum, std::size_t some) noexcept {
    Vector<I, std::uint32_t> words;
    if constexpr (op == Redop::avg)
      words = L::packed(L::divided(sum, ranks));
    else
      words = L::packed(sum);
    __builtin_memcpy(to + at, &words, some);
  };
  std::size_t at = 0;
  for (; at + kStep <= bytes; at += kStep) {
    Accumulated sums[kUnroll];
    const std::byte* from = inputs[0] + begin + at;
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kUnroll; ++j) sums[j] = L::load(from + j * I::kBytes);
    for (int k = 1; k < count; ++k) {
      from = inputs[k] + begin + at;
#pragma GCC unroll 4
      for (std::size_t j = 0; j < kUnroll; ++j)
        sums[j] = L::template combine<op>(sums[j], L::load(from + j * I::kBytes));
    }
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kUnroll; ++j) put(at + j * I::kBytes, sums[j], I::kBytes);
  }
  for (; at < bytes; at += I::kBytes) {
    const std::size_t some = bytes - at < I::kBytes ? bytes - at : I::kBytes;
    Accumulated sum = load_some<I, T>(inputs[0] + begin + at, some);
    for (int k = 1; k < count; ++k)
      sum = L::template combine<op>(sum, load_some<I, T>(inputs[k] + begin + at, some));
    put(at, sum, some);
  }
}

template <typename I, bool streaming>
void put(std::byte* to, Vector<I, std::uint32_t> words) noexcept {
  if constexpr (streaming)
    I::stream(to, words);
  else
    __builtin_memcpy(to, &words, sizeof words);
}

// Streaming: without the fence.
template <typename I, bool streaming>
void copy_vectors(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
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
    for (std::size_t j = 0; j < kUnroll; ++j) put<I, streaming>(to + at + j * I::kBytes, values[j]);
  }
  __builtin_memcpy(to + at, from + at, bytes - at);
}

template <typename I, bool streaming>
void copy(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  if constexpr (streaming) {
    copy_vectors<I, true>(to, from, bytes);
    I::fence();
  } else {
    __builtin_memcpy(to, from, bytes);
  }
}

// In blocks that a first cache holds: one is reduced once, and copied from there to every output. So neither
// the number of outputs nor the kind of store is the reduction's affair, and memory sees one run of addresses
// after the other.
template <typename I, bool streaming>
void reduce(ReduceInto into, const Ranges& ranges) noexcept {
  constexpr std::size_t kBlock = 4096;
  alignas(I::kBytes) std::byte block[streaming ? kBlock : I::kBytes];
  for (std::size_t at = ranges.begin; at < ranges.end; at += kBlock) {
    const std::size_t some = ranges.end - at < kBlock ? ranges.end - at : kBlock;
    std::byte* const reduced = streaming ? block : ranges.outputs[0] + at;
    into(reduced, ranges, at, some);
    for (int k = streaming ? 0 : 1; k < ranges.output_count; ++k)
      copy_vectors<I, streaming>(ranges.outputs[k] + at, reduced, some);
  }
  if constexpr (streaming) I::fence();
}

// The table of an instruction set. Sums and products of integers are the same with a sign and without.
template <typename I>
constexpr CollectiveKernels table(const char* name, std::uint32_t needs) noexcept {
  CollectiveKernels kernels{
      name, needs, {}, {reduce<I, false>, reduce<I, true>}, {copy<I, false>, copy<I, true>}};
  const auto fill = [&kernels]<typename T>(Element element, T) {
    using Wrapping = typename WrappingOf<T>::Type;
    auto& row = kernels.into[static_cast<int>(element)];
    row[static_cast<int>(Redop::sum)] = reduce_into<I, Wrapping, Redop::sum>;
    row[static_cast<int>(Redop::prod)] = reduce_into<I, Wrapping, Redop::prod>;
    row[static_cast<int>(Redop::min)] = reduce_into<I, T, Redop::min>;
    row[static_cast<int>(Redop::max)] = reduce_into<I, T, Redop::max>;
    row[static_cast<int>(Redop::avg)] = reduce_into<I, T, Redop::avg>;
  };
  fill(Element::float32, float{});
  fill(Element::float64, double{});
  fill(Element::bfloat16, BFloat16{});
  fill(Element::int8, std::int8_t{});
  fill(Element::uint8, std::uint8_t{});
  fill(Element::int32, std::int32_t{});
  fill(Element::uint32, std::uint32_t{});
  fill(Element::int64, std::int64_t{});
  fill(Element::uint64, std::uint64_t{});
  return kernels;
}

}  // namespace pibench::kernels::collective
