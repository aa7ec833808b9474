// The memory indicator on the CPU with our own passes: read, write, copy, scale, add, triad.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../kernels/cpu/memory/memory_kernels.h"
#include "../measure/workload.h"
#include "choice.h"

namespace pibench::memory {

struct Parameters {
  kernels::memory::Operation operation;
  std::optional<kernels::memory::Stores> stores;  // none: the fastest by trial (choice.h); reading has none
  std::size_t elements;                           // float64 of each array of each thread
  std::size_t passes;                             // over the arrays, in one call
  int threads;
  std::vector<int> cpus;  // one for each thread, or empty: not bound
  std::string isa;        // empty: the fastest by trial
  std::uint64_t seed;
};

// "read" ... "triad". Throws std::invalid_argument for another name.
kernels::memory::Operation operation_named(const std::string& name);
// "cached", "streaming", "string"; "auto" is none. Throws std::invalid_argument for another name.
std::optional<kernels::memory::Stores> stores_named(const std::string& name);

// Must be constructed on the thread that will call run(): it becomes member 0 of the team.
// Throws std::invalid_argument when there is no such pass here, std::bad_alloc when there is no memory.
std::unique_ptr<Workload> make_workload(const Parameters& parameters);

// The same with a pass of the caller's, which checks replace by one that counts.
std::unique_ptr<Workload> make_workload(const Parameters& parameters, const Choice& choice);

}  // namespace pibench::memory
