// The instruction sets of the whole addon. The part of it that is built first has a table of its own
// (native/first/parts.cc).
#include <array>

#include "dispatch.h"
#include "instruction_set.h"

namespace pibench::kernels {
namespace {

// Best first. Adding an instruction set is one line here.
constexpr std::array kInstructionSets = {
#if defined(__x86_64__)
    &kAmxBf16,       &kAmxInt8, &kAvx512Bf16,  &kAvx512Vnni, &kAvx512,
    &kAvx512Float64, &kAvx2,    &kAvx2Float64, &kAvx2Int8,   &kPortableV3,
#elif defined(__aarch64__)
    &kNeonBf16, &kNeonI8mm, &kNeonDotprod, &kNeon,
#endif
    &kPortable,
};

}  // namespace

std::span<const InstructionSet* const> compiled_sets() noexcept { return kInstructionSets; }

}  // namespace pibench::kernels
