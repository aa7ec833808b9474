// The choice among the ways to compute a product, for a kernel that is given; and what there is to choose
// from.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../cpu_features.h"
#include "gemm.h"

namespace pibench::kernels {

struct InstructionSet;
struct MicroKernel;

// The instruction sets that are linked with this, best first.
std::span<const InstructionSet* const> compiled_sets() noexcept;

// Whether it is a choice on these cores for who names none.
bool is_choice(const InstructionSet& set, CoreKind cores) noexcept;

// What a CPU with these features has to multiply the type, does not belong to this set and may be faster, by
// the names that people use.
std::vector<std::string> unused_instructions(const InstructionSet& set, DataType type,
                                             std::uint32_t features);
// Whether there is nothing of that kind.
bool is_ceiling(const InstructionSet& set, DataType type, std::uint32_t features);

// Throws std::invalid_argument for an empty shape.
std::unique_ptr<Gemm> make_gemm_by(const InstructionSet& set, const MicroKernel& kernel,
                                   const GemmShape& shape, Team& team);

}  // namespace pibench::kernels
