// Ranks on GPUs, with NCCL: a thread of this process for each of this machine, or a process for each
// anywhere.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../measure/clock.h"
#include "../mpi/world.h"
#include "../problem.h"
#include "../transport.h"

namespace pibench::collective {

struct NcclParameters {
  Problem problem;
  int first = 0;        // ordinal of rank 0's GPU; the others' follow
  std::string library;  // its path; empty: libnccl.so.2
  Nanoseconds patience = 10'000'000'000;
};

// Must be called on the thread that will be rank 0. Throws std::runtime_error with one line where NCCL, the
// driver or a GPU is missing, or NCCL refuses; std::invalid_argument for what NCCL has no call for.
std::unique_ptr<Transport> make_nccl_transport(const NcclParameters& parameters);

// In each rank, on the thread that will measure: the processes of `world` are the ranks, each with the GPU
// `first`. What is missing in one of them is said in start(), by rank 0. Throws std::invalid_argument for
// what NCCL has no call for.
std::unique_ptr<Transport> make_nccl_transport(World& world, const NcclParameters& parameters);

}  // namespace pibench::collective
