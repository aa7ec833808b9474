// What the kernels take: each has exactly one parameter, one of these structs, passed by value.
//
// Read by nvcc, for the kernels, and by the host's compiler, for who launches them; so nothing of CUDA is in
// here. All matrices are dense: a row begins where the one before ends, and a batch's matrices lie one behind
// the other.
#pragma once

#include <cstdint>

namespace pibench::kernels::cuda {

// A tensor map (CUtensorMap of the driver), which describes a tensor to the bulk copy engine. Whoever
// launches makes it with cuTensorMapEncodeTiled.
struct alignas(128) TensorMap {
  std::uint64_t opaque[16];
};

// C = A B for each of `batch` products. A is m x k by rows, C m x n by rows; B as the kernel's descriptor
// says: k x n by rows, or transposed, n x k by rows.
struct GemmArguments {
  const void* a;
  const void* b;
  void* c;
  std::int32_t m, n, k, batch;
};

// The same through the bulk copy engine. Each map is of three dimensions, the innermost first: the elements
// of a row, the rows, the batch; its box is the descriptor's, of one matrix; elements outside are read as
// zero (no interleave, no special fill), and are not written.
struct TensorGemmArguments {
  TensorMap a, b, c;
  std::int32_t m, n, k, batch;
};

// Each block adds a number to its own of `sums`, which have to be zero before, made of everything that its
// arithmetic gave. Every block computes the same, so all must be equal: one that differs has computed
// wrongly.
struct PeakArguments {
  std::uint64_t* sums;
  std::uint32_t iterations;
  std::uint32_t reserved;
};

// One pass over arrays of `elements` float64, each of which begins at a multiple of 16 bytes. What an
// operation does not use is left alone. `read` adds the sum of the bit patterns, modulo 2^64, to `*sum`,
// which has to be zero before.
struct MemoryArguments {
  const double* a;
  const double* b;
  double* out;
  std::uint64_t elements;
  std::uint64_t* sum;
};

// Waits, with one thread, until `*flag` is not 0, a word of mapped host memory; or until `limit_ns` have
// passed, which sets `*gave_up` to 1 (a word of device or mapped host memory). Without the limit a lost host
// would hang the device.
struct SpinGateArguments {
  const std::uint32_t* flag;
  std::uint32_t* gave_up;
  std::uint64_t limit_ns;
};

// What a fill makes of the counter-based generator of native/random.h.
enum class Values : std::uint32_t {
  real,      // uniform in [-1, 1), rounded to the element; int8: -127 to 127. As native/matmul/elements.h
  integers,  // whole numbers from -limit to limit, whose products and sums can be exact
  memory,    // float64 only: multiples of 2^-40 in [-1, 1), as native/memory/elements.h
};

// Fills `matrices` matrices of `rows` x `columns`. Element (r, c) of matrix i is always drawn as number
// (i rows + r) columns + c of the stream; transposed, it is stored at [c][r] of its matrix, else at [r][c].
struct FillArguments {
  void* data;
  std::uint64_t stream;
  std::int64_t matrices, rows, columns;
  std::uint32_t element;  // an Element of contract.h
  Values values;
  std::uint32_t limit;  // of `integers`, at most 127
  std::uint32_t transposed;
};

// Writes `words` words of 32 bits with one value: poison before a run, zeros, or what empties the L2.
struct PatternArguments {
  std::uint32_t* data;
  std::uint64_t words;
  std::uint32_t value;
  std::uint32_t reserved;
};

// Adds to `*sum`, which has to be zero before, the fingerprint of `words` words of 32 bits (`fingerprint_of`
// in arithmetic.h): it depends on every bit and on every word's place, and on no order of adding up.
struct FingerprintArguments {
  const std::uint32_t* data;
  std::uint64_t words;
  std::uint64_t* sum;
};

// Compares words of 32 bits: adds the number of those that differ to `*different` (zero before), and lowers
// `*first` to the place of the first of them (all ones before).
struct CompareArguments {
  const std::uint32_t* left;
  const std::uint32_t* right;
  std::uint64_t words;
  std::uint64_t* different;
  std::uint64_t* first;
};

struct EmptyArguments {
  std::uint32_t reserved;
};

}  // namespace pibench::kernels::cuda
