// Packing: copies blocks of A and B into the order in which a micro-kernel reads them, so that it reads with
// unit stride, from few pages, and in its own element type.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pibench::kernels {

struct Packing {
  std::size_t source_size;  // bytes of an element of A and B
  std::size_t packed_size;  // bytes of a packed element
  // A strip of A, `rows` x `depth`, row-major with `ld` elements between rows -> packed[p * rows + i].
  void (*pack_a)(const void* source, std::int64_t ld, std::int64_t rows, std::int64_t depth,
                 void* packed) noexcept;
  // A panel of B, `depth` x `columns`, row-major with `ld` elements between rows -> packed[p * nr + j], with
  // zeros in columns .. nr-1.
  void (*pack_b)(const void* source, std::int64_t ld, std::int64_t depth, std::int64_t columns,
                 std::int64_t nr, void* packed) noexcept;
};

extern const Packing kPackFloat32;
extern const Packing kPackFloat64;
extern const Packing kPackBfloat16AsFloat32;  // exact: a bfloat16 is the upper half of a float32
extern const Packing kPackInt8AsInt32;        // two's complement in unsigned words, whose overflow is defined

}  // namespace pibench::kernels
