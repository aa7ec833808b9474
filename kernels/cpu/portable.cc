// Micro-kernels for every CPU, in the vector extensions of GCC and Clang: 128-bit vectors, which the
// baselines of x86-64 (SSE2) and arm64 (NEON) both have.
#include "instruction_set.h"

namespace pibench::kernels {
namespace {

constexpr int kVectorBytes = 16;
// 6 rows of 2 vectors: 12 accumulators, 2 vectors of B, one element of A and one product fill SSE2's 16
// registers.
constexpr int kRows = 6;
constexpr int kVectors = 2;

template <typename T>
struct VectorOf {
  using Aligned __attribute__((vector_size(kVectorBytes))) = T;
  // C is aligned like its elements only.
  using Type __attribute__((vector_size(kVectorBytes), aligned(alignof(T)), may_alias)) = T;
  static constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));
};

template <typename T, int rows>
void compute_tile(std::int64_t depth, const void* packed_a, const void* packed_b, void* result,
                  std::int64_t ldc, bool accumulate) noexcept {
  using Vector = typename VectorOf<T>::Aligned;
  using Memory = typename VectorOf<T>::Type;
  constexpr int kLanes = VectorOf<T>::kLanes;
  const auto* a = static_cast<const T*>(packed_a);
  const auto* b = static_cast<const Memory*>(packed_b);
  auto* c = static_cast<T*>(result);

  Vector sums[rows][kVectors] = {};
  for (std::int64_t p = 0; p < depth; ++p) {
    const Vector b0 = b[0];
    const Vector b1 = b[1];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      sums[i][0] += b0 * a[i];
      sums[i][1] += b1 * a[i];
    }
    a += rows;
    b += kVectors;
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) {
      auto* at = reinterpret_cast<Memory*>(c + i * ldc + j * kLanes);
      *at = accumulate ? *at + sums[i][j] : sums[i][j];
    }
  }
}

template <typename T>
constexpr ComputeTile kByRows[kRows] = {compute_tile<T, 1>, compute_tile<T, 2>, compute_tile<T, 3>,
                                        compute_tile<T, 4>, compute_tile<T, 5>, compute_tile<T, 6>};

template <typename T>
constexpr MicroKernel micro_kernel(DataType type, const Packing* packing) {
  return {type, packing, sizeof(T), kRows, kVectors * VectorOf<T>::kLanes, kByRows<T>};
}

constexpr MicroKernel kKernels[] = {
    micro_kernel<float>(DataType::float32, &kPackFloat32),
    micro_kernel<double>(DataType::float64, &kPackFloat64),
    micro_kernel<float>(DataType::bfloat16, &kPackBfloat16AsFloat32),
    micro_kernel<std::uint32_t>(DataType::int8, &kPackInt8AsInt32),
};

// Tells the compiler that a register changed, so that it neither folds the loop nor moves the register to
// memory.
template <typename Vector>
inline void keep(Vector& value) {
#if defined(__x86_64__)
  asm volatile("" : "+x"(value));
#elif defined(__aarch64__)
  asm volatile("" : "+w"(value));
#else
  asm volatile("" : "+m"(value));
#endif
}

// x = x * 1/2 + 1/2 stays at 1: no overflow, no denormal number.
template <typename T>
std::uint64_t peak(std::uint64_t iterations) noexcept {
  using Vector = typename VectorOf<T>::Aligned;
  constexpr int kChains = 12;
  Vector half = Vector{} + T(0.5);
  keep(half);
  Vector chains[kChains];
#pragma GCC unroll 16
  for (auto& chain : chains) chain = Vector{} + T(1);
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& chain : chains) {
      chain = chain * half + half;
      keep(chain);
    }
  }
  return iterations * kChains * VectorOf<T>::kLanes * 2;
}

constexpr PeakLoop kPeaks[] = {
    {DataType::float32, peak<float>}, {DataType::float64, peak<double>}, {DataType::bfloat16, peak<float>}};

}  // namespace

constinit const InstructionSet kPortable = {"portable", 0,
                                            kKernels,   sizeof(kKernels) / sizeof(kKernels[0]),
                                            kPeaks,     sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
