// The instruction sets that were compiled for this architecture, whether or not they run here.
#pragma once

#include <string>
#include <vector>

#include "../../kernels/cpu/cpu_features.h"
#include "../../kernels/cpu/gemm/instruction_set.h"
#include "check.h"

namespace pibench::test {

inline std::vector<const kernels::InstructionSet*> instruction_sets() {
  std::vector<const kernels::InstructionSet*> all{&kernels::kPortable};
#if defined(__x86_64__)
  all.push_back(&kernels::kPortableV3);
  all.push_back(&kernels::kAvx2);
  all.push_back(&kernels::kAvx512);
  all.push_back(&kernels::kAvx512Float64);
  all.push_back(&kernels::kAvx512Bf16);
  all.push_back(&kernels::kAvx512Vnni);
  all.push_back(&kernels::kAmxBf16);
  all.push_back(&kernels::kAmxInt8);
#elif defined(__aarch64__)
  all.push_back(&kernels::kNeon);
  all.push_back(&kernels::kNeonDotprod);
  all.push_back(&kernels::kNeonI8mm);
  all.push_back(&kernels::kNeonBf16);
#endif
  return all;
}

// Says which one does not, in the words that scripts/emulated-checks.mjs looks for.
inline bool runs_here(const kernels::InstructionSet& set) {
  if ((set.needs & ~kernels::cpu_features()) == 0) return true;
  Checks::inform(std::string(set.name) + " does not run here");
  return false;
}

}  // namespace pibench::test
