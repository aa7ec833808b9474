// The choice among the ways to compute a product, for a kernel that is given; and what there is to choose
// from.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "../cpu_features.h"
#include "gemm.h"

namespace pibench::kernels {

struct InstructionSet;
struct MicroKernel;

// The instruction sets that are linked with this, best first.
std::span<const InstructionSet* const> compiled_sets() noexcept;

// Whether it is a choice on these cores for who names none.
bool is_choice(const InstructionSet& set, CoreKind cores) noexcept;

// Whether, on a CPU with these features, no instruction multiplies the type faster than this set's.
bool is_ceiling(const InstructionSet& set, DataType type, std::uint32_t features) noexcept;

// Throws std::invalid_argument for an empty shape.
std::unique_ptr<Gemm> make_gemm_by(const InstructionSet& set, const MicroKernel& kernel,
                                   const GemmShape& shape, Team& team);

}  // namespace pibench::kernels
