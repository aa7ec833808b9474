// What a round of each peak loop computes, reckoned from the instructions that it is made of: the loop itself
// says only what it says of itself.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "../../kernels/cpu/cpu_features.h"
#include "../../kernels/cpu/data_type.h"
#include "../../kernels/cpu/data_type_name.h"
#include "../../kernels/cpu/gemm/gemm.h"
#include "../../kernels/cpu/gemm/instruction_set.h"
#include "check.h"
#include "instruction_sets.h"

namespace pibench::test {

struct PeakRound {
  std::string_view isa;
  kernels::DataType type;
  std::uint64_t instructions;  // that multiply, in one round
  std::uint64_t lanes;         // sums of one of them
  std::uint64_t products;      // in each of these sums
};

// "portable" is compiled for vectors of 128 bits, which every CPU of an architecture has, and for x86-64-v3
// for those of 256. Without an instruction for it, bfloat16 is computed as float32.
inline constexpr std::array kPeakRounds{
    PeakRound{"portable", kernels::DataType::float32, 12, 4, 1},
    PeakRound{"portable", kernels::DataType::float64, 12, 2, 1},
    PeakRound{"portable", kernels::DataType::bfloat16, 12, 4, 1},
    PeakRound{"portable", kernels::DataType::int8, 12, 4, 2},  // PMADDWD, or its like
    PeakRound{"portable-v3", kernels::DataType::float32, 12, 8, 1},
    PeakRound{"portable-v3", kernels::DataType::float64, 12, 4, 1},
    PeakRound{"portable-v3", kernels::DataType::bfloat16, 12, 8, 1},
    PeakRound{"portable-v3", kernels::DataType::int8, 12, 8, 2},
    PeakRound{"avx2", kernels::DataType::float32, 12, 8, 1},
    PeakRound{"avx2", kernels::DataType::float64, 12, 4, 1},
    PeakRound{"avx2", kernels::DataType::bfloat16, 12, 8, 1},
    PeakRound{"avx2", kernels::DataType::int8, 12, 8, 2},  // VPMADDWD, of elements of 16 bits
    PeakRound{"avx512", kernels::DataType::float32, 12, 16, 1},
    PeakRound{"avx512", kernels::DataType::float64, 12, 8, 1},
    PeakRound{"avx512", kernels::DataType::bfloat16, 12, 16, 1},
    PeakRound{"avx512_bf16", kernels::DataType::bfloat16, 12, 16, 2},  // VDPBF16PS
    PeakRound{"avx512_vnni", kernels::DataType::int8, 12, 16, 4},      // VPDPBUSD
    PeakRound{"amx_bf16", kernels::DataType::bfloat16, 6, 256, 32},    // TDPBF16PS
    PeakRound{"amx_int8", kernels::DataType::int8, 6, 256, 64},        // TDPBSSD
    PeakRound{"neon", kernels::DataType::float32, 24, 4, 1},
    PeakRound{"neon", kernels::DataType::float64, 24, 2, 1},
    PeakRound{"neon", kernels::DataType::bfloat16, 24, 4, 1},
    PeakRound{"neon", kernels::DataType::int8, 24, 4, 1},           // SMLAL
    PeakRound{"neon_bf16", kernels::DataType::bfloat16, 24, 4, 4},  // BFMMLA
    PeakRound{"neon_dotprod", kernels::DataType::int8, 24, 4, 4},   // SDOT
    PeakRound{"neon_i8mm", kernels::DataType::int8, 24, 4, 8},      // SMMLA
};

// A multiply-add is two operations. 0: of no loop.
constexpr std::uint64_t operations_of_round(std::string_view isa, kernels::DataType type) noexcept {
  for (const PeakRound& round : kPeakRounds) {
    if (round.isa == isa && round.type == type) return 2 * round.instructions * round.lanes * round.products;
  }
  return 0;
}

inline void check_peak_loops(Checks& check) {
  using kernels::DataType;
  using kernels::run_peak_loop;
  for (const kernels::InstructionSet* set : instruction_sets()) {
    for (int i = 0; i < set->peak_count; ++i) {
      const DataType type = set->peaks[i].type;
      const std::string name = std::string(set->name) + " " + name_of(type);
      const std::uint64_t once = operations_of_round(set->name, type);
      // src/indicators/peak.ts: the least common multiple of all rounds divides them.
      constexpr std::uint64_t kOfCall = std::uint64_t{3} << 26U;
      check.that(once > 0 && kOfCall % once == 0,
                 name + ": a call of the indicator is whole rounds of the loop", std::to_string(once));
      if ((set->needs & ~kernels::cpu_features()) != 0) continue;
      for (const std::uint64_t rounds : {1U, 1000U})
        check.equal(set->peaks[i].run(rounds), rounds * once,
                    name + ": " + std::to_string(rounds) + " rounds of the peak loop count their operations");
      // Asked for by the name, of which there may be a better one.
      check.equal(run_peak_loop(type, set->name, 1),
                  operations_of_round(kernels::peak_loop_isa(type, set->name), type),
                  name + ": and so does the loop of that name");
    }
  }
  check.equal(run_peak_loop(DataType::float32, "sse9", 10), std::uint64_t{0}, "no loop, no operations");
}

}  // namespace pibench::test
