// Products whose B is read where it lies although a kernel's unit is a pair or a quadruple: when, and how.
#pragma once

#include "../cpu_features.h"
#include "loop_nest.h"

namespace pibench::kernels {

// The relative of this kernel that joins B's rows, where it is faster than packing B, and than reading B as
// the matrix of few vectors; else nullptr.
const MicroKernel* joining_for(const MicroKernel& kernel, const GemmShape& shape,
                               CoreKind cores = core_kind()) noexcept;

// How such a kernel goes about a product.
Strategy choose_joining_strategy(const MicroKernel& kernel, const GemmShape& shape, int members);

}  // namespace pibench::kernels
