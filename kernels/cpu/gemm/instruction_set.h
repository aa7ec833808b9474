// What an instruction set brings to the GEMM: its micro-kernels and its peak loops.
//
// Adding one: a file beside portable.cc that defines one `const InstructionSet`, its declaration at the end
// of this header, and its line in compiled_sets.cc.
//
// A file for one instruction set is compiled with flags of its own. Any inline function or template instance
// with external linkage that it emitted could be chosen by the linker for the whole program and would then
// crash on other CPUs. So such a file includes intrinsics, this header, and headers whose code is in unnamed
// namespaces, and exports nothing but its InstructionSet (and what others that need the same features share);
// all of that is constant data, so that nothing of the file executes before dispatch.cc has checked the CPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../cpu_features.h"
#include "../data_type.h"
#include "packing.h"

namespace pibench::kernels {

// A panel of B that a kernel packs while it computes with another: all of its nr columns, of B as it is.
struct PanelAhead {
  const void* from;        // the first row that is not packed yet
  std::int64_t row_bytes;  // from one row to the next
  void* to;                // where it belongs
  std::int64_t groups;     // of as many rows as B's unit has, still to be packed
  std::int64_t at_once;    // groups to pack in each step of a tile's depth
};

// One tile of C, at most mr rows and nr columns:
//   C[i][j] = (accumulate ? C[i][j] : 0) + sum over p < depth of A[i][p] * B[p][j]
struct Tile {
  std::int64_t depth;  // of packed operands, filled up to the packing's depth_multiple
  const void* a;
  const void* b;
  void* c;
  // Elements of A, as packed or as it lies, from one unit of the depth to the next, and the same of B. (The
  // packed ones are rows * unit and nr * unit; kernels whose unit is above 1 may rely on these.)
  std::int64_t a_step, b_step;
  std::int64_t a_row;    // elements from one row of A to the next; read by ComputeTile functions `in_place`
  std::int64_t ldc;      // elements from one row of C to the next
  std::int64_t columns;  // of the tile: nr, or fewer where the kernel says that it can
  bool accumulate;
  bool stream_c;    // C may be written past the caches: each row of the tile begins a cache line
  bool prefetch_c;  // C is too large to be in a near cache
  // Where the tile's rows will be written in the end, and elements between two of them: c and ldc, unless the
  // tile hangs over the edge of C and is computed in a buffer.
  void* target;
  std::int64_t target_row;
  PanelAhead* ahead;  // to be packed meanwhile, where MicroKernel has pack_ahead; nullptr: nothing
  // Units of B to ask for meanwhile, because they are far away: this tile's share of the panel after this
  // one, where each begins `asked_step` elements after the one before. 0: none. (Tiles that join rows of B
  // ask for those of the same place in all of that panel, or, with nullptr, for none.)
  const void* asked;
  std::int64_t asked_units, asked_step;
  // With each step of the depth the same of the next panel, instead of several every few steps: of a tile in
  // place that is its panel's only one and asks for nothing of C.
  bool asks_evenly;
  // Where B, which is then read as it lies, is packed on the way; nullptr: it is not. For tiles of all nr
  // columns and of MicroKernel::copies_b rows or more.
  void* copy;
  // So many tiles more of all nr columns to its right, each of the panel of B that begins `b_panel` bytes
  // after the one before; where MicroKernel::beside. They ask for nothing of B.
  std::int64_t more, b_panel;
  // Likewise so many strips more below it, of as many rows, each of the A and C that begin so many bytes
  // after those of the one before; or above it, and then they are negative.
  std::int64_t below, a_strip, c_strip;
};

// Computes a tile of a fixed number of rows.
using ComputeTile = void (*)(const Tile& tile) noexcept;

// A part of a matrix that is multiplied with a few vectors. Distances are in elements: of the operands, or of
// the result.
struct ThinPart {
  const void* matrix;
  std::int64_t row;  // from one row to the next; within a row elements are neighbours
  std::int64_t rows, columns;
  const void* vectors;
  std::int64_t vector, element;  // from one vector to the next, and from one element of a vector to the next
  void* result;
  std::int64_t result_vector;  // from the result of one vector to that of the next
  std::int64_t result_row;     // from the result of one row to that of the next, along rows
  bool accumulate;             // onto the result
  bool ahead;                  // the matrix is far away: ask for rows before they are read
};

// result[vector][j] = sum over rows of the vector's element of a row times element j of that row, or, along
// rows, result[vector][row] = sum over columns of the vector's element times the row's.
using MultiplyThin = void (*)(const ThinPart& part) noexcept;

inline constexpr int kThinVectors = 4;
// More take turns, which pays where the alternative is to pack the matrix, or to leave lanes empty.
inline constexpr int kMostVectors = 16;
inline constexpr int kMostOfTransposed = 128;

// Tiles beside each other that are computed as one, where two are.
inline constexpr std::int64_t kTilesOfPair = 2;

// Steps of the depth of a tile of MicroKernel::plain, at least.
inline constexpr std::int64_t kFewestPlainSteps = 4;

struct ThinKernel {
  MultiplyThin along_rows[kThinVectors];   // for 1 .. 4 vectors, of which elements are neighbours
  MultiplyThin across_rows[kThinVectors];  // likewise, with any distance; elements of a result are neighbours
};

// A micro-kernel: how operands of one type are packed and how one tile is computed from them.
// There are a few constant ones: the members stand in the order of reading, not in that of the fewest bytes.
struct MicroKernel {  // NOLINT(clang-analyzer-optin.performance.Padding)
  DataType type;
  const Packing* packing;
  std::size_t result_size;  // bytes of an element of C
  int mr;                   // most rows of a tile
  int nr;                   // columns of a tile
  // by_rows[r - 1] computes r rows, for each r in 1..mr: no row of C is ever padding. A is packed, or, where
  // the packing changes neither type nor unit, any matrix whose rows are neighbours in memory.
  const ComputeTile* by_rows;
  // The same with A as it lies in memory, row-major and not packed: `a_row` apart, its depth in steps of one.
  // nullptr where there are none. Only where the packing changes neither type nor, save for whole multiples
  // of the depth that packing fills up to, unit. B may be packed or, where its unit is 1, as it lies,
  // row-major.
  const ComputeTile* in_place = nullptr;
  // Of how many rows a strip of A in place is best; 0: as many as there can be.
  int rows_in_place = 0;
  // Packs so many more groups of rows; nullptr: the tiles pack nothing.
  void (*pack_ahead)(PanelAhead& panel, std::int64_t groups) noexcept = nullptr;
  // Whether a tile may have fewer than nr columns. Else one that hangs over the edge of C is computed whole
  // in a buffer.
  bool any_columns = false;
  // Whether B is read where it lies, row-major, although its unit is above 1: the rows of a unit are joined
  // on the way. Then `depth` is that of the matrix, not filled up, and `b_step` goes from row to row.
  bool joins_b = false;
  // A kernel that does, for products of which few rows use each element of B; nullptr: none.
  const MicroKernel* joining = nullptr;
  // A kernel with fewer columns, for the same packed operands and at least as many rows; nullptr: none.
  const MicroKernel* narrow = nullptr;
  // Likewise with fewer columns still, for the last of a panel of this kernel, and as many rows: for cores on
  // which an instruction takes the longer the more lanes it has; nullptr: none.
  const MicroKernel* half = nullptr;
  // For products of a matrix and few vectors, as they lie in memory; nullptr: none.
  const ThinKernel* thin = nullptr;
  // The kernel of which along_rows is better, but for Intel's cores, whose instruction for pairs is slow;
  // nullptr: that one.
  const ThinKernel* dots = nullptr;
  // How many vectors are few; and how many rows of A are, where B is transposed and they are measured to be
  // faster as vectors than a B that has to be packed; 0: no more.
  int most_vectors = kThinVectors;
  int most_of_transposed = 0;
  // Called by each member before its first tile of a call and after its last, where an instruction set has
  // state to set up (AMX: the tiles' configuration). nullptr: nothing to do. What is set up is for blocks of
  // so many rows, or of any number from row_multiple on; between blocks of which that is not true, again.
  void (*enter)(std::int64_t rows) noexcept = nullptr;
  void (*leave)() noexcept = nullptr;
  // Blocks of A, and in them strips, are cut at multiples of so many rows, a divisor of mr: kernels of which
  // other heights cost as much as the next multiple.
  int row_multiple = 1;
  // How many multiply-adds it does in the time in which vector instructions do one. What packing, waking
  // other members and streaming from L2 cost weighs so much more beside it.
  int speed = 1;
  // Multiply-adds of one lane in one vector instruction: of pairs 2, of quadruples 4. Elements are as much
  // smaller, so packing and streaming one costs as much less; waking and meeting other members does not.
  int products = 1;
  // Of how many rows a tile with a packed A has to be that packs the B that it reads; 0: none does. And
  // whether one in place of so many rows does, too.
  int copies_b = 0;
  bool copies_in_place = false;
  // Whether a tile can have others of all nr columns beside it, and others below it, also one of `narrow`: of
  // a kernel of any rows and without state. And with how many rows of an A in place two of these are computed
  // as one, which takes fewer loads and reads B more often; 0: with none.
  bool beside = false;
  int rows_of_pairs = 0;
  // Of kernels whose other tiles have none beside and below them, what computes an even number of tiles
  // beside each other, and those below them, of up to rows_of_pairs rows, two at a time, of operands in
  // place. It asks for nothing of B and never writes past the caches. nullptr: in_place computes pairs, where
  // it can.
  const ComputeTile* flat = nullptr;
  // Likewise what computes tiles of all nr columns and up to mr rows, panel by panel, with those below and
  // beside them, of kFewestPlainSteps or more. It asks for nothing at all and adds nothing to C. nullptr:
  // there is none.
  const ComputeTile* plain = nullptr;
  // by_rows and in_place for cores that are faster without multiply-adds that read an element of A and spread
  // it themselves; nullptr: there is no difference.
  const ComputeTile* spreading = nullptr;
  const ComputeTile* spreading_in_place = nullptr;
};

// Executes `iterations` rounds of independent multiply-adds in registers and returns the operations executed;
// 0 where the sums at the end are not those of so many (peak_sums.h).
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
  // Whether Intel's cores do the same work in less time by a set further down the list: then there it is only
  // chosen by name.
  bool slow_on_intel = false;
};

extern const InstructionSet kPortable;
#if defined(__x86_64__)
extern const InstructionSet kPortableV3;
extern const InstructionSet kAvx2;
extern const InstructionSet kAvx2Float64;  // of the same name, as it is the same instruction set
extern const InstructionSet kAvx2Int8;
extern const InstructionSet kAvx512;
extern const InstructionSet kAvx512Float64;
extern const InstructionSet kAvx512Bf16;
extern const InstructionSet kAvx512Vnni;
extern const InstructionSet kAmxBf16;
extern const InstructionSet kAmxInt8;
// Of avx512.cc and avx512_vnni.cc, for every set that needs what these need.
extern const ThinKernel kThinBfloat16;
extern const ThinKernel kThinInt8;
#elif defined(__aarch64__)
extern const InstructionSet kNeon;
extern const InstructionSet kNeonBf16;
extern const InstructionSet kNeonDotprod;
extern const InstructionSet kNeonI8mm;
// Of neon.cc and neon_dotprod.cc, likewise.
extern const ThinKernel kThinBfloat16;
extern const ThinKernel kThinInt8;
#endif

}  // namespace pibench::kernels
