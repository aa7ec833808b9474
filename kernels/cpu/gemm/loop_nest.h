// The loop nest around a micro-kernel: one for every instruction set and data type.
#pragma once

#include <memory>

#include "../cpu_features.h"
#include "blocking.h"
#include "gemm.h"
#include "partition.h"

namespace pibench::kernels {

struct InstructionSet;
struct MicroKernel;

// How a call goes about it. All of it follows from the shape, the kernel, the caches and the team's size.
struct Strategy {
  Partition partition;
  Blocking blocking;
  bool a_in_place = false;  // the kernel reads A where it lies
  bool b_in_place = false;
  bool stream_c = false;  // C is written past the caches
  int strip_rows = 0;     // most rows of a strip; 0: as many as the kernel has
  // A block of B is packed so many rows of it at a time, all panels of these; 0: all of its rows.
  int b_rows = 0;
  // By whole lines of several panels, as far as the packing can, else panel by panel. Where a packing has a
  // trailer only with b_rows.
  bool by_lines = false;
  // A panel of B is packed while the one before is used, where MicroKernel::pack_ahead can, or just before
  // its use; else all of a block at once. Of a B that lies as it is multiplied, by a member that shares it
  // with nobody, without b_rows.
  bool b_ahead = false;
  // A panel of B is packed by the first tile that uses it, where that tile can.
  bool b_copied = false;
  bool b_asked = false;     // each panel of B asks for the next one
  bool evenly = false;      // Tile::asks_evenly, where a block has one strip
  bool next_asked = false;  // products of which nothing is packed ask for the operands of the next of a batch
  // The loop over the strips of a block is outside of that over its panels, so that a strip stays near rather
  // than a panel: of kernels with MicroKernel::beside, and in_pairs of those with MicroKernel::flat, of
  // operands in place. Then b_ahead, b_copied, b_asked, evenly and next_asked have no effect.
  bool rows_outside = false;
  bool in_pairs = false;   // by strips of MicroKernel::rows_of_pairs, where it has some
  bool c_asked = false;    // each tile asks for its rows of C
  bool halves = false;     // MicroKernel::half has the last columns
  bool spreading = false;  // MicroKernel::spreading and its like, where there are some
  // MicroKernel::plain, where there is one and nothing but tiles to compute, without c_asked and stream_c.
  bool plain = false;
  // Strips by StripOrder::to_the_middle.
  bool to_the_middle = false;
};

// Whether this operand of such products can be read where it lies.
bool can_read_a_in_place(const MicroKernel& kernel, const GemmShape& shape) noexcept;
bool can_read_b_in_place(const MicroKernel& kernel, const GemmShape& shape) noexcept;

// The kernel itself, or the one of its relatives that suits so narrow a product, or so few rows.
const MicroKernel& kernel_for(const MicroKernel& kernel, const GemmShape& shape,
                              CoreKind cores = core_kind()) noexcept;

// `cores`: by the rules for these, where they have rules of their own.
Strategy choose_strategy(const MicroKernel& kernel, const GemmShape& shape, int members,
                         CoreKind cores = core_kind());

// `strategy` = nullptr: chosen. Tests pass their own to reach every path with small matrices.
// Throws std::invalid_argument for an empty shape and for a strategy that the kernel cannot follow.
std::unique_ptr<Gemm> make_blocked_gemm(const InstructionSet& set, const MicroKernel& kernel,
                                        const GemmShape& shape, Team& team,
                                        const Strategy* strategy = nullptr);

}  // namespace pibench::kernels
