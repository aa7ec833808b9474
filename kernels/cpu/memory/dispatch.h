// The choice among the memory passes: by instruction set, operation and way to store.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "memory_kernels.h"

namespace pibench::kernels::memory {

// All that were compiled in, best first.
std::span<const MemoryKernels* const> kernel_tables() noexcept;

bool runs_here(const MemoryKernels& kernels) noexcept;

// The named instruction set's; the best that runs here when the name is empty. Throws std::invalid_argument
// when it is not part of this build or does not run on this CPU.
const MemoryKernels& kernels_named(std::string_view isa);

// Null for read, and where the instruction set has no such variant.
WritePass find_pass(const MemoryKernels& kernels, Operation operation, Stores stores) noexcept;

// Arrays that an operation has, its output included.
int arrays_of(Operation operation) noexcept;

}  // namespace pibench::kernels::memory
