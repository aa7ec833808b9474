// Which instruction sets have collectives' loops, and which of them run here.
#pragma once

#include <span>
#include <string_view>

#include "collective_kernels.h"

namespace pibench::kernels::collective {

// Best first.
std::span<const CollectiveKernels* const> kernel_tables() noexcept;

bool runs_here(const CollectiveKernels& kernels) noexcept;

// Empty: the best that runs here. Throws std::invalid_argument when there is none by this name, or it does
// not run.
const CollectiveKernels& kernels_named(std::string_view isa);

}  // namespace pibench::kernels::collective
