// What the part of the addon has that is built first on a CPU with AVX2, and no more: the kernels of float32
// products, and all ways to read for their ceiling.
#include <array>
#include <span>

#include "../../kernels/cpu/gemm/dispatch.h"
#include "../../kernels/cpu/gemm/instruction_set.h"
#include "../../kernels/cpu/memory/dispatch.h"

namespace pibench::kernels {

std::span<const InstructionSet* const> compiled_sets() noexcept {
  static constexpr std::array kSets = {&kAvx2};
  return kSets;
}

std::span<const memory::MemoryKernels* const> memory::kernel_tables() noexcept {
  static constexpr std::array kTables = {&kAvx2, &kPortable};
  return kTables;
}

}  // namespace pibench::kernels
