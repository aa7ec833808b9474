#include "dispatch.h"

#include <array>

#include "../kernel_tables.h"

namespace pibench::kernels::collective {
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

std::span<const CollectiveKernels* const> kernel_tables() noexcept { return kTables; }

bool runs_here(const CollectiveKernels& kernels) noexcept { return table_runs_here(kernels); }

const CollectiveKernels& kernels_named(std::string_view isa) {
  return table_named(kernel_tables(), isa, "the collectives");
}

}  // namespace pibench::kernels::collective
