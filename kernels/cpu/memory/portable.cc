// Memory passes for any CPU: vectors of 16 bytes, which SSE2 and NEON have registers for. Non-temporal
// stores where the architecture is known to have them; elsewhere `streaming` stores plainly.
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "stream_loops.h"

namespace pibench::kernels::memory {
namespace {

struct Portable {
  using Reals [[gnu::vector_size(16)]] = double;
  using Words [[gnu::vector_size(16)]] = std::uint64_t;
  static constexpr std::size_t kWidth = 2;
  static constexpr std::size_t kUnroll = 4;

  static Reals load(const double* from) noexcept {
    Reals x{};
    __builtin_memcpy(&x, from, sizeof x);
    return x;
  }
  static void store(double* to, Reals x) noexcept { __builtin_memcpy(to, &x, sizeof x); }
  static void stream(double* to, Reals x) noexcept {
#if defined(__SSE2__)
    _mm_stream_pd(to, x);
#elif defined(__aarch64__)
    asm volatile("stnp %d1, %d2, [%0]" : : "r"(to), "w"(x[0]), "w"(x[1]) : "memory");
#else
    store(to, x);
#endif
  }
  static Reals set(double x) noexcept { return Reals{x, x}; }
  static Reals add(Reals x, Reals y) noexcept { return x + y; }
  static Reals mul(Reals x, Reals y) noexcept { return x * y; }
  static Words load_words(const double* from) noexcept {
    Words x{};
    __builtin_memcpy(&x, from, sizeof x);
    return x;
  }
  static Words no_words() noexcept { return Words{0, 0}; }
  static Words add_words(Words x, Words y) noexcept { return x + y; }
  static std::uint64_t total(Words x) noexcept { return x[0] + x[1]; }
  static void fence() noexcept {
#if defined(__SSE2__)
    _mm_sfence();
#elif defined(__aarch64__)
    asm volatile("dmb ishst" : : : "memory");
#endif
  }
};

}  // namespace

constinit const MemoryKernels kPortable = table<Portable>("portable", 0);

}  // namespace pibench::kernels::memory
