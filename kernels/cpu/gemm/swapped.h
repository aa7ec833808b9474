// Products of transposed operands by way of the transpose of their result: C^T = B^T A^T, which has the
// operands in the other order and each of them transposed the other way. What would have to be packed across
// its rows is then read along them, at the cost of transposing C, which is little where C is.
#pragma once

#include <memory>

#include "../cpu_features.h"
#include "gemm.h"

namespace pibench::kernels {

struct MicroKernel;

// The product of the operands in the other order.
GemmShape swapped(const GemmShape& shape) noexcept;

// Whether a product is faster by way of that. Never true of both of them. `cores`: by the rules for these,
// where they have rules of their own.
bool is_better_swapped(const MicroKernel& kernel, const GemmShape& shape,
                       CoreKind cores = core_kind()) noexcept;

// `inner` computes swapped(shape), of a shape that does not prepack.
std::unique_ptr<Gemm> make_swapped_gemm(std::unique_ptr<Gemm> inner, const MicroKernel& kernel,
                                        const GemmShape& shape, Team& team);

}  // namespace pibench::kernels
