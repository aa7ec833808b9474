// How many bytes elements of A and B take, and whether so many of them stay near.
#pragma once

#include <cstdint>

#include "../cache_sizes.h"
#include "gemm.h"
#include "instruction_set.h"

namespace pibench::kernels {

inline std::int64_t source_bytes(const MicroKernel& kernel, std::int64_t elements) noexcept {
  return elements * static_cast<std::int64_t>(kernel.packing->source_size);
}

// Whether they are more than L2 holds.
inline bool is_far(const MicroKernel& kernel, std::int64_t elements) noexcept {
  return source_bytes(kernel, elements) > cache_sizes().l2;
}

// Of both operands and C of one product.
inline std::int64_t product_bytes(const MicroKernel& kernel, const GemmShape& shape) noexcept {
  return source_bytes(kernel, shape.m * shape.k + shape.k * shape.n) +
         shape.m * shape.n * static_cast<std::int64_t>(kernel.result_size);
}

}  // namespace pibench::kernels
