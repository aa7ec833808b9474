#include "mpi_port.h"

#include <algorithm>
#include <new>

namespace pibench::collective {
namespace {

constexpr std::size_t kPage = 4096;

std::byte* allocate(std::size_t bytes) {
  const std::size_t pages = bytes / kPage + 1;
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(kPage, pages * kPage));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

MpiPort::MpiPort(World& world, const Problem& problem, Nanoseconds patience)
    : calls_(world.calls()),
      problem_(problem),
      rank_(world.rank()),
      ranks_(world.size()),
      function_(function_of(problem.operation)),
      memory_(allocate(layout_of(problem, rank_).bytes)),
      input_(memory_.get() + layout_of(problem, rank_).input),
      output_(memory_.get() + layout_of(problem, rank_).output),
      wait_(world.crowded(), patience, false) {}

Operands MpiPort::operands() noexcept {
  const std::size_t element = bytes_of(problem_.element);
  const auto part = [element](std::byte* at, std::size_t elements) {
    return elements == 0 ? std::span<std::byte>() : std::span(at, elements * element);
  };
  return {part(input_, given(problem_, rank_)), part(output_, gotten(problem_, rank_))};
}

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
