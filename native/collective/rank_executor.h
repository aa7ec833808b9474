// What each rank does with an order (transport.h): writes its input, meets the others, calls, checks its
// output.
#pragma once

#include <cstdint>
#include <memory>

#include "problem.h"
#include "transport.h"

namespace pibench::collective {

// How ranks begin an iteration together.
enum class Sync : std::uint8_t {
  barrier,  // they leave our own barrier, one after the other
  window,   // at a moment that all of them know
  none      // once before many calls, which then run into each other
};

struct RankSettings {
  Problem problem;
  Sync sync = Sync::barrier;
  bool fresh = true;  // inputs are written before each iteration; else before the first
  std::uint64_t seed = 0;
};

// Throws what allocation throws.
std::unique_ptr<Executor> make_rank_executor(const RankSettings& settings, Port& port);

}  // namespace pibench::collective
