// Memory passes with AVX-512: vectors of a whole cache line.
#include <immintrin.h>

#include "stream_loops.h"

namespace pibench::kernels::memory {
namespace {

struct Avx512 {
  using Reals = __m512d;
  using Words = __m512i;
  static constexpr std::size_t kWidth = 8;
  static constexpr std::size_t kUnroll = 2;

  static Reals load(const double* from) noexcept { return _mm512_loadu_pd(from); }
  static void store(double* to, Reals x) noexcept { _mm512_storeu_pd(to, x); }
  static void stream(double* to, Reals x) noexcept { _mm512_stream_pd(to, x); }
  static Reals set(double x) noexcept { return _mm512_set1_pd(x); }
  static Reals add(Reals x, Reals y) noexcept { return _mm512_add_pd(x, y); }
  static Reals mul(Reals x, Reals y) noexcept { return _mm512_mul_pd(x, y); }
  static Words load_words(const double* from) noexcept { return _mm512_loadu_si512(from); }
  static Words no_words() noexcept { return _mm512_setzero_si512(); }
  static Words add_words(Words x, Words y) noexcept { return _mm512_add_epi64(x, y); }
  static std::uint64_t total(Words x) noexcept {
    std::uint64_t words[kWidth];
    _mm512_storeu_si512(words, x);
    std::uint64_t sum = 0;
    for (const std::uint64_t word : words) sum += word;
    return sum;
  }
  static void fence() noexcept { _mm_sfence(); }
};

}  // namespace

constinit const MemoryKernels kAvx512 = table<Avx512>("avx512", kCpuAvx512F);

}  // namespace pibench::kernels::memory
