// peak: multiply-adds in registers only, on every thread at once: the ceiling of this CPU for a data type,
// which no program that reads operands from memory can pass, unless it has instructions that no loop here
// uses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../kernels/cpu/gemm/gemm.h"
#include "../measure/workload.h"

namespace pibench::peak {

struct Parameters {
  kernels::DataType type;
  int threads;
  std::vector<int> cpus;  // one for each thread, or empty: not bound
  std::string isa;        // empty: the best that runs here
  double operations;      // of one call, all threads together
};

// What a member executes; checks put a wrong one in its place.
using Loop = std::uint64_t (*)(kernels::DataType type, const char* isa, std::uint64_t iterations) noexcept;

// Must be constructed on the thread that will call run(): it becomes member 0 of the team. Throws
// std::invalid_argument where there is no such loop, or where a call cannot do exactly so many operations.
std::unique_ptr<Workload> make_workload(const Parameters& parameters, Loop loop = kernels::run_peak_loop);

// The best rate of some short bursts on all members of a team, in operations per second: the sum of what each
// member reaches while all of them are at work, also on cores of different kinds. Takes some 20 ms. 0 where
// there is no loop for the type, and where one member's sums are wrong: a part of the members is no ceiling.
double measure(kernels::DataType type, Team& team, Loop loop = kernels::run_peak_loop);

// The rate of a single burst that takes about so long at the rate `peak`: what this moment has. 0 as above.
double glance(kernels::DataType type, Team& team, double peak, Nanoseconds about,
              Loop loop = kernels::run_peak_loop);

}  // namespace pibench::peak
