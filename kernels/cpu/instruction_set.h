// What an instruction set brings to the GEMM: its micro-kernels and its peak loops.
//
// Adding one: a file beside portable.cc that defines one `const InstructionSet`, its declaration at the end
// of this header, and its line in dispatch.cc.
//
// A file for one instruction set is compiled with flags of its own. Any inline function or template instance
// with external linkage that it emitted could be chosen by the linker for the whole program and would then
// crash on other CPUs. So such a file includes intrinsics and this header only, and exports nothing but its
// InstructionSet; all of that is constant data, so that nothing of the file executes before dispatch.cc has
// checked the CPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu_features.h"
#include "data_type.h"
#include "packing.h"

namespace pibench::kernels {

// Computes one tile of C, `rows` x nr, from a packed strip of A and a packed panel of B:
//   C[i][j] = (accumulate ? C[i][j] : 0) + sum over p < depth of a[p * rows + i] * b[p * nr + j]
// in packed elements, with ldc elements between the starts of two rows of C. `rows` is fixed per function.
using ComputeTile = void (*)(std::int64_t depth, const void* a, const void* b, void* c, std::int64_t ldc,
                             bool accumulate) noexcept;

// A micro-kernel: how operands of one type are packed and how one tile is computed from them.
struct MicroKernel {
  DataType type;
  const Packing* packing;
  std::size_t result_size;  // bytes of an element of C
  int mr;                   // most rows of a tile
  int nr;                   // columns of a tile
  // by_rows[r - 1] computes r rows, for each r in 1..mr: no row of C is ever padding.
  const ComputeTile* by_rows;
};

// Executes `iterations` rounds of independent multiply-adds in registers and returns the operations executed.
struct PeakLoop {
  DataType type;
  std::uint64_t (*run)(std::uint64_t iterations) noexcept;
};

struct InstructionSet {
  const char* name;
  std::uint32_t needs;  // CpuFeature bits
  const MicroKernel* kernels;
  int kernel_count;
  const PeakLoop* peaks;
  int peak_count;
};

extern const InstructionSet kPortable;
#if defined(__x86_64__)
extern const InstructionSet kAvx2;
extern const InstructionSet kAvx512;
#endif

}  // namespace pibench::kernels
