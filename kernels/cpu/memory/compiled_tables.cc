// The instruction sets whose passes over memory the whole addon has. The part of it that is built first has a
// table of its own (native/first/parts.cc).
#include <array>

#include "dispatch.h"

namespace pibench::kernels::memory {
namespace {

// Best first. Adding an instruction set is one line here.
constexpr std::array kTables = {
#if defined(__x86_64__)
    &kAvx512,
    &kAvx2,
#endif
    &kPortable,
};

}  // namespace

std::span<const MemoryKernels* const> kernel_tables() noexcept { return kTables; }

}  // namespace pibench::kernels::memory
