// What a collective is asked for, and how much each rank gives and gets. Pure.
//
// Counts are those of MPI and NCCL. With `count` elements, n ranks and a root:
//
//   operation        a rank gives           a rank gets                in place, its input lies
//   all-reduce       count                  count                      where its output lies
//   reduce           count                  count (root only)          there (root only)
//   broadcast        count (root only)      count                      there (root only)
//   all-gather       count                  n count                    at block `rank` of the output
//   gather           count                  n count (root only)        there (root only)
//   reduce-scatter   n count                count                      with the output at its block `rank`
//   scatter          n count (root only)    count                      the same (root only)
//   all-to-all       n count                n count                    where its output lies
//   send-recv        count                  count                      never
//   barrier          nothing                nothing                    never
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "../../kernels/cpu/collective/element.h"

namespace pibench::collective {

inline constexpr std::size_t kLineBytes = 64;  // of a cache

using kernels::collective::Element;
using kernels::collective::Redop;

enum class Operation : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  gather,
  scatter,
  all_to_all,
  send_recv,
  barrier
};

// Of send-recv: each rank sends to the next and gets from the one before; or ranks 2i and 2i + 1 exchange.
enum class Pattern : std::uint8_t { ring, pairs };

struct Problem {
  Operation operation = Operation::all_reduce;
  Element element = Element::float32;
  Redop redop = Redop::sum;  // where the operation reduces
  Pattern pattern = Pattern::ring;
  int ranks = 1;
  int root = 0;           // where the operation has one
  std::size_t count = 0;  // elements, as the table above has it
  bool in_place = false;
  // Whether integers that run over wrap: MPI does not say what becomes of them, and libraries differ.
  bool wraps = true;
  // Whether an average of real numbers is the sum of what was multiplied by 1 / ranks before, as NCCL has it:
  // that rounds, unless ranks are a power of two.
  bool scales_first = false;
};

// By their names on the command line. Throw std::invalid_argument for another name.
Operation operation_named(const std::string& name);
Element element_named(const std::string& name);
Redop redop_named(const std::string& name);
Pattern pattern_named(const std::string& name);

std::size_t bytes_of(Element element) noexcept;
bool reduces(Operation operation) noexcept;

// Elements.
std::size_t given(const Problem& problem, int rank) noexcept;
std::size_t gotten(const Problem& problem, int rank) noexcept;

// Whether this rank's input and output share memory.
bool shares_memory(const Problem& problem, int rank) noexcept;

// Of send-recv.
int source_of(const Problem& problem, int rank) noexcept;

// Where a rank's input and output begin in the memory of its operands, in bytes, and how much memory that is.
struct Layout {
  std::size_t input, output, bytes;
};
Layout layout_of(const Problem& problem, int rank) noexcept;

// The part of `count` elements that falls to one rank where all of them share the work: whole cache lines, as
// even as these allow. Parts follow one another without gap; some are empty where there are few lines.
struct Part {
  std::size_t begin, end;
};
Part part_of(std::size_t count, std::size_t element_bytes, int ranks, int rank) noexcept;

}  // namespace pibench::collective
