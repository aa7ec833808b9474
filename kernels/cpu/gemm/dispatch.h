// The choice among the ways to compute a product, for a kernel that is given.
#pragma once

#include <memory>

#include "gemm.h"

namespace pibench::kernels {

struct InstructionSet;
struct MicroKernel;

// Throws std::invalid_argument for an empty shape.
std::unique_ptr<Gemm> make_gemm_by(const InstructionSet& set, const MicroKernel& kernel,
                                   const GemmShape& shape, Team& team);

}  // namespace pibench::kernels
