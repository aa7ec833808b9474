// Is what a GPU left in C the product of A and B? The operands are drawn again on the host, from the same
// streams.
#pragma once

#include <cstdint>
#include <span>

#include "../measure/workload.h"
#include "device_gemm.h"

namespace pibench::cuda {

// How operands were drawn.
struct Drawn {
  std::uint64_t a, b;  // streams
  kernels::cuda::Values values;
  std::uint32_t limit;
};

// Random numbers: the sums may differ by rounding (native/matmul/verify.h). `c` as the device left it.
Verification check_real(const GemmProblem& problem, const Drawn& drawn, std::span<const std::byte> c,
                        std::uint64_t seed);

// Whole numbers: every sum is exact in whatever order, so every element must be equal.
Verification check_integers(const GemmProblem& problem, const Drawn& drawn, std::span<const std::byte> c,
                            std::uint64_t seed);

// Both passed, or why one did not.
Verification both(const Verification& real, const Verification& integers);

}  // namespace pibench::cuda
