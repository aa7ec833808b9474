// Collectives' loops with AVX2.
#include <immintrin.h>

#include "reduction_loops.h"

namespace pibench::kernels::collective {
namespace {

struct Avx2 {
  static constexpr std::size_t kBytes = 32;
  template <typename Words>
  static void stream(std::byte* to, Words value) noexcept {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), (__m256i)value);
  }
  static void fence() noexcept { _mm_sfence(); }
};

}  // namespace

constinit const CollectiveKernels kAvx2 = table<Avx2>("avx2", kCpuAvx2);

}  // namespace pibench::kernels::collective
