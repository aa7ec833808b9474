// Work that the members of a team share, and that may throw.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>

#include "team.h"

namespace pibench {

// Calls `part(first, count)` on every member for its `step` of `count` elements, which may be none, and waits
// for all. What a member throws is thrown on: a team's own may throw nothing.
template <typename Part>
void share_among(Team& team, std::size_t count, std::size_t step, Part& part) {
  struct Context {
    Part* part;
    std::size_t count, step;
    std::mutex mutex;
    std::exception_ptr thrown;
  } context{&part, count, step, {}, {}};
  team.run(
      [](void* raw, int member) {
        auto& c = *static_cast<Context*>(raw);
        const std::size_t first = std::min(c.count, static_cast<std::size_t>(member) * c.step);
        try {
          (*c.part)(first, std::min(c.step, c.count - first));
        } catch (...) {
          const std::scoped_lock lock(c.mutex);
          if (!c.thrown) c.thrown = std::current_exception();
        }
      },
      &context);
  if (context.thrown) std::rethrow_exception(context.thrown);
}

}  // namespace pibench
