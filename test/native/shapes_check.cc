// The GEMM on every shape up to 70 in each dimension, by each kernel of each instruction set that runs here.
// An argument sets the stride: how many depths to go on by, of each m and n (1: every shape there is). Those
// after it name instruction sets; none: all.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "check.h"
#include "current_shape.h"
#include "instruction_sets.h"
#include "shapes.h"

// An exception ends the program, which is a check that failed.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  constexpr int kStride = 10;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const int stride = arguments.empty() ? kStride : std::max(1, std::atoi(arguments[0].c_str()));
  pibench::test::CurrentShape::tell_of_faults();
  pibench::test::Checks check;
  for (const auto* set : pibench::test::instruction_sets()) {
    const bool named = arguments.size() < 2 ||
                       std::find(arguments.begin() + 1, arguments.end(), set->name) != arguments.end();
    if (!named || !pibench::test::runs_here(*set)) continue;
    for (int i = 0; i < set->kernel_count; ++i) {
      const auto& kernel = set->kernels[i];
      pibench::test::check_shapes(check, *set, kernel, stride, false);
      if (kernel.narrow != nullptr) pibench::test::check_shapes(check, *set, *kernel.narrow, stride, false);
      if (kernel.thin != nullptr) pibench::test::check_shapes(check, *set, kernel, stride, true);
    }
  }
  return check.finish();
}
