// What an instruction set brings to our collectives: reducing several inputs into several outputs, and
// copying.
//
// As with the GEMM (../gemm/instruction_set.h), a file for one instruction set is compiled with flags of its
// own and exports nothing but one constant table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../cpu_features.h"
#include "element.h"

namespace pibench::kernels::collective {

// Where data come from and go to, in bytes from `begin` to `end` of each: whole elements.
struct Ranges {
  std::byte* const* inputs;
  int input_count;
  std::byte* const* outputs;
  int output_count;
  std::size_t begin, end;
  int ranks;  // what avg divides by
};

// The reduction of all inputs, element by element, of so many bytes from `begin` of each; `to` may lie in an
// input, at the same place.
using ReduceInto = void (*)(std::byte* to, const Ranges& ranges, std::size_t begin,
                            std::size_t bytes) noexcept;
// Every output gets it. An output may be one of the inputs.
using Reduce = void (*)(ReduceInto into, const Ranges& ranges) noexcept;
using Copy = void (*)(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

// 0: plain stores. 1: non-temporal stores, past the caches, and a fence at the end, where the output is
// aligned to a vector; plain ones elsewhere.
inline constexpr int kStoreKinds = 2;

struct CollectiveKernels {
  const char* name;
  std::uint32_t needs;  // CpuFeature bits
  ReduceInto into[kElements][kRedops];
  Reduce reduce[kStoreKinds];
  Copy copy[kStoreKinds];
};

extern const CollectiveKernels kPortable;
#if defined(__x86_64__)
extern const CollectiveKernels kAvx2;
extern const CollectiveKernels kAvx512;
#endif

}  // namespace pibench::kernels::collective
