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
  static Accumulated divided(Accumulated a, int ranks) noexcept { return a / static_cast<T>(ranks); }
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

// Of `pair` it is known at compile time that there are two: then their addresses stay in registers.
template <typename I, typename T, Redop op, bool pair>
Vector<I, std::uint32_t> reduced_at(const std::byte* const* inputs, int count, std::size_t at,
                                    int ranks) noexcept {
  using L = Lanes<I, T>;
  typename L::Accumulated sum = L::load(inputs[0] + at);
  if constexpr (pair) {
    sum = L::template combine<op>(sum, L::load(inputs[1] + at));
  } else {
    for (int k = 1; k < count; ++k) sum = L::template combine<op>(sum, L::load(inputs[k] + at));
  }
  if constexpr (op == Redop::avg) sum = L::divided(sum, ranks);
  return L::packed(sum);
}

// The last elements, fewer than a vector holds: in copies, padded with zeros.
template <typename I, typename T, Redop op>
void reduce_rest(const Ranges& r, std::size_t at) noexcept {
  using L = Lanes<I, T>;
  const std::size_t bytes = r.end - at;
  const auto padded = [&](int k) noexcept {
    alignas(I::kBytes) std::byte copy[I::kBytes] = {};
    __builtin_memcpy(copy, r.inputs[k] + at, bytes);
    return L::load(copy);
  };
  typename L::Accumulated sum = padded(0);
  for (int k = 1; k < r.input_count; ++k) sum = L::template combine<op>(sum, padded(k));
  if constexpr (op == Redop::avg) sum = L::divided(sum, r.ranks);
  const Vector<I, std::uint32_t> result = L::packed(sum);
  for (int k = 0; k < r.output_count; ++k) __builtin_memcpy(r.outputs[k] + at, &result, bytes);
}

template <typename I>
bool aligned(const Ranges& r, std::size_t at) noexcept {
  for (int k = 0; k < r.output_count; ++k) {
    if (reinterpret_cast<std::uintptr_t>(r.outputs[k] + at) % I::kBytes != 0) return false;
  }
  return true;
}

// Whole vectors from `r.begin` on; returns where they end.
template <typename I, typename T, Redop op, bool streaming, bool pair>
std::size_t reduce_vectors(const Ranges& r) noexcept {
  constexpr std::size_t kUnroll = 4;
  constexpr std::size_t kStep = kUnroll * I::kBytes;
  using Words = Vector<I, std::uint32_t>;
  const std::byte* two_inputs[2] = {r.inputs[0], r.inputs[pair ? 1 : 0]};
  std::byte* two_outputs[2] = {r.outputs[0], r.outputs[pair ? 1 : 0]};
  const std::byte* const* const inputs = pair ? two_inputs : r.inputs;
  std::byte* const* const outputs = pair ? two_outputs : r.outputs;
  const int output_count = pair ? 2 : r.output_count;
  const auto put = [=](std::size_t to, Words value) noexcept {
    for (int k = 0; k < output_count; ++k) {
      if constexpr (streaming)
        I::stream(outputs[k] + to, value);
      else
        __builtin_memcpy(outputs[k] + to, &value, sizeof value);
    }
  };
  std::size_t at = r.begin;
  // Whole steps are read before any of them is written: an output may be an input.
  for (; at + kStep <= r.end; at += kStep) {
    Words values[kUnroll];
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kUnroll; ++j)
      values[j] = reduced_at<I, T, op, pair>(inputs, r.input_count, at + j * I::kBytes, r.ranks);
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kUnroll; ++j) put(at + j * I::kBytes, values[j]);
  }
  for (; at + I::kBytes <= r.end; at += I::kBytes)
    put(at, reduced_at<I, T, op, pair>(inputs, r.input_count, at, r.ranks));
  return at;
}

template <typename I, typename T, Redop op, bool streaming>
void reduce(const Ranges& r) noexcept {
  if constexpr (streaming) {
    if (!aligned<I>(r, r.begin)) return reduce<I, T, op, false>(r);
  }
  const bool pair = r.input_count == 2 && r.output_count == 2;
  const std::size_t at =
      pair ? reduce_vectors<I, T, op, streaming, true>(r) : reduce_vectors<I, T, op, streaming, false>(r);
  if (at < r.end) reduce_rest<I, T, op>(r, at);
  if constexpr (streaming) I::fence();
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

// The table of an instruction set.
template <typename I>
constexpr CollectiveKernels table(const char* name, std::uint32_t needs) noexcept {
  CollectiveKernels kernels{name, needs, {}, {copy<I, false>, copy<I, true>}};
  const auto fill = [&kernels]<typename T>(Element element, T) {
    auto& row = kernels.reduce[static_cast<int>(element)];
    const auto both = [&row]<Redop op>() {
      row[static_cast<int>(op)][0] = reduce<I, T, op, false>;
      row[static_cast<int>(op)][1] = reduce<I, T, op, true>;
    };
    both.template operator()<Redop::sum>();
    both.template operator()<Redop::prod>();
    both.template operator()<Redop::min>();
    both.template operator()<Redop::max>();
    both.template operator()<Redop::avg>();
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
