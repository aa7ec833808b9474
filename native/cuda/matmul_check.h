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

// Random numbers: what the repetitions left in C beside what one call more makes of the same operands, drawn
// anew. A call has no order of its own but that of its kernel, so it leaves the same bits each time, and a
// fault of a moment in a single element shows however coarse the type is. For our kernels every difference is
// wrong; libraries may make no such promise, so that what differs of theirs is held to a wider sum.
enum class Promise : std::uint8_t { same_bits, same_product };
Verification check_again(const GemmProblem& problem, const Drawn& drawn, std::span<const std::byte> left,
                         std::span<const std::byte> again, Promise promise);

// All passed, or why the first that did not.
Verification all_of(const Verification& real, const Verification& again, const Verification& integers);

}  // namespace pibench::cuda
