// What an instruction set brings to the memory indicator: one pass over arrays of float64 for each operation.
//
// As with the GEMM (../gemm/instruction_set.h), a file for one instruction set is compiled with flags of its
// own and exports nothing but one constant table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../cpu_features.h"

namespace pibench::kernels::memory {

// Named as in STREAM (McCalpin 1995), with reading and writing alone beside its four.
enum class Operation : std::uint8_t { read, write, copy, scale, add, triad };

// How results go to memory.
enum class Stores : std::uint8_t {
  cached,     // plain stores: a line that is in no cache is read first, which is called write-allocate
  streaming,  // non-temporal stores, past the caches, and a fence at the end
  // The string instruction of x86 (rep movsb, rep stosq): the CPU decides. Copy and write only; the
  // first bytes of a short copy go by vectors.
  string,
  // As streaming, kPagesInTurns pages in turns, a few lines of each. Not for write and not for short arrays.
  paged,
};
inline constexpr int kStoresCount = 4;

// As many as the memory copy of glibc takes in turns.
inline constexpr std::size_t kPagesInTurns = 4;

// The factor of scale and triad, and what write stores. Both are exact in every sum and product that occurs.
inline constexpr double kFactor = 3.0;
inline constexpr double kWritten = 1.25;

// `count` elements each; an operation leaves alone what it does not use. Arrays do not overlap.
struct Arrays {
  double* out;
  const double* a;
  const double* b;
  std::size_t count;
};

// The sum of the elements' bit patterns, modulo 2^64: it depends on every bit, and on no order.
using ReadPass = std::uint64_t (*)(const double* a, std::size_t count) noexcept;
// write: out = kWritten; copy: out = a; scale: out = kFactor a; add: out = a + b; triad: out = a + kFactor b.
using WritePass = void (*)(const Arrays& arrays) noexcept;

struct MemoryKernels {
  const char* name;
  std::uint32_t needs;  // CpuFeature bits
  ReadPass read;
  // By Stores; null where there is no such variant.
  WritePass write[kStoresCount], copy[kStoresCount], scale[kStoresCount], add[kStoresCount],
      triad[kStoresCount];
};

extern const MemoryKernels kPortable;
#if defined(__x86_64__)
extern const MemoryKernels kAvx2;
extern const MemoryKernels kAvx512;
#endif

}  // namespace pibench::kernels::memory
