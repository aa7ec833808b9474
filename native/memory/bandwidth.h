// How fast a team reads a working set of a given size: the memory side of a roofline.
#pragma once

#include <cstddef>

namespace pibench {
class Team;
}

namespace pibench::memory {

struct Bandwidth {
  double bytes_per_second = 0;
  double bytes = 0;  // of the working set that was read
};

// The best of some passes over `bytes`, shared out among the members, each reading its own part again and
// again; with cold caches when `cold`. Sets far past the last cache are read in a part that is past it too.
// Takes some 20 ms, and more where one pass does. Throws std::bad_alloc.
Bandwidth measure_read(std::size_t bytes, bool cold, Team& team);

}  // namespace pibench::memory
