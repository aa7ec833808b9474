// Packing: copies blocks of A and B into the order in which a micro-kernel reads them, so that it reads with
// unit stride, from few pages, and in its own element type.
//
// A packed strip is `lanes` rows of A, or columns of B, of a block, `depth` deep. A kernel reads of each lane
// `unit` consecutive elements of the depth at a time: 1 where it multiplies element by element, 2 or 4 where
// an instruction sums products of pairs or quadruples, a whole row of a tile for AMX. So element p of lane i
// stands at
//     packed[(p / unit) * width * unit + i * unit + p % unit]
// where width >= lanes is how many lanes the strip has room for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pibench::kernels {

// Rows may begin anywhere in a cache line, and what is a line long then lies in two. The first of them came
// with the columns before, so that what is asked for ahead of its use is the last of each line's bytes.
// (Measured on Zen 5, float32 in turns with the first byte: 3990 cubed 1.04, 1000 cubed 1.05, 10x3000x3000
// 1.7.)
constexpr int kEndOfLine = 63;

// Packs one strip. `source` is element 0 of lane 0, `ld` the elements between the starts of two rows in
// memory. The depth is filled up with zeros to the packing's depth_multiple.
//
// What lies between `lanes` and `width` is zero for B. For A, whose width always equals its lanes, up to 63
// bytes after the strip may be overwritten: strips are packed in ascending order, and their buffer has room.
using PackStrip = void (*)(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                           std::int64_t width, void* packed) noexcept;

// How one operand is packed, for either way in which it can lie in memory.
struct PackOperand {
  PackStrip along_depth;  // consecutive elements of a lane are neighbours: A as it is, B transposed
  PackStrip along_lanes;  // the lanes of one depth are neighbours: A transposed, B as it is
  int unit;
};

struct Packing {
  std::size_t source_size;  // bytes of an element of A and B
  std::size_t packed_size;  // bytes of a packed element
  int depth_multiple;       // of the packed depth; a multiple of both units
  // Bytes for each lane that packing appends to a strip of A or of B (sums that a kernel needs); 0 for most.
  int trailer_of_a, trailer_of_b;
  PackOperand a, b;
  // Where there is a trailer: packs, as b.along_lanes does, a part of the depth, to which nothing is
  // appended; and appends it to a strip when all of the depth is there.
  PackStrip part_of_b = nullptr;
  void (*append)(std::int64_t depth, std::int64_t width, void* packed) noexcept = nullptr;
  // Packs likewise, by whole lines of each row, as many columns as it can of a block, and returns how many
  // those are: whole panels of `width` columns, each of which begins `panel_bytes` after the one before. The
  // depth is a multiple of depth_multiple. nullptr: the columns are packed panel by panel.
  std::int64_t (*by_lines)(const void* source, std::int64_t ld, std::int64_t columns, std::int64_t depth,
                           std::int64_t width, std::int64_t panel_bytes, void* packed) noexcept = nullptr;
};

// Bytes after the last strip of A that packing may overwrite and a kernel read.
inline constexpr std::size_t kPackingSlack = 64;

extern const Packing kPackFloat32;
extern const Packing kPackFloat64;
extern const Packing kPackFloat32ByLines;
extern const Packing kPackFloat64ByLines;
extern const Packing kPackBfloat16AsFloat32;  // exact: a bfloat16 is the upper half of a float32
extern const Packing kPackInt8AsInt16;
extern const Packing kPackInt8AsInt16Pairs;

}  // namespace pibench::kernels
