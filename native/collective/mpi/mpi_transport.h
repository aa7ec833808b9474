// Ranks that are the processes of an MPI job, on any hosts: each call is the MPI library's own.
#pragma once

#include <memory>
#include <vector>

#include "../transport.h"
#include "world.h"

namespace pibench::collective {

struct MpiParameters {
  Problem problem;
  std::vector<int> cpus;                  // this rank's CPU, or empty: not bound
  Nanoseconds patience = 10'000'000'000;  // how long a rank waits for another
};

// In each rank, on the thread that will call MPI. Throws std::invalid_argument for a problem of another
// number of ranks than the job has, and for what MPI cannot execute; std::bad_alloc.
std::unique_ptr<Transport> make_mpi_transport(World& world, const MpiParameters& parameters);

}  // namespace pibench::collective
