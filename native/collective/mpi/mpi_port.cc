#include "mpi_port.h"

#include <algorithm>

namespace pibench::collective {

MpiPort::MpiPort(World& world, const Problem& problem, Nanoseconds patience)
    : calls_(world.calls()),
      library_(world.library()),
      problem_(problem),
      rank_(world.rank()),
      ranks_(world.size()),
      function_(function_of(problem.operation)),
      memory_(problem, rank_),
      wait_(world.crowded(), patience, false) {}

Nanoseconds MpiPort::latest(Nanoseconds mine) noexcept {
  Nanoseconds most = mine;
  for (int distance = 1; distance < ranks_ && !abandoned_; distance *= 2) {
    Nanoseconds theirs = 0;
    const int to = (rank_ + distance) % ranks_;
    const int from = (rank_ + ranks_ - distance) % ranks_;
    if (!calls_.exchange(&most, to, &theirs, from, sizeof most, Topic::meeting, wait_)) abandoned_ = true;
    most = std::max(most, theirs);
  }
  return most;
}

Nanoseconds MpiPort::now() const noexcept {
  const Nanoseconds own = pibench::now();
  return clock_ ? clock_->of_rank_0(own) : own;
}

}  // namespace pibench::collective
