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
constexpr int kLeastRounds = 2;
constexpr int kMostRounds = 25;
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

// Of two the shorter: a trial is longer where it lost its CPU, and never shorter than it can be.
Nanoseconds median(std::vector<Nanoseconds> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

// The passes of one trial, and as many as that at most before it.
std::size_t passes_over(std::size_t count) {
  const std::size_t elements = std::max<std::size_t>(1, count);
  return std::max({std::size_t{1}, kLeastElements / elements, std::min(kPasses, kMostElements / elements)});
}

bool streams(Stores stores) noexcept { return stores == Stores::streaming || stores == Stores::paged; }

bool is_wanted(Stores stores, const Wanted& wanted) noexcept {
  if (stores == Stores::paged && wanted.elements < kLeastPaged) return false;
  return !wanted.stores || *wanted.stores == stores ||
         (*wanted.stores == Stores::streaming && streams(stores));
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

Choice best_of(std::span<const Tried> all) {
  const auto cost = [](const Tried& tried) {
    const auto time = static_cast<double>(median(tried.times));
    return streams(tried.choice.stores) ? time * kStreamingGain : time;
  };
  return std::ranges::min_element(all, {}, cost)->choice;
}

Choice choose(Team& team, std::span<const Arrays> arrays, const Wanted& wanted) {
  std::vector<Tried> all;
  for (const Choice& choice : passes_wanted(wanted)) all.push_back({choice, {}});
  if (all.empty()) throw std::invalid_argument("there is no such pass for " + std::string(wanted.isa));
  if (all.size() == 1) return all[0].choice;
  const std::size_t passes = passes_over(arrays[0].count);
  const auto time = static_cast<Nanoseconds>(all.size()) * kTime;
  const Nanoseconds begin = now();
  for (int round = 0; round < kLeastRounds || (round < kMostRounds && now() - begin < time); ++round) {
    for (Tried& tried : all) {
      // Untimed first: what the candidate before left in the caches is not its doing.
      time_of(team, {arrays, &tried.choice, std::min(passes, kPasses)});
      tried.times.push_back(time_of(team, {arrays, &tried.choice, passes}));
    }
  }
  return best_of(all);
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
