// Products of a matrix with a few vectors: those of few rows, or of few columns.
#pragma once

#include <cstdint>
#include <memory>

#include "../cpu_features.h"
#include "gemm.h"

namespace pibench::kernels {

struct InstructionSet;
struct MicroKernel;

// How a call goes about it. All of it follows from the shape, the caches and the team's size.
struct ThinStrategy {
  int members = 1;
  // Elements of each vector, or of its result, which stay near while the matrix passes.
  std::int64_t block = 1;
  std::int64_t rows = 1;  // of the matrix that pass before it is the turn of other vectors
  bool ahead = false;     // asks for rows of the matrix before they are read
};

// Whether the kernel can compute such products like this at all.
bool can_be_thin(const MicroKernel& kernel, const GemmShape& shape) noexcept;

// Whether it is the faster way.
bool is_thin(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores = core_kind()) noexcept;

// `cores`: by the rules for these, where they have rules of their own.
ThinStrategy choose_thin_strategy(const MicroKernel& kernel, const GemmShape& shape, int members,
                                  CoreKind cores = core_kind());

// `strategy` = nullptr: chosen. Tests pass their own to reach every path with small matrices.
// Throws std::invalid_argument for an empty shape and for one that cannot be computed like this.
std::unique_ptr<Gemm> make_thin_gemm(const InstructionSet& set, const MicroKernel& kernel,
                                     const GemmShape& shape, Team& team,
                                     const ThinStrategy* strategy = nullptr);

}  // namespace pibench::kernels
