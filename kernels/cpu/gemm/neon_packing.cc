#include "neon_packing.h"

#include <arm_neon.h>

#include <cstdint>
#include <cstring>

namespace pibench::kernels {
namespace {

// An operand as it lies: the element of lane i and depth p is at[i * lane + p * depth].
template <typename Element>
struct Source {
  const Element* at;
  std::int64_t lane, depth;
};

struct Extent {
  std::int64_t lanes, depth, width;
};

constexpr std::int64_t whole(std::int64_t value, std::int64_t unit) { return value / unit * unit; }
constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return whole(value + unit - 1, unit);
}

// Element by element, what the vectors left over: lanes from `first_lane` and the depth from `first_depth`
// on, with zeros beyond the extent.
template <int unit, typename Element>
void pack_rest(const Source<Element>& from, const Extent& extent, std::int64_t first_lane,
               std::int64_t first_depth, Element* to) noexcept {
  for (std::int64_t p = first_depth; p < round_up(extent.depth, unit); ++p) {
    for (std::int64_t i = first_lane; i < extent.width; ++i) {
      const bool inside = i < extent.lanes && p < extent.depth;
      to[p / unit * extent.width * unit + i * unit + p % unit] =
          inside ? from.at[i * from.lane + p * from.depth] : Element{0};
    }
  }
}

constexpr std::int64_t kVectorBytes = 16;

// Columns of words of `size` bytes -> rows that are `step` bytes apart. As many lanes as words in a vector.
template <int size>
void transpose_words(const char* from, std::int64_t lane_bytes, char* to, std::int64_t step) noexcept;

template <>
void transpose_words<4>(const char* from, std::int64_t lane_bytes, char* to, std::int64_t step) noexcept {
  uint32x4_t r[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&r[i], from + i * lane_bytes, sizeof(r[i]));
  const auto wide = [](uint32x4_t x) { return vreinterpretq_u64_u32(x); };
  const uint64x2_t low01 = wide(vzip1q_u32(r[0], r[1]));
  const uint64x2_t low23 = wide(vzip1q_u32(r[2], r[3]));
  const uint64x2_t high01 = wide(vzip2q_u32(r[0], r[1]));
  const uint64x2_t high23 = wide(vzip2q_u32(r[2], r[3]));
  const uint64x2_t columns[4] = {vzip1q_u64(low01, low23), vzip2q_u64(low01, low23),
                                 vzip1q_u64(high01, high23), vzip2q_u64(high01, high23)};
  for (int i = 0; i < 4; ++i) std::memcpy(to + i * step, &columns[i], sizeof(columns[i]));
}

template <>
void transpose_words<8>(const char* from, std::int64_t lane_bytes, char* to, std::int64_t step) noexcept {
  uint64x2_t r[2];
  for (int i = 0; i < 2; ++i) std::memcpy(&r[i], from + i * lane_bytes, sizeof(r[i]));
  const uint64x2_t columns[2] = {vzip1q_u64(r[0], r[1]), vzip2q_u64(r[0], r[1])};
  for (int i = 0; i < 2; ++i) std::memcpy(to + i * step, &columns[i], sizeof(columns[i]));
}

// Lanes whose depth is contiguous in memory: words of a unit are transposed.
template <typename Element, int unit>
void pack_along_depth(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                      std::int64_t width, void* packed) noexcept {
  constexpr int kSize = static_cast<int>(sizeof(Element));
  constexpr int kWord = unit * kSize;
  constexpr std::int64_t kLanes = kVectorBytes / kWord;
  constexpr std::int64_t kDepth = kVectorBytes / kSize;
  const auto* from = static_cast<const char*>(source);
  auto* to = static_cast<char*>(packed);
  const std::int64_t vector_lanes = whole(lanes, kLanes);
  const std::int64_t vector_depth = whole(depth, kDepth);
  for (std::int64_t i = 0; i < vector_lanes; i += kLanes) {
    for (std::int64_t p = 0; p < vector_depth; p += kDepth) {
      transpose_words<kWord>(from + (i * ld + p) * kSize, ld * kSize, to + (p * width + i * unit) * kSize,
                             width * kWord);
    }
  }
  const Source<Element> whence{static_cast<const Element*>(source), ld, 1};
  const Extent extent{lanes, depth, width};
  auto* elements = static_cast<Element*>(packed);
  if (vector_lanes < width) pack_rest<unit>(whence, {lanes, vector_depth, width}, vector_lanes, 0, elements);
  pack_rest<unit>(whence, extent, 0, vector_depth, elements);
}

// Eight lanes, neighbours in memory, of as many rows as a unit has elements.
constexpr std::int64_t kStep = 8;

// Rows of a matrix; those from `count` on are zero.
template <typename Element>
struct Rows {
  const Element* first;
  std::int64_t ld, count;
};

inline uint8x8_t load_row(const Rows<std::uint8_t>& rows, int row) noexcept {
  return row < rows.count ? vld1_u8(rows.first + row * rows.ld) : vdup_n_u8(0);
}
inline uint16x8_t load_row(const Rows<std::uint16_t>& rows, int row) noexcept {
  return row < rows.count ? vld1q_u16(rows.first + row * rows.ld) : vdupq_n_u16(0);
}

template <int unit>
void interleave(const Rows<std::uint16_t>& rows, std::uint16_t* to) noexcept {
  static_assert(unit == 4);
  const uint16x8x4_t four = {{load_row(rows, 0), load_row(rows, 1), load_row(rows, 2), load_row(rows, 3)}};
  vst4q_u16(to, four);
}

template <int unit>
void interleave(const Rows<std::uint8_t>& rows, std::uint8_t* to) noexcept {
  static_assert(unit == 4 || unit == 8);
  if constexpr (unit == 4) {
    const uint8x8x4_t four = {{load_row(rows, 0), load_row(rows, 1), load_row(rows, 2), load_row(rows, 3)}};
    vst4_u8(to, four);
  } else {
    // Two rows become one of pairs; the four rows of pairs are interleaved as above.
    uint16x8x4_t pairs;
    for (int i = 0; i < 4; ++i) {
      const uint8x8_t even = load_row(rows, 2 * i);
      const uint8x8_t odd = load_row(rows, 2 * i + 1);
      pairs.val[i] = vreinterpretq_u16_u8(vcombine_u8(vzip1_u8(even, odd), vzip2_u8(even, odd)));
    }
    vst4q_u16(reinterpret_cast<std::uint16_t*>(to), pairs);
  }
}

template <typename Element, int unit>
void pack_along_lanes(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                      std::int64_t width, void* packed) noexcept {
  const auto* from = static_cast<const Element*>(source);
  auto* to = static_cast<Element*>(packed);
  const std::int64_t vector_lanes = whole(lanes, kStep);
  for (std::int64_t p = 0; p < depth; p += unit) {
    for (std::int64_t i = 0; i < vector_lanes; i += kStep) {
      interleave<unit>(Rows<Element>{from + p * ld + i, ld, depth - p}, to + p * width + i * unit);
    }
  }
  if (vector_lanes == width) return;
  pack_rest<unit>(Source<Element>{from, 1, ld}, {lanes, depth, width}, vector_lanes, 0, to);
}

template <typename Element, int unit>
constexpr Packing packing() {
  constexpr PackOperand operand{pack_along_depth<Element, unit>, pack_along_lanes<Element, unit>, unit};
  return {sizeof(Element), sizeof(Element), unit, 0, 0, operand, operand};
}

}  // namespace

constinit const Packing kPackInt8Quads = packing<std::uint8_t, 4>();
constinit const Packing kPackInt8Octets = packing<std::uint8_t, 8>();
constinit const Packing kPackBfloat16Quads = packing<std::uint16_t, 4>();

}  // namespace pibench::kernels
