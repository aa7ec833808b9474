// Kernels of which tiles have few rows, as 16 registers make them: so many more tiles read each operand that
// they have rules of their own.
#pragma once

#include "instruction_set.h"

namespace pibench::kernels {

inline bool has_low_tiles(const MicroKernel& kernel) noexcept {
  constexpr int kMostRows = 8;
  return kernel.mr <= kMostRows;
}

}  // namespace pibench::kernels
