// The GEMM on shapes up to 70 in each dimension, by each kernel of each instruction set that runs here. The
// first argument sets the stride: how many depths to go on by, of each m and n (1: every shape there is).
// Those after it name instruction sets; none: all.
#include <algorithm>
#include <cstdint>

#include "check.h"
#include "current_shape.h"
#include "instruction_sets.h"
#include "shapes.h"

// An exception ends the program, which is a check that failed.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  constexpr std::int64_t kStride = 10;
  const auto asked = pibench::test::asked_of(argc, argv, kStride);
  const auto stride = std::max<std::int64_t>(1, static_cast<std::int64_t>(asked.number));
  pibench::test::CurrentShape::tell_of_faults();
  pibench::test::Checks check;
  for (const auto* set : pibench::test::instruction_sets()) {
    if (!asked.wants(*set) || !pibench::test::runs_here(*set)) continue;
    for (int i = 0; i < set->kernel_count; ++i) {
      const auto& kernel = set->kernels[i];
      pibench::test::check_shapes(check, *set, kernel, stride, false);
      for (const auto* relative : {kernel.narrow, kernel.half, kernel.joining}) {
        if (relative != nullptr) pibench::test::check_shapes(check, *set, *relative, stride, false);
      }
      if (kernel.thin != nullptr) pibench::test::check_shapes(check, *set, kernel, stride, true);
    }
  }
  return check.finish();
}
