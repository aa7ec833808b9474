// peak: multiply-adds in registers only, on every thread at once: the ceiling of this CPU for a data type,
// which no program that reads operands from memory can pass.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../kernels/cpu/gemm.h"
#include "../measure/workload.h"

namespace pibench::peak {

struct Parameters {
  kernels::DataType type;
  int threads;
  std::vector<int> cpus;  // one for each thread, or empty: not bound
  std::string isa;        // empty: the best that runs here
  double operations;      // of one call, all threads together
};

// Must be constructed on the thread that will call run(): it becomes member 0 of the team. Throws
// std::invalid_argument where there is no such loop, or where a call cannot do exactly so many operations.
std::unique_ptr<Workload> make_workload(const Parameters& parameters);

// The best rate of some short bursts on all members of a team, in operations per second; 0 where there is no
// loop for the type. Takes some 20 ms.
double measure(kernels::DataType type, Team& team);

}  // namespace pibench::peak
