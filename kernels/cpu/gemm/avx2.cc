// Micro-kernels for AVX2 with FMA: 16 registers of 256 bits.
#include <immintrin.h>

#include <utility>

#include "avx2_arithmetic.h"
#include "avx2_packing.h"
#include "avx2_tile.h"
#include "instruction_set.h"
#include "thin_kernels.h"

namespace pibench::kernels {
namespace {

// The functions for 1 .. most rows.
template <int most>
struct ByRows {
  ComputeTile functions[most];
};
template <typename Arithmetic, int vectors, bool in_place, int... below>
constexpr ByRows<sizeof...(below)> by_rows(std::integer_sequence<int, below...>) {
  return {{compute_tile<Arithmetic, vectors, below + 1, in_place>...}};
}
template <typename Arithmetic, int vectors, bool in_place>
constexpr auto kByRows = by_rows<Arithmetic, vectors, in_place>(
    std::make_integer_sequence<int, vectors == kWide ? kWideRows : kNarrowRows>{});

constexpr Packing kPack32 = word_packing<Floats>();
constexpr Packing kPack64 = word_packing<Doubles>();
constexpr Packing kPackHalves = word_packing<Bfloat16AsFloats>();
constexpr Packing kPackPairs = word_packing<Int8AsPairs>();

static_assert(kWideRows <= kMostLanes && kNarrowRows <= kMostLanes, "a strip can be packed");

// Tiles in place where packing leaves elements as they are.
template <typename A, int vectors, bool in_place>
constexpr MicroKernel kernel_of(DataType type, const Packing* packing) {
  MicroKernel kernel{type,
                     packing,
                     sizeof(typename A::Result),
                     vectors == kWide ? kWideRows : kNarrowRows,
                     vectors * A::kLanes,
                     kByRows<A, vectors, false>.functions};
  if constexpr (in_place) kernel.in_place = kByRows<A, vectors, true>.functions;
  kernel.any_columns = true;
  return kernel;
}

template <typename A, bool in_place>
constexpr MicroKernel wide_kernel(const MicroKernel& narrow, const ThinKernel* thin) {
  MicroKernel kernel = kernel_of<A, kWide, in_place>(narrow.type, narrow.packing);
  kernel.narrow = &narrow;
  kernel.thin = thin;
  kernel.most_vectors = kMostVectors;
  if (A::kCopies && in_place) kernel.copies_b = kRowsToCopyFrom;
  kernel.copies_in_place = in_place;
  return kernel;
}

constexpr MicroKernel kNarrowFloat32 = kernel_of<Float32, kNarrow, true>(DataType::float32, &kPack32);
constexpr MicroKernel kNarrowFloat64 = kernel_of<Float64, kNarrow, true>(DataType::float64, &kPack64);
constexpr MicroKernel kNarrowBfloat16 = kernel_of<Float32, kNarrow, false>(DataType::bfloat16, &kPackHalves);
constexpr MicroKernel kNarrowInt8 = kernel_of<Int16Pairs, kNarrow, false>(DataType::int8, &kPackPairs);

constexpr MicroKernel kKernels[] = {
    wide_kernel<Float32, true>(kNarrowFloat32, &kThin<Singles<Float32>>),
    wide_kernel<Float64, true>(kNarrowFloat64, &kThin<Singles<Float64>>),
    wide_kernel<Float32, false>(kNarrowBfloat16, &kThin<Singles<Bfloat16>>),
    wide_kernel<Int16Pairs, false>(kNarrowInt8, &kThin<ThinPairs>),
};

// Independent chains enough for two units of latency 4 or 5. x = x * 1/2 + 1/2 stays at 1.
constexpr int kChains = 12;

template <typename Arithmetic>
bool all_are(const typename Arithmetic::Vector& vector, typename Arithmetic::Result value) noexcept {
  typename Arithmetic::Result lanes[Arithmetic::kLanes];
  Arithmetic::write(lanes, vector);
  for (const auto& lane : lanes) {
    if (lane != value) return false;
  }
  return true;
}

template <typename Arithmetic>
std::uint64_t peak(typename Arithmetic::Vector half, typename Arithmetic::Vector one,
                   std::uint64_t iterations) noexcept {
  asm volatile("" : "+x"(half));
  typename Arithmetic::Vector chains[kChains];
#pragma GCC unroll 16
  for (auto& chain : chains) chain = one;
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& chain : chains) {
      chain = Arithmetic::multiply_add(chain, half, half);
      asm volatile("" : "+x"(chain));
    }
  }
#pragma GCC unroll 16
  for (const auto& chain : chains) {
    if (!all_are<Arithmetic>(chain, 1)) return 0;
  }
  return iterations * kChains * Arithmetic::kLanes * 2;
}

std::uint64_t peak_float32(std::uint64_t iterations) noexcept {
  return peak<Float32>(_mm256_set1_ps(0.5F), _mm256_set1_ps(1), iterations);
}
std::uint64_t peak_float64(std::uint64_t iterations) noexcept {
  return peak<Float64>(_mm256_set1_pd(0.5), _mm256_set1_pd(1), iterations);
}

// Several products, then their sums: one by one, a core that gives each instruction to a unit before it knows
// what else comes lets products wait (in groups Zen 3 has 1.05 to 1.1 times the rate).
std::uint64_t peak_int8(std::uint64_t iterations) noexcept {
  constexpr int kSums = kChains / 2;
  __m256i ones = _mm256_set1_epi16(1);
  asm volatile("" : "+x"(ones));
  __m256i sums[kSums];
#pragma GCC unroll 16
  for (auto& sum : sums) sum = _mm256_setzero_si256();
  for (std::uint64_t i = 0; i < 2 * iterations; ++i) {
    __m256i products[kSums];
#pragma GCC unroll 16
    for (auto& product : products) {
      // Else all products would be one.
      asm volatile("vpmaddwd %1, %1, %0" : "=x"(product) : "x"(ones));
    }
#pragma GCC unroll 16
    for (int j = 0; j < kSums; ++j) asm volatile("vpaddd %1, %0, %0" : "+x"(sums[j]) : "x"(products[j]));
  }
  const auto total = static_cast<std::int32_t>(static_cast<std::uint32_t>(4 * iterations));
#pragma GCC unroll 16
  for (const auto& sum : sums) {
    if (!all_are<Int16Pairs>(sum, total)) return 0;
  }
  return 2 * iterations * kSums * Int16Pairs::kLanes * Int16Pairs::kUnit * 2;
}

constexpr PeakLoop kPeaks[] = {{DataType::float32, peak_float32},
                               {DataType::float64, peak_float64},
                               {DataType::bfloat16, peak_float32},
                               {DataType::int8, peak_int8}};

}  // namespace

constinit const InstructionSet kAvx2 = {"avx2",   kCpuAvx2 | kCpuFma,
                                        kKernels, sizeof(kKernels) / sizeof(kKernels[0]),
                                        kPeaks,   sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
