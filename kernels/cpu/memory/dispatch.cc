#include "dispatch.h"

#include "../kernel_tables.h"

namespace pibench::kernels::memory {

bool runs_here(const MemoryKernels& kernels) noexcept { return table_runs_here(kernels); }

const MemoryKernels& kernels_named(std::string_view isa) {
  return table_named(kernel_tables(), isa, "the memory passes");
}

WritePass find_pass(const MemoryKernels& kernels, Operation operation, Stores stores) noexcept {
  const auto at = static_cast<std::size_t>(stores);
  switch (operation) {
    case Operation::read:
      return nullptr;
    case Operation::write:
      return kernels.write[at];
    case Operation::copy:
      return kernels.copy[at];
    case Operation::scale:
      return kernels.scale[at];
    case Operation::add:
      return kernels.add[at];
    case Operation::triad:
      return kernels.triad[at];
  }
  return nullptr;
}

int arrays_of(Operation operation) noexcept {
  switch (operation) {
    case Operation::read:
    case Operation::write:
      return 1;
    case Operation::copy:
    case Operation::scale:
      return 2;
    case Operation::add:
    case Operation::triad:
      return 3;
  }
  return 0;
}

}  // namespace pibench::kernels::memory
