// Everything of the CUDA kernels that is plain arithmetic: where data lie in shared memory, how the matrix
// units are told so, in which order tiles are computed, which lane holds which element, and the numbers that
// operands are filled with. The same functions run on the device (nvcc calls constexpr functions there) and
// on the host, where they are checked.
#pragma once

#include <bit>
#include <cstdint>

#include "arguments.h"
#include "types.h"

namespace pibench::kernels::cuda {

// --- Where data lie in shared memory ---

// The 128-byte swizzle of the bulk copy engine and of wgmma: within 1 KiB, the place of 16 bytes in its row
// of 128 is xor-ed with the row. `offset` is in bytes, from an address that is a multiple of 1 KiB.
constexpr std::uint32_t swizzle_128(std::uint32_t offset) { return offset ^ ((offset >> 7 & 7) << 4); }

// A tile of rows of 64 bytes, of which ldmatrix reads 8 at one column of 16 bytes: two rows share 128 bytes.
constexpr std::uint32_t place_in_rows_64(std::uint32_t row, std::uint32_t chunk) {
  return row * 64 + ((chunk ^ (row >> 1 & 3)) << 4);
}

// A tile of rows of `bytes` (a multiple of 128), of which ldmatrix reads 8 at one column of 16 bytes.
constexpr std::uint32_t place_in_rows(std::uint32_t bytes, std::uint32_t row, std::uint32_t chunk) {
  return row * bytes + ((chunk ^ (row & 7)) << 4);
}

// A tile of rows of `bytes` (a multiple of 128) of float64, of which half a warp reads two neighbouring
// chunks of 16 bytes of 4 rows.
constexpr std::uint32_t place_in_wide_rows(std::uint32_t bytes, std::uint32_t row, std::uint32_t chunk) {
  return row * bytes + ((chunk ^ ((row & 3) << 1)) << 4);
}

// --- The matrix descriptor of wgmma (PTX ISA, "Matrix Descriptor Format") ---

// For an operand in the 128-byte swizzle. Bytes: `address` in shared memory; `leading` and `stride` as the
// layout has it. Where rows lie along k: `stride` from 8 rows to the next 8, `leading` unused. Where they lie
// along m or n, 64 16-bit elements wide: `leading` from 64 elements to the next 64, `stride` from 8 values of
// k to the next 8.
constexpr std::uint64_t wgmma_descriptor(std::uint32_t address, std::uint32_t leading, std::uint32_t stride) {
  constexpr std::uint64_t kSwizzle128 = std::uint64_t{1} << 62;
  const auto field = [](std::uint32_t bytes) { return static_cast<std::uint64_t>((bytes & 0x3ffff) >> 4); };
  return field(address) | field(leading) << 16 | field(stride) << 32 | kSwizzle128;
}

// --- Which lane holds which element of a result ---

// Of a result of 8 columns (mma) or of each 8 columns (wgmma), lane l holds, of row l / 4 and of row l / 4 +
// 8, the columns 2 (l % 4) and the next.
constexpr std::uint32_t row_of_lane(std::uint32_t lane) { return lane / 4; }
constexpr std::uint32_t column_of_lane(std::uint32_t lane) { return lane % 4 * 2; }

// --- The order of the tiles ---

// So many tiles of a side cover an extent, of 1 to 2^31 - 1.
constexpr std::int32_t tiles_along(std::int32_t extent, std::int32_t tile) { return (extent - 1) / tile + 1; }

struct TilePlace {
  std::int32_t row, column, matrix;
};

// The place of the `index`-th tile of a batch of grids of `rows` x `columns` tiles. `group` rows are walked
// together, down and then to the right: tiles that are computed at one time then share operands, so that the
// L2 serves most of them.
constexpr TilePlace place_of_tile(std::int64_t index, std::int32_t rows, std::int32_t columns,
                                  std::int32_t group) {
  const std::int64_t grid = static_cast<std::int64_t>(rows) * columns;
  const auto matrix = static_cast<std::int32_t>(index / grid);
  const std::int64_t in_grid = index - matrix * grid;
  const std::int64_t in_band = static_cast<std::int64_t>(group) * columns;
  const auto band = static_cast<std::int32_t>(in_grid / in_band);
  const auto rest = static_cast<std::int32_t>(in_grid - band * in_band);
  const std::int32_t above = band * group;
  const std::int32_t height = rows - above < group ? rows - above : group;
  return {above + rest % height, rest / height, matrix};
}

// --- Numbers ---

// The counter-based generator of native/random.h: SplitMix64 (Steele, Lea & Flood 2014).
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}
constexpr std::uint64_t drawn(std::uint64_t stream, std::uint64_t i) {
  return mix(stream + (i + 1) * 0x9e3779b97f4a7c15ULL);
}

// Rounds to nearest, ties to even, to a format of `exponent` and `fraction` bits with subnormal numbers, for
// |x| below its largest number. Returns sign, exponent and fraction in the low bits.
template <int exponent, int fraction>
constexpr std::uint32_t rounded_to(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = bits >> 31 << (exponent + fraction);
  const std::uint32_t size = bits & 0x7fffffff;
  constexpr int kBias = (1 << (exponent - 1)) - 1;
  const int power =
      static_cast<int>(size >> 23) - 127 + kBias;  // the exponent field in the format, where normal
  // The significand with its leading one, shifted to where its last kept bit is bit 0.
  const int drop = 23 - fraction + (power < 1 ? 1 - power : 0);
  if (drop > 25) return sign;
  const std::uint32_t significand = (size & 0x7fffff) | (size >> 23 != 0 ? 0x800000U : 0U);
  const std::uint32_t kept = significand >> drop;
  const std::uint32_t rest = significand & ((1U << drop) - 1);
  const std::uint32_t half = 1U << (drop - 1);
  const std::uint32_t up = rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0;
  // A carry out of the fraction raises the exponent, as it should.
  const std::uint32_t base = power < 1 ? 0U : static_cast<std::uint32_t>(power - 1) << fraction;
  return sign | (base + kept + up);
}

constexpr std::uint32_t bfloat16_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}
constexpr std::uint32_t float16_bits(float x) { return rounded_to<5, 10>(x); }
constexpr std::uint32_t float8_e4m3_bits(float x) { return rounded_to<4, 3>(x); }
// A float32 that tf32 holds exactly: 10 bits of fraction.
constexpr std::uint32_t tf32_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits + 0xfff + ((bits >> 13) & 1)) & ~0x1fffU;
}

// Element `i` of a stream, as a number, before it is rounded to its type; see Values in arguments.h.
constexpr double drawn_value(std::uint64_t stream, std::uint64_t i, Element element, Values values,
                             std::uint32_t limit) {
  const std::uint64_t bits = drawn(stream, i);
  if (values == Values::integers)
    return static_cast<double>(static_cast<std::int64_t>((bits >> 32) % (2 * limit + 1)) -
                               static_cast<std::int64_t>(limit));
  if (values == Values::memory) return static_cast<double>(bits >> 23) * 0x1p-40 - 1.0;
  if (element == Element::int8)
    return static_cast<double>(static_cast<std::int64_t>((bits >> 32) % 255) - 127);
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
}

// The bits of a number in a type of at most 32 bits; int8 and int32 take whole numbers.
constexpr std::uint32_t bits_in(Element element, double value) {
  const auto single = static_cast<float>(value);
  switch (element) {
    case Element::bfloat16:
      return bfloat16_bits(single);
    case Element::float16:
      return float16_bits(single);
    case Element::float8_e4m3:
      return float8_e4m3_bits(single);
    case Element::tf32:
      return tf32_bits(single);
    case Element::int8:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(value)) & 0xff;
    case Element::int32:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
    default:
      return std::bit_cast<std::uint32_t>(single);
  }
}

// What one word adds to the fingerprint of a buffer.
constexpr std::uint64_t fingerprint_of(std::uint64_t place, std::uint32_t word) {
  return mix((place << 32 ^ place >> 32) + 0x9e3779b97f4a7c15ULL * (word + 1ULL));
}

}  // namespace pibench::kernels::cuda
