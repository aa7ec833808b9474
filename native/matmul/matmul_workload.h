// matmul on the CPU, with our own kernels or those of a library.
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
  std::string isa;        // of our own kernels; empty: the best that runs here
  std::uint64_t seed;
  std::string interface {
  };                      // of a library in place of our kernels, as stacks::open_provider knows it; or empty
  std::string library{};  // its path
  int library_threads = 0;  // that the library will use, where it cannot use all of the case's; 0: all
};

// Must be constructed on the thread that will call run(): it becomes member 0 of the team.
std::unique_ptr<Workload> make_workload(const Parameters& parameters);

}  // namespace pibench::matmul
