#include "choice.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../kernels/cpu/memory/dispatch.h"
#include "../measure/clock.h"

namespace pibench::memory {
namespace {

using kernels::memory::Arrays;
using kernels::memory::find_pass;
using kernels::memory::kernel_tables;
using kernels::memory::MemoryKernels;
using kernels::memory::Operation;
using kernels::memory::runs_here;
using kernels::memory::Stores;
using kernels::memory::WritePass;

// Elements that a member writes in one trial at least: much more than calling the team takes.
constexpr std::size_t kLeastElements = std::size_t{512} << 10U;
constexpr Nanoseconds kTime = 150'000'000;
constexpr int kLeastRounds = 2;
constexpr int kMostRounds = 25;

struct Candidate {
  Choice choice;
  std::vector<Nanoseconds> times;
};

std::vector<Candidate> candidates(Operation operation, std::string_view isa) {
  std::vector<Candidate> all;
  for (const MemoryKernels* const table : kernel_tables()) {
    if ((!isa.empty() && isa != table->name) || !runs_here(*table)) continue;
    for (const Stores stores : {Stores::cached, Stores::streaming, Stores::string}) {
      const WritePass pass = find_pass(*table, operation, stores);
      // The string instruction is the same for every instruction set.
      const bool known = stores == Stores::string && std::ranges::any_of(all, [](const Candidate& candidate) {
                           return candidate.choice.stores == Stores::string;
                         });
      if (pass != nullptr && !known) all.push_back({{table, stores, pass}, {}});
    }
  }
  return all;
}

struct Call {
  std::span<const Arrays> arrays;
  WritePass pass;
  std::size_t passes;
};

Nanoseconds time_of(Team& team, Call call) noexcept {
  const Nanoseconds begin = now();
  team.run(
      [](void* raw, int member) {
        const auto& [arrays, pass, passes] = *static_cast<const Call*>(raw);
        for (std::size_t i = 0; i < passes; ++i) pass(arrays[static_cast<std::size_t>(member)]);
      },
      &call);
  return now() - begin;
}

// Of two the shorter: a trial is longer where it lost its CPU, and never shorter than it can be.
Nanoseconds median(std::vector<Nanoseconds> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

}  // namespace

Choice choose(Team& team, std::span<const Arrays> arrays, Operation operation, std::string_view isa) {
  std::vector<Candidate> all = candidates(operation, isa);
  if (all.empty()) throw std::invalid_argument("there is no such pass for " + std::string(isa));
  const std::size_t passes =
      std::max<std::size_t>(1, kLeastElements / std::max<std::size_t>(1, arrays[0].count));
  const Nanoseconds begin = now();
  for (int round = 0; round < kLeastRounds || (round < kMostRounds && now() - begin < kTime); ++round) {
    for (Candidate& candidate : all) {
      // Once untimed: what the candidate before left in the caches is not its doing.
      time_of(team, {arrays, candidate.choice.pass, 1});
      candidate.times.push_back(time_of(team, {arrays, candidate.choice.pass, passes}));
    }
  }
  const auto best =
      std::ranges::min_element(all, {}, [](const Candidate& candidate) { return median(candidate.times); });
  return best->choice;
}

std::string_view name_of(Stores stores) {
  switch (stores) {
    case Stores::cached:
      return "cached";
    case Stores::streaming:
      return "streaming";
    case Stores::string:
      return "string";
  }
  return "unknown";
}

}  // namespace pibench::memory
