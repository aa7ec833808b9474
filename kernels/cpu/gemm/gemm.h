// C = A * B on the CPU: the one entry point of our GEMM and the list of its kernels.
//
// C is m x n and row-major; alpha = 1 and beta = 0, so C is overwritten, never read. A is m x k and
// row-major, or, transposed, k x m; B is k x n or, transposed, n x k. bfloat16 operands accumulate in float32
// and C is float32; int8 operands accumulate in int32 and C is int32; float32 and float64 accumulate in their
// own type.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../data_type.h"

namespace pibench {
class Team;
}

namespace pibench::kernels {

struct GemmShape {
  std::int64_t m, n, k;
  bool transpose_a = false;  // A lies in memory as k x m
  bool transpose_b = false;  // B lies in memory as n x k
  std::int64_t batch = 1;    // independent products of this shape in one call
  bool prepack_b = false;    // B is packed once, by prepack(), and not in each call
};

struct GemmOperands {
  const void* a;
  const void* b;
  void* c;
  std::int64_t lda, ldb, ldc;  // elements between the starts of two rows as they lie in memory
  // Elements between the operands of two products of a batch.
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
};

// One entry of the dispatch table.
struct KernelInfo {
  const char* isa;  // "portable", "avx2", "avx512", ...
  DataType type;
  bool runs_here;  // this CPU and operating system can execute it
};

// Every kernel that was compiled in, best first for each data type.
std::span<const KernelInfo> kernel_list();

// A GEMM of one shape, prepared once (buffers for packing are allocated and touched here) and run many times.
class Gemm {
 public:
  virtual ~Gemm() = default;
  // Packs B for the calls of run() that follow, where the shape asks for it; else does nothing. B must not
  // change in between. A library may throw std::runtime_error, and may take the operands for all calls.
  virtual void prepack(const GemmOperands& operands) = 0;
  // One call. Allocates nothing. One member alone makes no system call; of several, whoever waits for another
  // for longer than Team::kSpinTime offers its CPU to others (sched_yield), of more members than CPUs at
  // every look, and members that slept through a long idle spell are woken.
  virtual void run(const GemmOperands& operands) noexcept = 0;
  // The instruction set that was chosen.
  [[nodiscard]] virtual const char* isa() const noexcept = 0;
  // Members of the team that take part: fewer than there are where more would only slow the product down.
  [[nodiscard]] virtual int members() const noexcept = 0;
};

// `isa` = nullptr or "" chooses the best kernel that runs here. Throws std::invalid_argument when the named
// one was not compiled in or does not run here, std::bad_alloc when packing buffers cannot be allocated.
std::unique_ptr<Gemm> make_gemm(DataType type, const GemmShape& shape, const char* isa, Team& team);

// Register-only multiply-add ceiling of one instruction set on the calling thread: executes `iterations`
// rounds of independent multiply-adds that touch no memory and returns how many floating-point (or integer)
// operations they were. Returns 0 where there is no such loop for the pair, and where the sums at the end are
// not what they must be. `isa` = "" chooses the best that runs here.
std::uint64_t run_peak_loop(DataType type, const char* isa, std::uint64_t iterations) noexcept;

// The instruction set whose loop that is; "" where there is none.
const char* peak_loop_isa(DataType type, const char* isa) noexcept;

// What this CPU has for the type that may be faster than that loop and is not used by it, by the names that
// people use. (Of int8 AVX-VNNI, or pairs of 512 bits, where there is no AVX512-VNNI; of all types SVE's
// longer vectors and SME.)
std::vector<std::string> unused_by_peak_loop(DataType type, const char* isa);

// Whether there is a loop, and nothing of that kind beside the best one, which then is a ceiling: else a
// library that is faster is no suspect.
bool knows_peak(DataType type);

}  // namespace pibench::kernels
