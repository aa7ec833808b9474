#include "dispatch.h"

#include <array>
#include <stdexcept>
#include <string>

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

bool runs_here(const CollectiveKernels& kernels) noexcept { return (kernels.needs & ~cpu_features()) == 0; }

const CollectiveKernels& kernels_named(std::string_view isa) {
  bool compiled_in = false;
  for (const CollectiveKernels* const table : kTables) {
    if (!isa.empty() && isa != table->name) continue;
    compiled_in = true;
    if (runs_here(*table)) return *table;
  }
  const std::string what = "the collectives for " + std::string(isa);
  throw std::invalid_argument(what +
                              (compiled_in ? " do not run on this CPU" : " are not part of this build"));
}

}  // namespace pibench::kernels::collective
