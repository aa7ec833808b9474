// Micro-kernel for the int8 matrix multiplication of Armv8.6 (FEAT_I8MM): SMMLA multiplies 2 x 8 by 8 x 2
// int8 and adds the products to 2 x 2 int32, exactly.
#include "neon_matrix_tile.h"
#include "neon_packing.h"
#include "neon_peak.h"

namespace pibench::kernels {
namespace {

struct Int8Octets {
  using Result = std::int32_t;
  using Vector = int32x4_t;
  static constexpr int kUnit = 8;
  static Vector zero() noexcept { return vdupq_n_s32(0); }
  static Vector multiply_add(uint8x16_t a, uint8x16_t b, Vector sum) noexcept {
    return vmmlaq_s32(sum, vreinterpretq_s8_u8(a), vreinterpretq_s8_u8(b));
  }
  static Vector read(const std::int32_t* from) noexcept { return vld1q_s32(from); }
  static void write(std::int32_t* to, Vector value) noexcept { vst1q_s32(to, value); }
  static Vector add(Vector a, Vector b) noexcept { return vaddq_s32(a, b); }
  static Vector upper(Vector left, Vector right) noexcept {
    return vreinterpretq_s32_s64(vzip1q_s64(vreinterpretq_s64_s32(left), vreinterpretq_s64_s32(right)));
  }
  static Vector lower(Vector left, Vector right) noexcept {
    return vreinterpretq_s32_s64(vzip2q_s64(vreinterpretq_s64_s32(left), vreinterpretq_s64_s32(right)));
  }
};

constexpr MicroKernel kKernels[] = {{.type = DataType::int8,
                                     .packing = &kPackInt8Octets,
                                     .result_size = sizeof(std::int32_t),
                                     .mr = kMatrixRows,
                                     .nr = kMatrixColumns,
                                     .by_rows = kMatrixByRows<Int8Octets>,
                                     .thin = &kThinInt8}};

// 32 products an instruction.
std::uint64_t peak_int8(std::uint64_t iterations) noexcept {
  int8x16_t ones = vdupq_n_s8(1);
  keep(ones);
  const auto step = [ones](int32x4_t chain) noexcept { return vmmlaq_s32(chain, ones, ones); };
  return run_chains<std::int32_t, int32x4_t>(iterations, step, 8) * 64;
}

constexpr PeakLoop kPeaks[] = {{DataType::int8, peak_int8}};

}  // namespace

constinit const InstructionSet kNeonI8mm = {"neon_i8mm", kCpuI8mm | kCpuDotprod,
                                            kKernels,    sizeof(kKernels) / sizeof(kKernels[0]),
                                            kPeaks,      sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
