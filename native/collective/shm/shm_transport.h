// Ranks on this machine, over memory that they share: threads of this process, or children of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../measure/clock.h"
#include "../problem.h"
#include "../transport.h"

namespace pibench::collective {

struct ShmParameters {
  Problem problem;
  bool processes = false;
  std::vector<int> cpus;                  // one for each rank, or empty: not bound
  std::string isa;                        // empty: the best that runs here
  Nanoseconds patience = 10'000'000'000;  // how long a rank waits for another
  int beside = 0;                         // other threads that keep CPUs busy meanwhile
};

// Must be called on the thread that will be rank 0. Throws std::invalid_argument for an instruction set that
// is not here or too many ranks, std::bad_alloc, std::system_error.
std::unique_ptr<Transport> make_shm_transport(const ShmParameters& parameters);

}  // namespace pibench::collective
