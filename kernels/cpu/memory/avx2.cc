// Memory passes with AVX2.
#include <immintrin.h>

#include "stream_loops.h"

namespace pibench::kernels::memory {
namespace {

struct Avx2 {
  using Reals = __m256d;
  using Words = __m256i;
  static constexpr std::size_t kWidth = 4;
  static constexpr std::size_t kUnroll = 2;

  static Reals load(const double* from) noexcept { return _mm256_loadu_pd(from); }
  static void store(double* to, Reals x) noexcept { _mm256_storeu_pd(to, x); }
  static void stream(double* to, Reals x) noexcept { _mm256_stream_pd(to, x); }
  static Reals set(double x) noexcept { return _mm256_set1_pd(x); }
  static Reals add(Reals x, Reals y) noexcept { return _mm256_add_pd(x, y); }
  static Reals mul(Reals x, Reals y) noexcept { return _mm256_mul_pd(x, y); }
  static Words load_words(const double* from) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Words no_words() noexcept { return _mm256_setzero_si256(); }
  static Words add_words(Words x, Words y) noexcept { return _mm256_add_epi64(x, y); }
  static std::uint64_t total(Words x) noexcept {
    std::uint64_t words[kWidth];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(words), x);
    return words[0] + words[1] + words[2] + words[3];
  }
  static void fence() noexcept { _mm_sfence(); }
};

}  // namespace

constinit const MemoryKernels kAvx2 = table<Avx2>("avx2", kCpuAvx2);

}  // namespace pibench::kernels::memory
