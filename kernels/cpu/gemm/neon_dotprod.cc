// Micro-kernel for the dot products of Armv8.2 (FEAT_DotProd): SDOT multiplies quadruples of int8 and adds
// the four products to an int32, exactly.
#include "neon_packing.h"
#include "neon_peak.h"
#include "neon_thin.h"
#include "neon_tile.h"
#include "thin_kernels.h"

namespace pibench::kernels {
namespace {

struct Int8Quads {
  using Unit = std::uint32_t;  // four int8
  using Result = std::int32_t;
  using Vector = int32x4_t;
  using Columns = int8x16_t;
  using Group = int8x16_t;
  static constexpr int kLanes = 4;
  static constexpr int kGroup = 4;
  static constexpr int kUnit = 4;
  static constexpr bool kAlwaysPacked = true;
  static Vector zero() noexcept { return vdupq_n_s32(0); }
  static Columns load_columns(const Unit* from) noexcept { return vreinterpretq_s8_u32(vld1q_u32(from)); }
  static Group load_group(const Unit* from) noexcept { return load_columns(from); }
  template <int lane>
  static Vector multiply_add(Group a, Columns b, Vector sum) noexcept {
    return vdotq_laneq_s32(sum, b, a, lane);
  }
  static Vector read(const std::int32_t* from) noexcept { return vld1q_s32(from); }
  static void write(std::int32_t* to, Vector value) noexcept { vst1q_s32(to, value); }
  static Vector add(Vector a, Vector b) noexcept { return vaddq_s32(a, b); }
};

constexpr MicroKernel kKernels[] = {{.type = DataType::int8,
                                     .packing = &kPackInt8Quads,
                                     .result_size = sizeof(std::int32_t),
                                     .mr = kTileRows,
                                     .nr = kTileVectors * Int8Quads::kLanes,
                                     .by_rows = kTileByRows<Int8Quads, false>,
                                     .thin = &kThinInt8}};

std::uint64_t peak_int8(std::uint64_t iterations) noexcept {
  int8x16_t ones = vdupq_n_s8(1);
  keep(ones);
  const auto step = [ones](int32x4_t chain) noexcept { return vdotq_s32(chain, ones, ones); };
  return run_chains<std::int32_t, int32x4_t>(iterations, step, 4) * Int8Quads::kLanes * 8;
}

constexpr PeakLoop kPeaks[] = {{DataType::int8, peak_int8}};

}  // namespace

constinit const ThinKernel kThinInt8 = kThin<Dots<ThinQuads>>;

constinit const InstructionSet kNeonDotprod = {"neon_dotprod", kCpuDotprod,
                                               kKernels,       sizeof(kKernels) / sizeof(kKernels[0]),
                                               kPeaks,         sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
