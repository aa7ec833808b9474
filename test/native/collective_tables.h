// The collectives' loops of the instruction sets that run here.
#pragma once

#include <string>
#include <vector>

#include "../../kernels/cpu/collective/dispatch.h"
#include "check.h"

namespace pibench::test {

// Says which one does not, in the words that scripts/emulated-checks.mjs looks for.
inline std::vector<const kernels::collective::CollectiveKernels*> collective_tables_here() {
  std::vector<const kernels::collective::CollectiveKernels*> here;
  for (const auto* const table : kernels::collective::kernel_tables()) {
    if (kernels::collective::runs_here(*table)) {
      here.push_back(table);
    } else {
      Checks::inform(std::string(table->name) + " does not run here");
    }
  }
  return here;
}

}  // namespace pibench::test
