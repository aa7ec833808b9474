// How fast the members of a team are together, on cores that may be of different kinds.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "../threads/team.h"
#include "clock.h"

namespace pibench {

// A window that ends for all members when the first one is through with its `most` units of work, so that all
// of them are at work all the time: the slow ones do less in it, where equal shares would let the fast ones
// wait. `work(member, first, count)` does `count` units of that member's, of which it did `first` before, and
// says whether the result is right.
template <class Work>
class Window {
 public:
  Window(Team& team, std::uint64_t most, Work work)
      : team_(team),
        most_(most),
        // Alone there is nobody to look for.
        at_once_(team.size() == 1 ? most : std::max<std::uint64_t>(1, most / kParts)),
        work_(work),
        shares_(static_cast<std::size_t>(team.size())) {}

  // Units of all members together in a nanosecond: the sum of what each did over its own time. Nothing where
  // a member's result is wrong.
  std::optional<double> run() noexcept {
    const Nanoseconds begin = now();
    team_.run([](void* self, int member) { static_cast<Window*>(self)->take_part(member); }, this);
    double rate = 0;
    for (const Share& share : shares_) {
      if (!share.right) return std::nullopt;
      if (share.units == 0) continue;
      rate +=
          static_cast<double>(share.units) / static_cast<double>(std::max<Nanoseconds>(1, share.end - begin));
    }
    return rate;
  }

 private:
  // After each of so many parts a member looks whether another one is through.
  static constexpr std::uint64_t kParts = 32;

  // What one member did, on a line of its own.
  struct alignas(64) Share {
    std::uint64_t units = 0;
    Nanoseconds end = 0;
    bool right = true;
  };

  void take_part(int member) noexcept {
    Share& own = shares_[static_cast<std::size_t>(member)];
    while (own.units < most_) {
      // What begins later is not done beside all others; but the result of every member is looked at once.
      const bool late = through_.load(std::memory_order_relaxed);
      if (late && own.units > 0) break;
      const std::uint64_t next = std::min(at_once_, most_ - own.units);
      own.right = work_(member, own.units, next);
      if (!own.right || late) break;
      own.units += next;
      // Also where that is after the others were through: who lost the CPU meanwhile was slow.
      own.end = now();
    }
    through_.store(true, std::memory_order_relaxed);
  }

  Team& team_;
  std::uint64_t most_;
  std::uint64_t at_once_;
  Work work_;
  std::vector<Share> shares_;
  std::atomic<bool> through_{false};  // written once, so what shares its line is read as fast
};

// How long the members together take for `each` units of every one, whoever does how many of them. Nothing
// where a member's result is wrong.
template <class Work>
std::optional<Nanoseconds> time_together(Team& team, std::uint64_t each, Work work) {
  const std::optional<double> rate = Window(team, each, work).run();
  if (!rate) return std::nullopt;
  const double all = static_cast<double>(each) * team.size();
  return std::max<Nanoseconds>(1, static_cast<Nanoseconds>(std::llround(all / *rate)));
}

}  // namespace pibench
