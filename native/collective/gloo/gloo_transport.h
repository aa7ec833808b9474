// Ranks on this machine that are processes, and exchange data by Gloo over TCP.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../measure/clock.h"
#include "../problem.h"
#include "../transport.h"

namespace pibench::collective {

struct GlooParameters {
  Problem problem;
  std::vector<int> cpus;                  // one for each rank, or empty: not bound
  std::string library;                    // the path of libgloo
  std::string plugin;                     // the path of the plugin that calls it
  Nanoseconds patience = 10'000'000'000;  // how long a rank waits for another
};

// Must be called on the thread that will be rank 0. Throws std::runtime_error with one line where Gloo or the
// plugin is missing; what make_shm_transport throws.
std::unique_ptr<Transport> make_gloo_transport(const GlooParameters& parameters);

}  // namespace pibench::collective
