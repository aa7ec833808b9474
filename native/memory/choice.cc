#include "choice.h"

#include <algorithm>
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
// So many passes, unless they write more than kMostElements: near the size of the last cache, what other
// passes left in it is seen for longer than one.
constexpr std::size_t kPasses = 4;
constexpr std::size_t kMostElements = std::size_t{32} << 20U;
// For each candidate.
constexpr Nanoseconds kTime = 20'000'000;
constexpr std::size_t kLeastRounds = 2;
// Of all that there are, and of those that are near the best of them.
constexpr std::size_t kMostRounds = 25;
constexpr std::size_t kMostFinalRounds = 100;
// So near the best is whatever may be the best: a first trial stands among others that empty the caches, and
// is of 25 rounds at most.
constexpr double kNear = 1.05;
// Streaming to lines that are in the first cache goes at one of two rates, by what was done before: that of
// plain stores, or an eighth of it (Zen 5). A trial may see the one and the measurement the other, and so it
// was for one of twelve copies of 32 to 64 KiB. Where streaming pays, it pays by far more than this.
constexpr double kStreamingGain = 1.03;
// Pages in turns gain past the caches only, and no cache that is worth it is smaller.
constexpr std::size_t kLeastPaged = std::size_t{512} << 10U;

struct Call {
  std::span<const Arrays> arrays;
  const Choice* choice;
  std::size_t passes;
};

Nanoseconds time_of(Team& team, Call call) noexcept {
  const Nanoseconds begin = now();
  team.run(
      [](void* raw, int member) {
        const auto& [all, choice, passes] = *static_cast<const Call*>(raw);
        const Arrays& arrays = all[static_cast<std::size_t>(member)];
        for (std::size_t i = 0; i < passes; ++i) choice->run(arrays);
      },
      &call);
  return now() - begin;
}

bool streams(Stores stores) noexcept { return stores == Stores::streaming || stores == Stores::paged; }

// Of two the shorter: a trial is longer where it lost its CPU, and never shorter than it can be.
Nanoseconds median(std::vector<Nanoseconds> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

// Of one that streams more than its time: see kStreamingGain.
double cost(const Tried& tried) {
  const auto time = static_cast<double>(median(tried.times));
  return streams(tried.choice.stores) ? time * kStreamingGain : time;
}

// The passes of one trial, and as many as that at most before it.
std::size_t passes_over(std::size_t count) {
  const std::size_t elements = std::max<std::size_t>(1, count);
  return std::max({std::size_t{1}, kLeastElements / elements, std::min(kPasses, kMostElements / elements)});
}

bool is_wanted(Stores stores, const Wanted& wanted) noexcept {
  if (stores == Stores::paged && wanted.elements < kLeastPaged) return false;
  return !wanted.stores || *wanted.stores == stores ||
         (*wanted.stores == Stores::streaming && streams(stores));
}

// In rounds to and fro: who is before whom changes, so that nobody is always tried behind the one that leaves
// the caches as they suit it.
std::vector<Tried> try_in_turns(Team& team, std::span<const Arrays> arrays, std::size_t most_rounds,
                                const std::vector<Choice>& choices) {
  std::vector<Tried> all;
  all.reserve(choices.size());
  for (const Choice& choice : choices) all.push_back({choice, {}});
  const std::size_t passes = passes_over(arrays[0].count);
  const auto time = static_cast<Nanoseconds>(all.size()) * kTime;
  const Nanoseconds begin = now();
  for (std::size_t round = 0; round < kLeastRounds || (round < most_rounds && now() - begin < time);
       ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      Tried& tried = all[round % 2 == 0 ? i : all.size() - 1 - i];
      // Untimed first: what the candidate before left in the caches is not its doing.
      time_of(team, {arrays, &tried.choice, std::min(passes, kPasses)});
      tried.times.push_back(time_of(team, {arrays, &tried.choice, passes}));
    }
  }
  return all;
}

}  // namespace

std::uint64_t Choice::run(const Arrays& arrays) const noexcept {
  if (pass == nullptr) return kernels->read(arrays.a, arrays.count);
  pass(arrays);
  return 0;
}

std::vector<Choice> passes_wanted(const Wanted& wanted) {
  std::vector<Choice> all;
  for (const MemoryKernels* const table : kernel_tables()) {
    if ((!wanted.isa.empty() && wanted.isa != table->name) || !runs_here(*table)) continue;
    if (wanted.operation == Operation::read) {
      all.push_back({table, Stores::cached, nullptr});
      continue;
    }
    for (const Stores stores : {Stores::cached, Stores::streaming, Stores::string, Stores::paged}) {
      if (!is_wanted(stores, wanted)) continue;
      const WritePass pass = find_pass(*table, wanted.operation, stores);
      // The string instruction does the same for every instruction set.
      const bool known = stores == Stores::string && std::ranges::any_of(all, [](const Choice& choice) {
                           return choice.stores == Stores::string;
                         });
      if (pass != nullptr && !known) all.push_back({table, stores, pass});
    }
  }
  return all;
}

Choice best_of(std::span<const Tried> all) { return std::ranges::min_element(all, {}, cost)->choice; }

std::vector<Choice> near_best(std::span<const Tried> all) {
  const double least = cost(*std::ranges::min_element(all, {}, cost));
  std::vector<Choice> near;
  for (const Tried& tried : all) {
    if (cost(tried) <= least * kNear) near.push_back(tried.choice);
  }
  return near;
}

Choice chosen_in_two(const std::vector<Choice>& wanted, const Trial& trial) {
  if (wanted.size() == 1) return wanted[0];
  const std::vector<Tried> first = trial(wanted, kMostRounds);
  const std::vector<Choice> finalists = near_best(first);
  // Over arrays that take so long the rounds of the first trial are all that there is time for.
  if (finalists.size() == 1 || first[0].times.size() <= kLeastRounds) return best_of(first);
  return best_of(trial(finalists, kMostFinalRounds));
}

Choice choose(Team& team, std::span<const Arrays> arrays, const Wanted& wanted) {
  const std::vector<Choice> all = passes_wanted(wanted);
  if (all.empty()) throw std::invalid_argument("there is no such pass for " + std::string(wanted.isa));
  return chosen_in_two(all, [&](const std::vector<Choice>& choices, std::size_t most_rounds) {
    return try_in_turns(team, arrays, most_rounds, choices);
  });
}

std::string_view name_of(Stores stores) {
  switch (stores) {
    case Stores::cached:
      return "cached";
    case Stores::streaming:
      return "streaming";
    case Stores::string:
      return "string";
    case Stores::paged:
      return "paged streaming";
  }
  return "unknown";
}

}  // namespace pibench::memory
