#include "matmul_parameters.h"

#include <cstdint>

#include "../../kernels/cpu/data_type_name.h"

namespace pibench::matmul {

Parameters parameters_from(const WorkloadParameters& p) {
  const auto integer = [&p](const char* name) { return static_cast<std::int64_t>(p.number(name)); };
  const auto transposed = [&p](const char* name) { return p.text(name) == "T"; };
  return {
      {integer("m"), integer("n"), integer("k"), transposed("transposeA"), transposed("transposeB"),
       integer("batch"), p.number("prepack") != 0},
      kernels::data_type_named(p.text("dtype")),
      static_cast<int>(p.number("threads")),
      p.integers("cpus"),
      p.text("isa"),
      static_cast<std::uint64_t>(p.number("seed")),
      p.optional_text("interface"),
      p.optional_text("library"),
      static_cast<int>(p.optional_number("libraryThreads")),
  };
}

}  // namespace pibench::matmul
