// Micro-kernels for NEON, which every arm64 CPU has: 32 registers of 128 bits, and multiply-adds by an
// element of a register, so that packed A needs no broadcast.
#include "neon_peak.h"
#include "neon_tile.h"
#include "portable_thin.h"
#include "thin_kernels.h"

namespace pibench::kernels {
namespace {

struct Float32 {
  using Unit = float;
  using Result = float;
  using Vector = float32x4_t;
  using Columns = float32x4_t;
  using Group = float32x4_t;
  static constexpr int kLanes = 4;
  static constexpr int kGroup = 4;
  static constexpr int kUnit = 1;
  static constexpr bool kAlwaysPacked = false;
  static Vector zero() noexcept { return vdupq_n_f32(0); }
  static Columns load_columns(const float* from) noexcept { return vld1q_f32(from); }
  static Group load_group(const float* from) noexcept { return vld1q_f32(from); }
  template <int lane>
  static Vector multiply_add(Group a, Columns b, Vector sum) noexcept {
    return vfmaq_laneq_f32(sum, b, a, lane);
  }
  static Vector multiply_add(float a, Columns b, Vector sum) noexcept { return vfmaq_n_f32(sum, b, a); }
  static Vector read(const float* from) noexcept { return vld1q_f32(from); }
  static void write(float* to, Vector value) noexcept { vst1q_f32(to, value); }
  static Vector add(Vector a, Vector b) noexcept { return vaddq_f32(a, b); }
};

struct Float64 {
  using Unit = double;
  using Result = double;
  using Vector = float64x2_t;
  using Columns = float64x2_t;
  using Group = float64x2_t;
  static constexpr int kLanes = 2;
  static constexpr int kGroup = 2;
  static constexpr int kUnit = 1;
  static constexpr bool kAlwaysPacked = false;
  static Vector zero() noexcept { return vdupq_n_f64(0); }
  static Columns load_columns(const double* from) noexcept { return vld1q_f64(from); }
  static Group load_group(const double* from) noexcept { return vld1q_f64(from); }
  template <int lane>
  static Vector multiply_add(Group a, Columns b, Vector sum) noexcept {
    return vfmaq_laneq_f64(sum, b, a, lane);
  }
  static Vector multiply_add(double a, Columns b, Vector sum) noexcept { return vfmaq_n_f64(sum, b, a); }
  static Vector read(const double* from) noexcept { return vld1q_f64(from); }
  static void write(double* to, Vector value) noexcept { vst1q_f64(to, value); }
  static Vector add(Vector a, Vector b) noexcept { return vaddq_f64(a, b); }
};

// int8 widened to int16: SMLAL multiplies by an element and adds the products, as int32, to the sums. Exact
// for every pair, where two products of int8 summed in int16 would not be: 2 * -128 * -128 is 32768.
struct Int16 {
  using Unit = std::int16_t;
  using Result = std::int32_t;
  using Vector = int32x4_t;
  using Columns = int16x4_t;
  using Group = int16x4_t;
  static constexpr int kLanes = 4;
  static constexpr int kGroup = 4;
  static constexpr int kUnit = 1;
  static constexpr bool kAlwaysPacked = true;
  static Vector zero() noexcept { return vdupq_n_s32(0); }
  static Columns load_columns(const std::int16_t* from) noexcept { return vld1_s16(from); }
  static Group load_group(const std::int16_t* from) noexcept { return vld1_s16(from); }
  template <int lane>
  static Vector multiply_add(Group a, Columns b, Vector sum) noexcept {
    return vmlal_lane_s16(sum, b, a, lane);
  }
  static Vector read(const std::int32_t* from) noexcept { return vld1q_s32(from); }
  static void write(std::int32_t* to, Vector value) noexcept { vst1q_s32(to, value); }
  static Vector add(Vector a, Vector b) noexcept { return vaddq_s32(a, b); }
};

// `thin` as compact as can be: memory is what these wait for.
template <typename A, bool in_place>
constexpr MicroKernel kernel_of(DataType type, const Packing* packing, const ThinKernel* thin) {
  MicroKernel kernel{.type = type,
                     .packing = packing,
                     .result_size = sizeof(typename A::Result),
                     .mr = kTileRows,
                     .nr = kTileVectors * A::kLanes,
                     .by_rows = kTileByRows<A, false>,
                     .thin = thin};
  if constexpr (in_place) kernel.in_place = kTileByRows<A, true>;
  return kernel;
}

constexpr MicroKernel kKernels[] = {
    kernel_of<Float32, true>(DataType::float32, &kPackFloat32, &kThin<CompactSingles<PortableFloats<float>>>),
    kernel_of<Float64, true>(DataType::float64, &kPackFloat64,
                             &kThin<CompactSingles<PortableFloats<double>>>),
    kernel_of<Float32, false>(DataType::bfloat16, &kPackBfloat16AsFloat32, &kThinBfloat16),
    kernel_of<Int16, false>(DataType::int8, &kPackInt8AsInt16, &kThin<Dots<PortablePairs>>)};

// Each multiply-add adds 1, as 1/2 * 2.
std::uint64_t peak_float32(std::uint64_t iterations) noexcept {
  float32x4_t half = vdupq_n_f32(0.5F);
  float32x4_t two = vdupq_n_f32(2);
  keep(half);
  keep(two);
  const auto step = [half, two](float32x4_t chain) noexcept { return vfmaq_f32(chain, half, two); };
  return run_chains<float, float32x4_t>(iterations, step, 1) * Float32::kLanes * 2;
}

std::uint64_t peak_float64(std::uint64_t iterations) noexcept {
  float64x2_t half = vdupq_n_f64(0.5);
  float64x2_t two = vdupq_n_f64(2);
  keep(half);
  keep(two);
  const auto step = [half, two](float64x2_t chain) noexcept { return vfmaq_f64(chain, half, two); };
  return run_chains<double, float64x2_t>(iterations, step, 1) * Float64::kLanes * 2;
}

std::uint64_t peak_int8(std::uint64_t iterations) noexcept {
  int16x4_t ones = vdup_n_s16(1);
  keep(ones);
  const auto step = [ones](int32x4_t chain) noexcept { return vmlal_s16(chain, ones, ones); };
  return run_chains<std::int32_t, int32x4_t>(iterations, step, 1) * Int16::kLanes * 2;
}

constexpr PeakLoop kPeaks[] = {{DataType::float32, peak_float32},
                               {DataType::float64, peak_float64},
                               {DataType::bfloat16, peak_float32},
                               {DataType::int8, peak_int8}};

}  // namespace

constinit const ThinKernel kThinBfloat16 = kThin<CompactSingles<PortableBfloat16>>;

constinit const InstructionSet kNeon = {
    "neon", 0, kKernels, sizeof(kKernels) / sizeof(kKernels[0]), kPeaks, sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
