// Packing for any element type and unit, compiled for the baseline CPU. Instruction sets that can do better
// bring their own.
#include "packing.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transpose_block.h"
#include "vector_lanes.h"

namespace pibench::kernels {
namespace {

// What stands of one lane at one step of the depth is a word: an element, or a pair of them. Of a type of
// operand and its words:
//   Element, Word, kUnit  elements of a word
//   load(from, group)     words of neighbours along the depth
//   join(from, ld, group) words of neighbouring lanes, whose elements are `ld` apart
//   word(from, step, count)  one, of so many elements that are `step` apart

template <typename T>
struct Same {
  using Element = T;
  using Word = T;
  static constexpr int kUnit = 1;
  static void load(const T* from, typename Group<T>::Type& group) noexcept {
    std::memcpy(&group, from, sizeof(group));
  }
  static void join(const T* from, std::int64_t, typename Group<T>::Type& group) noexcept {
    load(from, group);
  }
  static T word(const T* from, std::int64_t, std::int64_t) noexcept { return *from; }
};

struct Bfloat16AsFloat32 {
  using Element = std::uint16_t;
  using Word = float;
  static constexpr int kUnit = 1;
  static void load(const Element* from, Group<float>::Type& group) noexcept { group = widened_halves(from); }
  static void join(const Element* from, std::int64_t, Group<float>::Type& group) noexcept {
    load(from, group);
  }
  static float word(const Element* from, std::int64_t, std::int64_t) noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(*from) << 16U);
  }
};

struct Int8AsInt16 {
  using Element = std::int8_t;
  using Word = std::int16_t;
  static constexpr int kUnit = 1;
  static void load(const Element* from, Group<Word>::Type& group) noexcept {
    const auto words = widened(first_lanes<Element, std::uint32_t>(from));
    std::memcpy(&group, &words, sizeof(group));
  }
  static void join(const Element* from, std::int64_t, Group<Word>::Type& group) noexcept {
    load(from, group);
  }
  static Word word(const Element* from, std::int64_t, std::int64_t) noexcept { return *from; }
};

// A pair of int16, the first in the lower half.
struct Int8AsPairs {
  using Element = std::int8_t;
  using Word = std::uint32_t;
  using Words = Group<Word>::Type;
  static constexpr int kUnit = 2;
  static void load(const Element* from, Words& group) noexcept {
    group = reinterpret_cast<Words>(widened_bytes(from));
  }
  static void join(const Element* from, std::int64_t ld, Words& group) noexcept {
    group = reinterpret_cast<Words>(joined_bytes(from, from + ld));
  }
  static Word word(const Element* from, std::int64_t step, std::int64_t count) noexcept {
    const auto first = static_cast<std::uint16_t>(std::int16_t{from[0]});
    const auto second =
        count < kUnit ? std::uint16_t{0} : static_cast<std::uint16_t>(std::int16_t{from[step]});
    return first | static_cast<Word>(second) << 16U;
  }
};

// Words are not what a kernel calls them.
template <typename Word>
void put(Word* to, Word word) noexcept {
  std::memcpy(to, &word, sizeof(word));
}

// Zeros in the lanes beyond `lanes`.
template <typename Word>
void fill_up(std::int64_t lanes, std::int64_t words, std::int64_t width, Word* to) noexcept {
  for (std::int64_t w = 0; w < words && lanes < width; ++w, to += width)
    std::memset(to + lanes, 0, static_cast<std::size_t>(width - lanes) * sizeof(Word));
}

// Transposes so many lanes, of whole blocks of the depth.
template <typename Operand, int lanes>
void transpose_lanes(const typename Operand::Element* from, std::int64_t ld, std::int64_t depth,
                     std::int64_t width, typename Operand::Word* to) noexcept {
  using Word = typename Operand::Word;
  constexpr std::int64_t kDepth = kStep<Word> * Operand::kUnit;
  for (std::int64_t p = 0; p < depth; p += kDepth, to += kStep<Word> * width)
    transpose_block<Word, lanes>(from + p, ld, to, width, Operand::load);
}

// So few rows at a time are few enough streams for the prefetchers.
template <typename Operand>
void pack_along_depth(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                      std::int64_t width, void* packed) noexcept {
  using Word = typename Operand::Word;
  constexpr std::int64_t kLanes = kStep<Word>;
  constexpr std::int64_t kUnit = Operand::kUnit;
  const auto* from = static_cast<const typename Operand::Element*>(source);
  auto* to = static_cast<Word*>(packed);
  const std::int64_t in_blocks = depth / (kLanes * kUnit) * (kLanes * kUnit);
  std::int64_t i = 0;
  for (; i + kLanes <= lanes; i += kLanes)
    transpose_lanes<Operand, kLanes>(from + i * ld, ld, in_blocks, width, to + i);
  if constexpr (kLanes > 2) {
    if (lanes - i == 3) transpose_lanes<Operand, 3>(from + i * ld, ld, in_blocks, width, to + i);
    if (lanes - i == 2) transpose_lanes<Operand, 2>(from + i * ld, ld, in_blocks, width, to + i);
  }
  if (lanes - i == 1) transpose_lanes<Operand, 1>(from + i * ld, ld, in_blocks, width, to + i);

  for (std::int64_t p = in_blocks; p < depth; p += kUnit) {
    for (i = 0; i < lanes; ++i)
      put(to + p / kUnit * width + i, Operand::word(from + i * ld + p, 1, depth - p));
  }
  fill_up(lanes, (depth + kUnit - 1) / kUnit, width, to);
}

template <typename Operand>
void pack_along_lanes(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                      std::int64_t width, void* packed) noexcept {
  using Word = typename Operand::Word;
  constexpr std::int64_t kGroup = kStep<Word>;
  constexpr std::int64_t kUnit = Operand::kUnit;
  const auto* from = static_cast<const typename Operand::Element*>(source);
  auto* to = static_cast<Word*>(packed);
  for (std::int64_t p = 0; p < depth; p += kUnit, from += kUnit * ld, to += width) {
    std::int64_t i = 0;
    for (; i + kGroup <= lanes && p + kUnit <= depth; i += kGroup) {
      typename Group<Word>::Type group;
      Operand::join(from + i, ld, group);
      std::memcpy(to + i, &group, sizeof(group));
    }
    for (; i < lanes; ++i) put(to + i, Operand::word(from + i, ld, depth - p));
  }
  fill_up(lanes, (depth + kUnit - 1) / kUnit, width, static_cast<Word*>(packed));
}

// Whole panels, so many rows at a time: where rows are pages apart, few enough pages to foresee what is read
// next. (One line of each row, panel by panel, meets in few sets of the caches.)
template <typename Word>
std::int64_t copy_lines(const void* source, std::int64_t ld, std::int64_t columns, std::int64_t depth,
                        std::int64_t width, std::int64_t panel_bytes, void* packed) noexcept {
  constexpr std::int64_t kRowsAtOnce = 4;
  const std::int64_t panels = columns / width;
  const auto row_bytes = static_cast<std::size_t>(width) * sizeof(Word);
  for (std::int64_t first = 0; first < depth; first += kRowsAtOnce) {
    const std::int64_t rows = std::min(kRowsAtOnce, depth - first);
    const auto* from = static_cast<const Word*>(source) + first * ld;
    auto* to = static_cast<std::byte*>(packed) + static_cast<std::size_t>(first) * row_bytes;
    for (std::int64_t panel = 0; panel < panels; ++panel, from += width, to += panel_bytes) {
      for (std::int64_t r = 0; r < rows; ++r)
        std::memcpy(to + static_cast<std::size_t>(r) * row_bytes, from + r * ld, row_bytes);
    }
  }
  return panels * width;
}

template <typename Word>
constexpr Packing by_lines(Packing packing) {
  packing.by_lines = copy_lines<Word>;
  return packing;
}

template <typename Operand>
constexpr Packing packing() {
  constexpr int kUnit = Operand::kUnit;
  constexpr PackOperand operand{pack_along_depth<Operand>, pack_along_lanes<Operand>, kUnit};
  return {sizeof(typename Operand::Element),
          sizeof(typename Operand::Word) / kUnit,
          kUnit,
          0,
          0,
          operand,
          operand};
}

}  // namespace

constinit const Packing kPackFloat32 = packing<Same<float>>();
constinit const Packing kPackFloat64 = packing<Same<double>>();
constinit const Packing kPackFloat32ByLines = by_lines<float>(packing<Same<float>>());
constinit const Packing kPackFloat64ByLines = by_lines<double>(packing<Same<double>>());
constinit const Packing kPackBfloat16AsFloat32 = packing<Bfloat16AsFloat32>();
constinit const Packing kPackInt8AsInt16 = packing<Int8AsInt16>();
constinit const Packing kPackInt8AsInt16Pairs = packing<Int8AsPairs>();

}  // namespace pibench::kernels
