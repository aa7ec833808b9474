// The instruction sets that were compiled for this architecture, whether or not they run here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
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
  all.push_back(&kernels::kAvx2Float64);
  all.push_back(&kernels::kAvx2Int8);
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

// What a program is asked for by its arguments: a number, and behind it the instruction sets to look at, by
// name; none: all.
struct Asked {
  double number;
  std::vector<std::string> names;

  [[nodiscard]] bool wants(const kernels::InstructionSet& set) const {
    return names.empty() || std::ranges::find(names, set.name) != names.end();
  }
};

// `number`: where no argument says one.
inline Asked asked_of(int count, char** arguments, double number) {
  if (count < 2) return {number, {}};
  char* end = nullptr;
  Asked asked{std::strtod(arguments[1], &end), {arguments + 2, arguments + count}};
  if (end == arguments[1] || *end != '\0' || !(asked.number > 0) || !std::isfinite(asked.number))
    throw std::invalid_argument(std::string("no number above zero: ") + arguments[1]);
  for (const std::string& name : asked.names) {
    if (std::ranges::none_of(instruction_sets(), [&](const auto* set) { return name == set->name; }))
      throw std::invalid_argument("no instruction set of this architecture: " + name);
  }
  return asked;
}

}  // namespace pibench::test
