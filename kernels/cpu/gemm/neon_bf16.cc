// Micro-kernel for the bfloat16 instructions of Armv8.6 (FEAT_BF16): BFMMLA multiplies 2 x 4 by 4 x 2
// bfloat16 and adds the products to 2 x 2 float32.
//
// It adds products two at a time, and rounds each of these sums, and each addition of one to the accumulator,
// to odd, which is off by less than 2^-23 of the result; it takes denormal numbers for zeros. Over a depth of
// k these are k / 2 + 1 roundings on the way of a product, so the error is at most (k + 2) 2^-24 sum |a b|,
// as with k + 2 roundings to nearest. Cores that have FEAT_EBF16, and an operating system that turns it on,
// round each pair with its accumulator once, to nearest. So results may differ in their last bits between
// machines and stay within the same bound.
#include "neon_matrix_tile.h"
#include "neon_packing.h"
#include "neon_peak.h"

namespace pibench::kernels {
namespace {

struct Bfloat16Quads {
  using Result = float;
  using Vector = float32x4_t;
  static constexpr int kUnit = 4;
  static Vector zero() noexcept { return vdupq_n_f32(0); }
  static Vector multiply_add(uint8x16_t a, uint8x16_t b, Vector sum) noexcept {
    return vbfmmlaq_f32(sum, vreinterpretq_bf16_u8(a), vreinterpretq_bf16_u8(b));
  }
  static Vector read(const float* from) noexcept { return vld1q_f32(from); }
  static void write(float* to, Vector value) noexcept { vst1q_f32(to, value); }
  static Vector add(Vector a, Vector b) noexcept { return vaddq_f32(a, b); }
  static Vector upper(Vector left, Vector right) noexcept {
    return vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(left), vreinterpretq_f64_f32(right)));
  }
  static Vector lower(Vector left, Vector right) noexcept {
    return vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(left), vreinterpretq_f64_f32(right)));
  }
};

constexpr MicroKernel kKernels[] = {{.type = DataType::bfloat16,
                                     .packing = &kPackBfloat16Quads,
                                     .result_size = sizeof(float),
                                     .mr = kMatrixRows,
                                     .nr = kMatrixColumns,
                                     .by_rows = kMatrixByRows<Bfloat16Quads>,
                                     .thin = &kThinBfloat16}};

// 16 products an instruction, four for each sum: each 1/2 * 2.
std::uint64_t peak_bfloat16(std::uint64_t iterations) noexcept {
  uint32x4_t halves = vdupq_n_u32(0x3f003f00);
  uint32x4_t twos = vdupq_n_u32(0x40004000);
  keep(halves);
  keep(twos);
  const bfloat16x8_t a = vreinterpretq_bf16_u32(halves);
  const bfloat16x8_t b = vreinterpretq_bf16_u32(twos);
  const auto step = [a, b](float32x4_t chain) noexcept { return vbfmmlaq_f32(chain, a, b); };
  return run_chains<float, float32x4_t>(iterations, step, 4) * 32;
}

constexpr PeakLoop kPeaks[] = {{DataType::bfloat16, peak_bfloat16}};

}  // namespace

constinit const InstructionSet kNeonBf16 = {"neon_bf16", kCpuArmBf16,
                                            kKernels,    sizeof(kKernels) / sizeof(kKernels[0]),
                                            kPeaks,      sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
