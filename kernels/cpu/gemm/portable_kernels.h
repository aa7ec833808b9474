// Micro-kernels for every CPU, in the vectors of portable_vectors.h. Everything is in an unnamed namespace.
#pragma once

#include "instruction_set.h"
#include "peak_sums.h"
#include "portable_thin.h"
#include "portable_vectors.h"
#include "thin_kernels.h"
#include "tiles_beside.h"

namespace pibench::kernels {
namespace {

// 6 rows of 2 vectors: 12 accumulators, 2 vectors of B, one element of A and one product fill 16 registers.
constexpr int kRows = 6;
constexpr int kVectors = 2;

template <typename T, int rows, bool in_place>
[[gnu::always_inline]] inline void compute_one(const Tile& tile) noexcept {
  using Vector = typename VectorOf<T>::Aligned;
  using Memory = typename VectorOf<T>::Type;
  constexpr int kLanes = VectorOf<T>::kLanes;
  const auto* a = static_cast<const T*>(tile.a);
  const auto* b = static_cast<const T*>(tile.b);
  auto* c = static_cast<T*>(tile.c);
  const std::int64_t a_row = in_place ? tile.a_row : 1;

  Vector sums[rows][kVectors] = {};
  for (std::int64_t p = 0; p < tile.depth; ++p) {
    const auto* vectors = reinterpret_cast<const Memory*>(b);
    const Vector b0 = vectors[0];
    const Vector b1 = vectors[1];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      sums[i][0] += b0 * a[i * a_row];
      sums[i][1] += b1 * a[i * a_row];
    }
    a += tile.a_step;
    b += tile.b_step;
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) {
      auto* at = reinterpret_cast<Memory*>(c + i * tile.ldc + j * kLanes);
      *at = tile.accumulate ? *at + sums[i][j] : sums[i][j];
    }
  }
}

template <typename T, int rows, bool in_place>
void compute_tile(const Tile& tile) noexcept {
  compute_each<kVectors * VectorOf<T>::kLanes, T>(
      tile, [](const Tile& one) __attribute__((always_inline)) { compute_one<T, rows, in_place>(one); });
}

template <typename T, bool in_place>
constexpr ComputeTile kByRows[kRows] = {compute_tile<T, 1, in_place>, compute_tile<T, 2, in_place>,
                                        compute_tile<T, 3, in_place>, compute_tile<T, 4, in_place>,
                                        compute_tile<T, 5, in_place>, compute_tile<T, 6, in_place>};

template <int rows>
[[gnu::always_inline]] inline void compute_one_of_int8(const Tile& tile) noexcept {
  constexpr std::int64_t kLanes = kInt8Lanes;
  constexpr std::int64_t kPair = 2;
  const auto* a = static_cast<const std::int16_t*>(tile.a);
  const auto* b = static_cast<const std::int16_t*>(tile.b);
  auto* c = static_cast<std::int32_t*>(tile.c);

  Words sums[rows][kVectors] = {};
  for (std::int64_t p = 0; p < tile.depth; p += kPair) {
    const auto b0 = load_pairs(b);
    const auto b1 = load_pairs(b + kPair * kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const auto pair = broadcast_pair(a + kPair * i);
      sums[i][0] = multiply_add(pair, b0, sums[i][0]);
      sums[i][1] = multiply_add(pair, b1, sums[i][1]);
    }
    a += kPair * rows;
    b += kPair * kVectors * kLanes;
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) {
      std::int32_t* at = c + i * tile.ldc + j * kLanes;
      write_words(at, tile.accumulate ? add_words(read_words(at), sums[i][j]) : sums[i][j]);
    }
  }
}

template <int rows>
void compute_int8_tile(const Tile& tile) noexcept {
  compute_each<kVectors * kInt8Lanes, std::int32_t>(
      tile, [](const Tile& one) __attribute__((always_inline)) { compute_one_of_int8<rows>(one); });
}

constexpr ComputeTile kInt8ByRows[kRows] = {compute_int8_tile<1>, compute_int8_tile<2>, compute_int8_tile<3>,
                                            compute_int8_tile<4>, compute_int8_tile<5>, compute_int8_tile<6>};

template <typename T>
constexpr int kColumns = kVectors* VectorOf<T>::kLanes;

constexpr MicroKernel kKernels[] = {
    {.type = DataType::float32,
     .packing = &kPackFloat32ByLines,
     .result_size = sizeof(float),
     .mr = kRows,
     .nr = kColumns<float>,
     .by_rows = kByRows<float, false>,
     .in_place = kByRows<float, true>,
     .thin = &kThin<CompactSingles<PortableFloats<float>>>,
     .most_vectors = kMostVectors,
     .beside = true},
    {.type = DataType::float64,
     .packing = &kPackFloat64ByLines,
     .result_size = sizeof(double),
     .mr = kRows,
     .nr = kColumns<double>,
     .by_rows = kByRows<double, false>,
     .in_place = kByRows<double, true>,
     .thin = &kThin<CompactSingles<PortableFloats<double>>>,
     .most_vectors = kMostVectors,
     .beside = true},
    {.type = DataType::bfloat16,
     .packing = &kPackBfloat16AsFloat32,
     .result_size = sizeof(float),
     .mr = kRows,
     .nr = kColumns<float>,
     .by_rows = kByRows<float, false>,
     .thin = &kThin<CompactSingles<PortableBfloat16>>,
     .beside = true},
    {.type = DataType::int8,
     .packing = &kPackInt8AsInt16Pairs,
     .result_size = sizeof(std::int32_t),
     .mr = kRows,
     .nr = kVectors * kInt8Lanes,
     .by_rows = kInt8ByRows,
     .thin = &kThin<Dots<PortablePairs>>,
     .beside = true},
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

// Each multiply-add adds 1, as 1/2 * 2.
template <typename T>
std::uint64_t peak(std::uint64_t iterations) noexcept {
  using Vector = typename VectorOf<T>::Aligned;
  constexpr int kChains = 12;
  Vector half = Vector{} + T(0.5);
  Vector two = Vector{} + T(2);
  keep(two);
  Vector chains[kChains] = {};
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& chain : chains) {
      // The sum is no operand of the product, so all chains' products could be made one, and before the loop.
      keep(half);
      chain = half * two + chain;
      keep(chain);
    }
  }
  if (!all_count<T>(chains, iterations, 1)) return 0;
  return iterations * kChains * VectorOf<T>::kLanes * 2;
}

std::uint64_t peak_int8(std::uint64_t iterations) noexcept {
  constexpr int kChains = 12;
  const std::int16_t pair[2] = {1, 1};
  auto ones = broadcast_pair(pair);
  keep(ones);
  Words chains[kChains] = {};
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& chain : chains) {
      // As above.
      auto other = ones;
      keep(other);
      chain = multiply_add(ones, other, chain);
      keep(chain);
    }
  }
  if (!all_count<std::int32_t>(chains, iterations, 2)) return 0;
  return iterations * kChains * kInt8Lanes * 4;
}

constexpr PeakLoop kPeaks[] = {{DataType::float32, peak<float>},
                               {DataType::float64, peak<double>},
                               {DataType::bfloat16, peak<float>},
                               {DataType::int8, peak_int8}};

}  // namespace
}  // namespace pibench::kernels
