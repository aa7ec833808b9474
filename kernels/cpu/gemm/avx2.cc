// Micro-kernels for AVX2 with FMA: 16 registers of 256 bits.
#include <immintrin.h>

#include <type_traits>

#include "instruction_set.h"
#include "thin_kernels.h"

namespace pibench::kernels {
namespace {

constexpr int kRows = 6;  // 6 x 2 accumulators, 2 vectors of B, one element of A: 15 of 16 registers
constexpr int kVectors = 2;

// What one step of the depth does: Unit is what is read of one lane at a time.
struct Float32 {
  using Element = float;
  using Unit = float;
  using Result = float;
  using Vector = __m256;
  static constexpr int kLanes = 8;
  static constexpr int kUnit = 1;
  static constexpr int kThinSums = 8;
  static Vector zero() noexcept { return _mm256_setzero_ps(); }
  static Vector load(const float* from) noexcept { return _mm256_loadu_ps(from); }
  static Vector broadcast(const float* from) noexcept { return _mm256_broadcast_ss(from); }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept { return _mm256_fmadd_ps(a, b, sum); }
  static Vector read(const float* from) noexcept { return _mm256_loadu_ps(from); }
  static void write(float* to, Vector value) noexcept { _mm256_storeu_ps(to, value); }
  static Vector add(Vector a, Vector b) noexcept { return _mm256_add_ps(a, b); }
  // By pieces: QEMU's masked loads read, and fault on, the lanes that they leave out.
  static Vector load_first(const float* from, int count) noexcept {
    if (count >= kLanes) return load(from);
    constexpr int kHalf = kLanes / 2;
    const __m128 low = count >= kHalf ? _mm_loadu_ps(from) : load_few(from, count);
    const __m128 high = count > kHalf ? load_few(from + kHalf, count - kHalf) : _mm_setzero_ps();
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
  }
  static void write_first(float* to, int count, Vector value) noexcept {
    _mm256_maskstore_ps(to, first_lanes(count), value);
  }
  static void totals(const Vector* sums, float* to) noexcept {
    // In each half a, b, c, d.
    const Vector halves = _mm256_hadd_ps(_mm256_hadd_ps(sums[0], sums[1]), _mm256_hadd_ps(sums[2], sums[3]));
    _mm_storeu_ps(to, _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1)));
  }

 private:
  static __m128 load_few(const float* from, int count) noexcept {
    if (count == 1) return _mm_load_ss(from);
    const __m128 two = _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
    return count == 2 ? two : _mm_movelh_ps(two, _mm_load_ss(from + 2));
  }
  static __m256i first_lanes(int count) noexcept {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};

struct Float64 {
  using Element = double;
  using Unit = double;
  using Result = double;
  using Vector = __m256d;
  static constexpr int kLanes = 4;
  static constexpr int kUnit = 1;
  static constexpr int kThinSums = 8;
  static Vector zero() noexcept { return _mm256_setzero_pd(); }
  static Vector load(const double* from) noexcept { return _mm256_loadu_pd(from); }
  static Vector broadcast(const double* from) noexcept { return _mm256_broadcast_sd(from); }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept { return _mm256_fmadd_pd(a, b, sum); }
  static Vector read(const double* from) noexcept { return _mm256_loadu_pd(from); }
  static void write(double* to, Vector value) noexcept { _mm256_storeu_pd(to, value); }
  static Vector add(Vector a, Vector b) noexcept { return _mm256_add_pd(a, b); }
  static Vector load_first(const double* from, int count) noexcept {
    if (count >= kLanes) return load(from);
    const __m128d low = count >= 2 ? _mm_loadu_pd(from) : _mm_load_sd(from);
    const __m128d high = count == 3 ? _mm_load_sd(from + 2) : _mm_setzero_pd();
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
  }
  static void write_first(double* to, int count, Vector value) noexcept {
    _mm256_maskstore_pd(to, first_lanes(count), value);
  }
  static void totals(const Vector* sums, double* to) noexcept {
    // In each half a, b, or c, d.
    const Vector ab = _mm256_hadd_pd(sums[0], sums[1]);
    const Vector cd = _mm256_hadd_pd(sums[2], sums[3]);
    _mm256_storeu_pd(
        to, _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20), _mm256_permute2f128_pd(ab, cd, 0x31)));
  }

 private:
  static __m256i first_lanes(int count) noexcept {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
  }
};

// A bfloat16 is the upper half of a float.
struct Bfloat16 : Float32 {
  using Element = std::uint16_t;
  using Float32::broadcast;
  using Float32::load;
  using Float32::load_first;
  static Vector load(const Element* from) noexcept {
    const __m128i elements = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(elements), 16));
  }
  static Vector load_first(const Element* from, int count) noexcept {
    Element elements[kLanes] = {};
    __builtin_memcpy(elements, from, static_cast<std::size_t>(count) * sizeof(Element));
    return load(elements);
  }
  static Vector broadcast(const Element* from) noexcept {
    return _mm256_castsi256_ps(_mm256_set1_epi32(static_cast<int>(std::uint32_t{*from} << 16U)));
  }
};

// Pairs of int16: VPMADDWD sums their two products in int32, exactly.
struct Int16Pairs {
  using Unit = std::int32_t;
  using Result = std::int32_t;
  using Vector = __m256i;
  static constexpr int kLanes = 8;
  static constexpr int kUnit = 2;
  static Vector zero() noexcept { return _mm256_setzero_si256(); }
  static Vector load(const Unit* from) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Vector broadcast(const Unit* from) noexcept { return _mm256_set1_epi32(*from); }
  static Vector multiply_add(Vector a, Vector b, Vector sum) noexcept {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
  }
  static Vector read(const std::int32_t* from) noexcept { return load(from); }
  static void write(std::int32_t* to, Vector value) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
  }
  static Vector add(Vector a, Vector b) noexcept { return _mm256_add_epi32(a, b); }
};

// int8 as pairs of int16, in products of a matrix and few vectors.
struct ThinPairs : Int16Pairs {
  using Element = std::int8_t;
  static constexpr int kDepth = 2;
  static constexpr int kThinSums = 8;
  static constexpr bool kCompact = true;
  static constexpr bool kBiased = false;

  static Vector row(const Element* from) noexcept {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static Vector row(const Element* from, int count) noexcept {
    Element elements[kLanes * kDepth] = {};
    __builtin_memcpy(elements, from, static_cast<std::size_t>(count));
    return row(elements);
  }
  static Vector factors(const Element* from) noexcept { return row(from); }
  static Vector factors(const Element* from, int count) noexcept { return row(from, count); }
  static Vector columns(const Element* from, std::int64_t row) noexcept {
    const __m128i even = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    const __m128i odd = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + row));
    return _mm256_cvtepi8_epi16(_mm_unpacklo_epi8(even, odd));
  }
  static Vector columns(const Element* from, std::int64_t row, int count, int depth) noexcept {
    Element elements[kDepth][kLanes] = {};
    for (int i = 0; i < depth; ++i)
      __builtin_memcpy(elements[i], from + i * row, static_cast<std::size_t>(count));
    return columns(elements[0], kLanes);
  }
  static Vector factor(const Element* from, std::int64_t element, int depth = kDepth) noexcept {
    const auto word = [&](int i) {
      return static_cast<std::uint32_t>(static_cast<std::uint16_t>(i < depth ? from[i * element] : 0));
    };
    return _mm256_set1_epi32(static_cast<int>(word(0) | word(1) << 16U));
  }
  static Vector read_first(const Result* from, int count) noexcept {
    Result words[kLanes] = {};
    __builtin_memcpy(words, from, static_cast<std::size_t>(count) * sizeof(Result));
    return read(words);
  }
  static void write_first(Result* to, int count, Vector value) noexcept {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_maskstore_epi32(to, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), lanes), value);
  }
  static void totals(const Vector* sums, Result* to) noexcept {
    // In each half a, b, c, d.
    const Vector halves =
        _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[3]));
    const __m128i all = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), all);
  }
};

// `rows` is a constant of each caller, into which this is put.
template <typename Arithmetic, bool in_place>
[[gnu::always_inline]] inline void compute(const Tile& tile, const int rows) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  using Vector = typename Arithmetic::Vector;
  constexpr int kLanes = Arithmetic::kLanes;

  const auto* a = static_cast<const Unit*>(tile.a);
  const auto* b = static_cast<const Unit*>(tile.b);
  auto* c = static_cast<Result*>(tile.c);
  const std::int64_t units = tile.depth / Arithmetic::kUnit;
  const std::int64_t a_step = tile.a_step / Arithmetic::kUnit;
  const std::int64_t b_step = tile.b_step / Arithmetic::kUnit;
  const std::int64_t a_row = in_place ? tile.a_row : 1;
  const std::int64_t asked_step = tile.asked_step / Arithmetic::kUnit;

  Vector sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
    sums[i][0] = Arithmetic::zero();
    sums[i][1] = Arithmetic::zero();
    // The tile of C is needed at the end: ask for it now. Into L2, because A and B fill L1 until then.
    _mm_prefetch(reinterpret_cast<const char*>(c + i * tile.ldc) + kEndOfLine, _MM_HINT_T1);
  }
  // `ahead`: asks for the next panel of B.
  const auto steps = [&](auto ahead, std::int64_t count, const Unit* asked) __attribute__((always_inline)) {
    for (std::int64_t p = 0; p < count; ++p) {
      const Vector b0 = Arithmetic::load(b);
      const Vector b1 = Arithmetic::load(b + kLanes);
      // One line is a step of the panel.
      if constexpr (ahead.value) {
        _mm_prefetch(reinterpret_cast<const char*>(asked) + kEndOfLine, _MM_HINT_T1);
        asked += asked_step;
      }
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        const Vector element = Arithmetic::broadcast(a + i * a_row);
        sums[i][0] = Arithmetic::multiply_add(element, b0, sums[i][0]);
        sums[i][1] = Arithmetic::multiply_add(element, b1, sums[i][1]);
      }
      a += a_step;
      b += b_step;
    }
  };
  const std::int64_t asking = rows == kRows && tile.asked_units <= units ? tile.asked_units : 0;
  if (asking > 0) steps(std::true_type{}, asking, static_cast<const Unit*>(tile.asked));
  steps(std::false_type{}, units - asking, nullptr);
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      Result* at = c + i * tile.ldc + j * kLanes;
      Arithmetic::write(at, tile.accumulate ? Arithmetic::add(sums[i][j], Arithmetic::read(at)) : sums[i][j]);
    }
  }
}

template <typename Arithmetic, int rows, bool in_place>
void compute_tile(const Tile& tile) noexcept {
  compute<Arithmetic, in_place>(tile, rows);
}

template <typename A, bool in_place>
constexpr ComputeTile kByRows[kRows] = {compute_tile<A, 1, in_place>, compute_tile<A, 2, in_place>,
                                        compute_tile<A, 3, in_place>, compute_tile<A, 4, in_place>,
                                        compute_tile<A, 5, in_place>, compute_tile<A, 6, in_place>};

template <typename A>
constexpr MicroKernel own_type_kernel(DataType type, const Packing* packing) {
  MicroKernel kernel{type,
                     packing,
                     sizeof(typename A::Result),
                     kRows,
                     kVectors * A::kLanes,
                     kByRows<A, false>,
                     kByRows<A, true>};
  kernel.thin = &kThin<Singles<A>>;
  return kernel;
}

constexpr MicroKernel kKernels[] = {
    own_type_kernel<Float32>(DataType::float32, &kPackFloat32),
    own_type_kernel<Float64>(DataType::float64, &kPackFloat64),
    {.type = DataType::bfloat16,
     .packing = &kPackBfloat16AsFloat32,
     .result_size = sizeof(float),
     .mr = kRows,
     .nr = kVectors * Float32::kLanes,
     .by_rows = kByRows<Float32, false>,
     .thin = &kThin<Singles<Bfloat16>>,
     .most_vectors = kMostVectors},
    {.type = DataType::int8,
     .packing = &kPackInt8AsInt16Pairs,
     .result_size = sizeof(std::int32_t),
     .mr = kRows,
     .nr = kVectors * Int16Pairs::kLanes,
     .by_rows = kByRows<Int16Pairs, false>,
     .thin = &kThin<ThinPairs>,
     .most_vectors = kMostVectors},
};

// Independent chains enough for two units of latency 4 or 5. x = x * 1/2 + 1/2 stays at 1.
constexpr int kChains = 12;

// `sum` is what each lane must hold at the end.
template <typename Arithmetic>
std::uint64_t peak(typename Arithmetic::Vector factor, typename Arithmetic::Vector start,
                   typename Arithmetic::Result sum, std::uint64_t iterations) noexcept {
  asm volatile("" : "+x"(factor));
  typename Arithmetic::Vector chains[kChains];
#pragma GCC unroll 16
  for (auto& chain : chains) chain = start;
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& chain : chains) {
      if constexpr (Arithmetic::kUnit == 1) {
        chain = Arithmetic::multiply_add(chain, factor, factor);
      } else {
        // The sum is not an operand of the product, so the products of all chains could be made one.
        auto other = factor;
        asm volatile("" : "+x"(other));
        chain = Arithmetic::multiply_add(factor, other, chain);
      }
      asm volatile("" : "+x"(chain));
    }
  }
#pragma GCC unroll 16
  for (const auto& chain : chains) {
    typename Arithmetic::Result lanes[Arithmetic::kLanes];
    Arithmetic::write(lanes, chain);
    for (const auto& lane : lanes) {
      if (lane != sum) return 0;
    }
  }
  return iterations * kChains * Arithmetic::kLanes * Arithmetic::kUnit * 2;
}

std::uint64_t peak_float32(std::uint64_t iterations) noexcept {
  return peak<Float32>(_mm256_set1_ps(0.5F), _mm256_set1_ps(1), 1, iterations);
}
std::uint64_t peak_float64(std::uint64_t iterations) noexcept {
  return peak<Float64>(_mm256_set1_pd(0.5), _mm256_set1_pd(1), 1, iterations);
}
std::uint64_t peak_int8(std::uint64_t iterations) noexcept {
  return peak<Int16Pairs>(_mm256_set1_epi16(1), _mm256_setzero_si256(),
                          static_cast<std::int32_t>(static_cast<std::uint32_t>(2 * iterations)), iterations);
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
