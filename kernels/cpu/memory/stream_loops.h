// The passes of the memory indicator, written once for all instruction sets.
//
// `V` tells how an instruction set handles a vector of float64:
//   Reals, Words      the vector types, for arithmetic and for sums of bit patterns; kWidth elements each
//   load, store       from and to any address; stream: a non-temporal store to an aligned one
//   set, add, mul     arithmetic
//   load_words, no_words, add_words, total
//   fence             orders non-temporal stores before what follows
// It must be a type of an anonymous namespace: every instance below then has internal linkage, so that the
// linker cannot choose code for one instruction set for the whole program.
#pragma once

#include "memory_kernels.h"

namespace pibench::kernels::memory {

struct Write {
  static constexpr int kInputs = 0;
};
struct Copy {
  static constexpr int kInputs = 1;
};
struct Scale {
  static constexpr int kInputs = 1;
};
struct Add {
  static constexpr int kInputs = 2;
};
struct Triad {
  static constexpr int kInputs = 2;
};

template <typename V>
double apply(Write, double, double) noexcept {
  return kWritten;
}
template <typename V>
double apply(Copy, double a, double) noexcept {
  return a;
}
template <typename V>
double apply(Scale, double a, double) noexcept {
  return kFactor * a;
}
template <typename V>
double apply(Add, double a, double b) noexcept {
  return a + b;
}
template <typename V>
double apply(Triad, double a, double b) noexcept {
  return a + kFactor * b;
}

// The same for vectors.
template <typename V>
typename V::Reals apply_all(Write, typename V::Reals, typename V::Reals,
                            typename V::Reals constant) noexcept {
  return constant;
}
template <typename V>
typename V::Reals apply_all(Copy, typename V::Reals a, typename V::Reals, typename V::Reals) noexcept {
  return a;
}
template <typename V>
typename V::Reals apply_all(Scale, typename V::Reals a, typename V::Reals,
                            typename V::Reals factor) noexcept {
  return V::mul(factor, a);
}
template <typename V>
typename V::Reals apply_all(Add, typename V::Reals a, typename V::Reals b, typename V::Reals) noexcept {
  return V::add(a, b);
}
template <typename V>
typename V::Reals apply_all(Triad, typename V::Reals a, typename V::Reals b,
                            typename V::Reals factor) noexcept {
  return V::add(a, V::mul(factor, b));
}

// In their order.
template <typename V, typename Operation, Stores stores>
void pass(const Arrays& arrays) noexcept {
  constexpr std::size_t kUnroll = V::kUnroll;
  constexpr std::size_t kStep = kUnroll * V::kWidth;
  double* const out = arrays.out;
  const double* const a = arrays.a;
  const double* const b = arrays.b;
  const std::size_t count = arrays.count;
  std::size_t i = 0;
  const auto one_at = [&](std::size_t at) noexcept {
    out[at] = apply<V>(Operation{}, Operation::kInputs > 0 ? a[at] : 0, Operation::kInputs > 1 ? b[at] : 0);
  };
  // Aligned stores: never across two lines, and what non-temporal ones demand.
  for (; i < count && reinterpret_cast<std::uintptr_t>(out + i) % sizeof(typename V::Reals) != 0; ++i)
    one_at(i);

  const typename V::Reals constant = V::set(Operation::kInputs == 0 ? kWritten : kFactor);
  const auto vector_at = [&](std::size_t at) noexcept {
    typename V::Reals x = constant;
    typename V::Reals y = constant;
    if constexpr (Operation::kInputs > 0) x = V::load(a + at);
    if constexpr (Operation::kInputs > 1) y = V::load(b + at);
    return apply_all<V>(Operation{}, x, y, constant);
  };
  const auto put = [&](std::size_t at, typename V::Reals value) noexcept {
    if constexpr (stores == Stores::streaming)
      V::stream(out + at, value);
    else
      V::store(out + at, value);
  };
  for (; i + kStep <= count; i += kStep) {
    typename V::Reals values[kUnroll];
#pragma GCC unroll 16
    for (std::size_t j = 0; j < kUnroll; ++j) values[j] = vector_at(i + j * V::kWidth);
#pragma GCC unroll 16
    for (std::size_t j = 0; j < kUnroll; ++j) put(i + j * V::kWidth, values[j]);
  }
  for (; i + V::kWidth <= count; i += V::kWidth) put(i, vector_at(i));
  for (; i < count; ++i) one_at(i);
  if constexpr (stores == Stores::streaming) V::fence();
}

// A CPU's prefetchers follow an array within a page, and each page of memory is in one place of the DRAM:
// several of them at once keep more of both busy. On a Xeon (family 6, model 207) copies of 256 MiB have 1.1
// to 1.2 of what lines in their order have (bench:memory); within its last cache, and on write, nothing was
// gained.
template <typename V, typename Operation>
void pass_by_pages(const Arrays& arrays) noexcept {
  constexpr std::size_t kPage = 4096 / sizeof(double);
  constexpr std::size_t kLine = 64 / sizeof(double);
  constexpr std::size_t kTurn = 2 * kLine;
  const auto from = [&](std::size_t first, std::size_t count) noexcept {
    return Arrays{arrays.out + first, arrays.a + first, Operation::kInputs > 1 ? arrays.b + first : nullptr,
                  count};
  };
  // Turns are of whole lines of the output.
  const std::size_t past_line = reinterpret_cast<std::uintptr_t>(arrays.out) / sizeof(double) % kLine;
  std::size_t first = (kLine - past_line) % kLine;
  if (first > arrays.count) first = arrays.count;
  pass<V, Operation, Stores::streaming>(from(0, first));

  const typename V::Reals factor = V::set(kFactor);
  for (; first + kPagesInTurns * kPage <= arrays.count; first += kPagesInTurns * kPage) {
    for (std::size_t turn = first; turn < first + kPage; turn += kTurn) {
#pragma GCC unroll 4
      for (std::size_t page = 0; page < kPagesInTurns; ++page) {
        const std::size_t at = turn + page * kPage;
        typename V::Reals values[kTurn / V::kWidth];
#pragma GCC unroll 16
        for (std::size_t j = 0; j < kTurn / V::kWidth; ++j) {
          const std::size_t one = at + j * V::kWidth;
          const typename V::Reals a = V::load(arrays.a + one);
          values[j] =
              apply_all<V>(Operation{}, a, Operation::kInputs > 1 ? V::load(arrays.b + one) : a, factor);
        }
#pragma GCC unroll 16
        for (std::size_t j = 0; j < kTurn / V::kWidth; ++j)
          V::stream(arrays.out + at + j * V::kWidth, values[j]);
      }
    }
  }
  pass<V, Operation, Stores::streaming>(from(first, arrays.count - first));
}

template <typename V>
std::uint64_t read_pass(const double* a, std::size_t count) noexcept {
  constexpr std::size_t kSums = 8;
  constexpr std::size_t kStep = kSums * V::kWidth;
  std::size_t i = 0;
  typename V::Words sums[kSums];
#pragma GCC unroll 16
  for (auto& sum : sums) sum = V::no_words();
  for (; i + kStep <= count; i += kStep) {
#pragma GCC unroll 16
    for (std::size_t j = 0; j < kSums; ++j)
      sums[j] = V::add_words(sums[j], V::load_words(a + i + j * V::kWidth));
  }
  for (; i + V::kWidth <= count; i += V::kWidth) sums[0] = V::add_words(sums[0], V::load_words(a + i));
  std::uint64_t total = 0;
  for (const auto& sum : sums) total += V::total(sum);
  for (; i < count; ++i) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, a + i, sizeof word);
    total += word;
  }
  return total;
}

#if defined(__x86_64__)

// The first 128 bytes of a short array are copied by vectors: of 32 KiB within the first caches that is 1.014
// of the instruction alone on Zen 5, where glibc's memcpy, which so copies 64, has 1.005; of 48 KiB 1.004.
// From 64 KiB on the instruction alone is as fast or faster by 2 in 1000.
constexpr std::size_t kBeforeString = 128 / sizeof(double);
constexpr std::size_t kShort = (std::size_t{64} << 10U) / sizeof(double);

template <typename V>
void copy_by_string(const Arrays& arrays) noexcept {
  std::size_t first = 0;
  // Without a call, which would need a frame: what surrounds the instruction does not run beside it.
  if (arrays.count >= kBeforeString && arrays.count < kShort) {
    for (; first < kBeforeString; first += V::kWidth) V::store(arrays.out + first, V::load(arrays.a + first));
  }
  void* to = arrays.out + first;
  const void* from = arrays.a + first;
  std::size_t bytes = (arrays.count - first) * sizeof(double);
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

template <typename V>
void write_by_string(const Arrays& arrays) noexcept {
  void* to = arrays.out;
  std::size_t words = arrays.count;
  const auto value = __builtin_bit_cast(std::uint64_t, kWritten);
  asm volatile("rep stosq" : "+D"(to), "+c"(words) : "a"(value) : "memory");
}

#endif

// The table of an instruction set.
template <typename V>
constexpr MemoryKernels table(const char* name, std::uint32_t needs) noexcept {
#if defined(__x86_64__)
  constexpr WritePass kWriteByString = write_by_string<V>;
  constexpr WritePass kCopyByString = copy_by_string<V>;
#else
  constexpr WritePass kWriteByString = nullptr;
  constexpr WritePass kCopyByString = nullptr;
#endif
  return {
      name,
      needs,
      read_pass<V>,
      {pass<V, Write, Stores::cached>, pass<V, Write, Stores::streaming>, kWriteByString, nullptr},
      {pass<V, Copy, Stores::cached>, pass<V, Copy, Stores::streaming>, kCopyByString,
       pass_by_pages<V, Copy>},
      {pass<V, Scale, Stores::cached>, pass<V, Scale, Stores::streaming>, nullptr, pass_by_pages<V, Scale>},
      {pass<V, Add, Stores::cached>, pass<V, Add, Stores::streaming>, nullptr, pass_by_pages<V, Add>},
      {pass<V, Triad, Stores::cached>, pass<V, Triad, Stores::streaming>, nullptr, pass_by_pages<V, Triad>}};
}

}  // namespace pibench::kernels::memory
