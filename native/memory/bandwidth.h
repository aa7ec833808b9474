// How fast a team reads a working set of a given size: the memory side of a roofline.
#pragma once

#include <cstddef>
#include <span>

#include "../../kernels/cpu/cache_sizes.h"
#include "../../kernels/cpu/memory/memory_kernels.h"

namespace pibench {
class Team;
}

namespace pibench::memory {

struct Bandwidth {
  double bytes_per_second = 0;  // 0: not known
  double bytes = 0;             // of the working set that was read
};

// How much of a working set is read: all of it, or, far past the last caches, a part that is past them too. A
// system need not list them, and in a virtual machine what it lists need not be so: hence no small part.
// `last_caches` and `cores`: how many may hold parts of it, at most one for each member. 0: the caches are so
// large that no part for which there is memory is past them; a rate of theirs would be called the memory's.
std::size_t part_to_read(std::size_t bytes, const kernels::CacheSizes& caches, int last_caches,
                         int cores) noexcept;

// The best of some passes over `bytes` with each instruction set that runs here, shared out among the
// members, each reading its own part again and again; with cold caches when `cold`. Sets far past the last
// cache are read in a part that is past it too. Takes some 20 ms for each instruction set, and more where one
// pass does.
//
// Every pass's sum is compared with what lies there: where one did not read all of it there is no rate, nor
// on a machine without the memory for it, nor where no part of a set is past the caches.
Bandwidth measure_read(std::size_t bytes, bool cold, Team& team);

// The same with passes of the caller's, which checks replace by wrong ones.
Bandwidth measure_read(std::size_t bytes, bool cold, Team& team,
                       std::span<const kernels::memory::ReadPass> reads);

}  // namespace pibench::memory
