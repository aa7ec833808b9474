// Collectives' loops with AVX-512: vectors of a whole cache line.
#include <immintrin.h>

#include "reduction_loops.h"

namespace pibench::kernels::collective {
namespace {

struct Avx512 {
  static constexpr std::size_t kBytes = 64;
  template <typename Words>
  static void stream(std::byte* to, Words value) noexcept {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)value);
  }
  static void fence() noexcept { _mm_sfence(); }
};

}  // namespace

constinit const CollectiveKernels kAvx512 =
    table<Avx512>("avx512", kCpuAvx512F | kCpuAvx512Bw | kCpuAvx512Vl | kCpuAvx512Dq);

}  // namespace pibench::kernels::collective
