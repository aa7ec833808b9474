// The latency indicator on the CPU: how long a load takes of which the next one needs the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../measure/workload.h"
#include "loaders.h"
#include "ring.h"

namespace pibench::latency {

struct Parameters {
  std::size_t lines;
  std::size_t stride;  // bytes from the beginning of a line to that of the next
  Order order;
  std::uint64_t loads;    // of one call
  std::vector<int> cpus;  // of the one thread, or empty: not bound
  std::uint64_t seed;
  Load load = {};  // beside it; no threads: none
};

// What is timed: follows a ring for so many loads, and returns where it then is.
using Chase = const Link* (*)(const Link* from, std::uint64_t loads) noexcept;
const Link* chase(const Link* from, std::uint64_t loads) noexcept;

// Must be constructed on the thread that will call run(). Throws std::invalid_argument where the parameters
// make no ring, std::bad_alloc when there is no memory. Checks put a wrong chase in its place, and a pass of
// theirs in that of the loading threads.
std::unique_ptr<Workload> make_workload(const Parameters& parameters, Chase chase = latency::chase,
                                        kernels::memory::ReadPass read = nullptr);

}  // namespace pibench::latency
