// matmul on the CPU with our own kernels.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../kernels/cpu/gemm/gemm.h"
#include "../measure/workload.h"

namespace pibench::matmul {

struct Parameters {
  kernels::GemmShape shape;
  kernels::DataType type;
  int threads;
  std::vector<int> cpus;  // one for each thread, or empty: not bound
  std::string isa;        // empty: the best that runs here
  std::uint64_t seed;
};

// Must be constructed on the thread that will call run(): it becomes member 0 of the team.
std::unique_ptr<Workload> make_workload(const Parameters& parameters);

}  // namespace pibench::matmul
