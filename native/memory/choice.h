// Which pass `auto` takes: each one that there is is tried over the very arrays that will be measured.
//
// No rule of sizes would do. Where streaming begins to pay depends on how much of the last cache the threads
// have for themselves, and what the system says of that need not be so: in a virtual machine it may be a
// small part of the cache, or one for each CPU although one for all is reported.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "../../kernels/cpu/memory/memory_kernels.h"
#include "../measure/clock.h"
#include "../threads/team.h"

namespace pibench::memory {

struct Choice {
  const kernels::memory::MemoryKernels* kernels;
  kernels::memory::Stores stores;
  kernels::memory::WritePass pass;
};

// What trials of one pass took.
struct Tried {
  Choice choice;
  std::vector<Nanoseconds> times;
};

// The one with the least median; a streaming one only where it is ahead of all others by more than chance.
// `all` is not empty, and none of the times is.
Choice best_of(std::span<const Tried> all);

// The fastest of all passes of a writing operation, on all members at once; `isa` as in kernels_named.
// `arrays` has one entry for each member. Overwrites the outputs. Takes some tenths of a second at most,
// unless two passes of each take longer. Throws std::invalid_argument when there is none.
Choice choose(Team& team, std::span<const kernels::memory::Arrays> arrays,
              kernels::memory::Operation operation, std::string_view isa);

// "cached", "streaming", "string".
std::string_view name_of(kernels::memory::Stores stores);

}  // namespace pibench::memory
