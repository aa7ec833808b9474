// Work on the host around a measurement, shared out over some threads that are gone afterwards.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../threads/affinity.h"
#include "../threads/share_among.h"
#include "../threads/team.h"

namespace pibench::cuda {

// Calls `part(first, count)` on several threads for shares of `count`, and waits for all. `each` is how many
// elements there are in one of the count: a few are not worth a thread. Throws what a part throws, of several
// the first.
template <typename Part>
void on_threads(std::size_t count, std::size_t each, Part part) {
  constexpr std::size_t kMostThreads = 16;
  // Takes several times as long as a thread's start.
  constexpr std::size_t kLeastElements = 1 << 16;
  const auto cpus = static_cast<std::size_t>(CpuSet::of_thread(0).count());
  const std::size_t threads =
      std::clamp(count * each / kLeastElements, std::size_t{1}, std::min(cpus, kMostThreads));
  Team team(static_cast<int>(threads), {});
  share_among(team, count, (count + threads - 1) / threads, part);
}

template <typename Part>
void on_threads(std::size_t count, Part part) {
  on_threads(count, 1, part);
}

}  // namespace pibench::cuda
