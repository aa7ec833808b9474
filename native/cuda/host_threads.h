// Work on the host around a measurement, shared out over some threads that are gone afterwards.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>

#include "../threads/team.h"

namespace pibench::cuda {

// Calls `part(first, count)` on several threads for shares of `count`, and waits for all.
template <typename Part>
void on_threads(std::size_t count, Part part) {
  constexpr unsigned kMostThreads = 16;
  const auto threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads));
  Team team(threads, {});
  struct Context {
    Part* part;
    std::size_t count, step;
  } context{&part, count, count / static_cast<std::size_t>(threads) + 1};
  team.run(
      [](void* raw, int member) {
        const auto& c = *static_cast<Context*>(raw);
        const std::size_t first = std::min(c.count, static_cast<std::size_t>(member) * c.step);
        (*c.part)(first, std::min(c.step, c.count - first));
      },
      &context);
}

}  // namespace pibench::cuda
