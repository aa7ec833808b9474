// Collectives' loops for any CPU: vectors of 16 bytes, which SSE2 and NEON have registers for. Non-temporal
// stores where the architecture is known to have them; elsewhere streaming stores plainly.
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "reduction_loops.h"

namespace pibench::kernels::collective {
namespace {

struct Portable {
  static constexpr std::size_t kBytes = 16;
  template <typename Words>
  static void stream(std::byte* to, Words value) noexcept {
#if defined(__SSE2__)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to), (__m128i)value);
#elif defined(__aarch64__)
    const auto halves = (Vector<Portable, double>)value;
    asm volatile("stnp %d1, %d2, [%0]" : : "r"(to), "w"(halves[0]), "w"(halves[1]) : "memory");
#else
    __builtin_memcpy(to, &value, sizeof value);
#endif
  }
  static void fence() noexcept {
#if defined(__SSE2__)
    _mm_sfence();
#elif defined(__aarch64__)
    asm volatile("dmb ishst" : : : "memory");
#endif
  }
};

}  // namespace

constinit const CollectiveKernels kPortable = table<Portable>("portable", 0);

}  // namespace pibench::kernels::collective
