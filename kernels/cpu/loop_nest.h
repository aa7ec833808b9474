// The loop nest around a micro-kernel: one for every instruction set and data type.
#pragma once

#include <memory>

#include "gemm.h"

namespace pibench::kernels {

struct Blocking;
struct InstructionSet;
struct MicroKernel;

// How the team shares C: each member computes its own rows and all pack B together; or each member computes
// its own columns and packs what it needs of B for itself; or member 0 computes all, because the work is less
// than waking and awaiting the others. A function of the shape and the team's size alone, so that results are
// repeatable.
enum class Split { rows, columns, alone };

Split choose_split(const MicroKernel& kernel, const GemmShape& shape, int members);

// `blocking` = nullptr: chosen from the caches. Tests pass small blocks to reach every path with small
// matrices.
std::unique_ptr<Gemm> make_blocked_gemm(const InstructionSet& set, const MicroKernel& kernel,
                                        const GemmShape& shape, Team& team,
                                        const Blocking* blocking = nullptr);

}  // namespace pibench::kernels
