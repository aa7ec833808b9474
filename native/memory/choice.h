// Which pass is taken where there is a choice: each one that there is is tried over the very arrays that will
// be measured.
//
// No rule of sizes would do. Where streaming begins to pay depends on how much of the last cache the threads
// have for themselves, and what the system says of that need not be so: in a virtual machine it may be a
// small part of the cache, or one for each CPU although one for all is reported. Nor is the widest vector the
// fastest: past the caches of a Zen 4, reading by 16 or 32 bytes has 1.1 of what reading by 64 has, and plain
// stores of triad 1.1 to 1.2 (bench:memory, 64 to 128 MiB).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "../../kernels/cpu/memory/memory_kernels.h"
#include "../measure/clock.h"
#include "../threads/team.h"

namespace pibench::memory {

struct Choice {
  const kernels::memory::MemoryKernels* kernels;
  kernels::memory::Stores stores;
  kernels::memory::WritePass pass;  // null: the kernels' read

  // One pass. The sum of what was read, or 0.
  std::uint64_t run(const kernels::memory::Arrays& arrays) const noexcept;  // NOLINT(modernize-use-nodiscard)
};

// What trials of one pass took.
struct Tried {
  Choice choice;
  std::vector<Nanoseconds> times;
};

// The one with the least median; one that streams only where it is ahead of all others by more than chance.
// `all` is not empty, and none of the times is.
Choice best_of(std::span<const Tried> all);

// Those that may be the best as well, by the same order: none is behind it by more than chance.
std::vector<Choice> near_best(std::span<const Tried> all);

// Tries each of these choices in turns, for so many rounds at most and in the same number of rounds each.
using Trial = std::function<std::vector<Tried>(const std::vector<Choice>&, std::size_t most_rounds)>;

// The best of all: by the first trial, or where others are near it, by a second one among those, unless the
// first had no time for more than its least rounds. `wanted` is not empty; of one there is no trial.
Choice chosen_in_two(const std::vector<Choice>& wanted, const Trial& trial);

// What there is to choose from: `stores` are those wanted, or any; `isa` as in kernels_named, or any that
// runs here; `elements` of each array of a member. Reading has no stores.
struct Wanted {
  kernels::memory::Operation operation;
  std::optional<kernels::memory::Stores> stores;
  std::string_view isa;
  std::size_t elements;
};

// All of them, the best instruction set's first. Where streaming is wanted, so are pages in turns: both are
// past the caches, and which one is faster is the CPU's matter.
std::vector<Choice> passes_wanted(const Wanted& wanted);

// The fastest of them, on all members at once, chosen in two trials. `arrays` has one entry for each member.
// Overwrites the outputs. Each of the two trials takes 20 ms a candidate, and what a round of them takes
// beyond that; where two rounds take longer, they are all that there is. Takes nothing where there is one
// only. Throws std::invalid_argument when there is none.
Choice choose(Team& team, std::span<const kernels::memory::Arrays> arrays, const Wanted& wanted);

// "cached", "streaming", "string", "paged streaming".
std::string_view name_of(kernels::memory::Stores stores);

}  // namespace pibench::memory
