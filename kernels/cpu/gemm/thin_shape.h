// How a shape is a matrix and few vectors: what computes such products (thin.cc) and the rules for them
// (thin_rules.cc) both ask.
#pragma once

#include <cstdint>

#include "gemm.h"
#include "instruction_set.h"

namespace pibench::kernels {

// A function of the kernel and the shape alone.
struct Thin {
  bool a_is_matrix;
  bool along_rows;  // inner products
  int vectors;
  std::int64_t extent;  // elements of the result of one vector

  Thin(const MicroKernel& kernel, const GemmShape& shape) noexcept
      : a_is_matrix(shape.n <= kernel.most_vectors && shape.n <= shape.m),
        along_rows(a_is_matrix ? !shape.transpose_a : shape.transpose_b),
        vectors(static_cast<int>(a_is_matrix ? shape.n : shape.m)),
        extent(a_is_matrix ? shape.m : shape.n) {}
};

inline std::int64_t element_of(const MicroKernel& kernel) noexcept {
  return static_cast<std::int64_t>(kernel.packing->source_size);
}

// Elements of the extent that one member computes at least: rows that are read at a time, or a cache line.
inline std::int64_t unit_of(const MicroKernel& kernel, const Thin& thin) noexcept {
  constexpr std::int64_t kLine = 64;
  constexpr std::int64_t kGroup = 8;  // rows
  return thin.along_rows ? kGroup : kLine / element_of(kernel);
}

}  // namespace pibench::kernels
