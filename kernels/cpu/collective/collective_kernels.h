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

// Every output gets the reduction of all inputs, element by element. An output may be one of the inputs.
// Streaming: by non-temporal stores, past the caches, and a fence at the end, where every output is aligned
// to a vector; by plain ones elsewhere.
using Reduce = void (*)(const Ranges& ranges, bool streaming) noexcept;
using Copy = void (*)(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

struct CollectiveKernels {
  const char* name;
  std::uint32_t needs;  // CpuFeature bits
  Reduce reduce[kElements][kRedops];
  Copy copy[2];  // by plain stores, and streaming
};

extern const CollectiveKernels kPortable;
#if defined(__x86_64__)
extern const CollectiveKernels kAvx2;
extern const CollectiveKernels kAvx512;
#endif

}  // namespace pibench::kernels::collective
