// The memory passes against the definition of each operation, element by element: every instruction set that
// runs here, every way to store, awkward lengths and places; and that the workload's check sees what is
// wrong.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../kernels/cpu/memory/dispatch.h"
#include "../../native/memory/choice.h"
#include "../../native/memory/elements.h"
#include "../../native/memory/memory_workload.h"
#include "../../native/threads/team.h"
#include "check.h"

namespace {

using pibench::Team;
using pibench::Verification;
using pibench::Workload;
using pibench::kernels::memory::Arrays;
using pibench::kernels::memory::MemoryKernels;
using pibench::kernels::memory::Operation;
using pibench::kernels::memory::Stores;
using pibench::kernels::memory::WritePass;
using pibench::memory::Choice;
using pibench::memory::element;
using pibench::memory::Parameters;
using pibench::memory::Seeds;
using pibench::test::Checks;

constexpr std::array kOperations{Operation::read,  Operation::write, Operation::copy,
                                 Operation::scale, Operation::add,   Operation::triad};
constexpr std::array kStores{Stores::cached, Stores::streaming, Stores::string, Stores::paged};
constexpr std::array<const char*, 6> kNames{"read", "write", "copy", "scale", "add", "triad"};
// About the vectors, the unrolled steps and the pages of every instruction set.
constexpr std::array<std::size_t, 24> kLengths{0,  1,  2,  3,  4,  5,   7,   8,   9,    15,   16,   17,
                                               31, 33, 63, 64, 65, 127, 129, 511, 1025, 2047, 2056, 4999};
constexpr std::size_t kMostOffset = 9;
constexpr std::size_t kMargin = 16;
constexpr double kCanary = 12345.678;

std::string name_of(const MemoryKernels& table, Operation operation, Stores stores) {
  return std::string(table.name) + " " + kNames.at(static_cast<std::size_t>(operation)) + " " +
         std::string(pibench::memory::name_of(stores));
}

// Room for an array at any offset with canaries on both sides.
std::vector<double> room(std::size_t count) {
  std::vector<double> memory;
  memory.assign(count + kMostOffset + 2 * kMargin, kCanary);
  return memory;
}

bool untouched(const std::vector<double>& memory, std::size_t first, std::size_t count) {
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if ((i < first || i >= first + count) && memory[i] != kCanary) return false;
  }
  return true;
}

// What went wrong; empty when nothing did.
std::string try_write(WritePass pass, Operation operation, std::size_t count, std::size_t offset) {
  const Seeds seeds(count * 31 + offset);
  std::vector<double> out = room(count);
  std::vector<double> a = room(count);
  std::vector<double> b = room(count);
  const std::size_t at = kMargin + offset;
  // The inputs lie differently from the output, so that no alignment helps by accident.
  const std::size_t at_a = kMargin + (offset * 3 + 1) % kMostOffset;
  const std::size_t at_b = kMargin + (offset * 5 + 2) % kMostOffset;
  for (std::size_t i = 0; i < count; ++i) {
    a[at_a + i] = element(seeds.a, i);
    b[at_b + i] = element(seeds.b, i);
  }
  pass({out.data() + at, a.data() + at_a, b.data() + at_b, count});
  const std::string where = " of " + std::to_string(count) + " at offset " + std::to_string(offset);
  for (std::size_t i = 0; i < count; ++i) {
    if (out[at + i] != pibench::memory::expected(operation, seeds, i))
      return "element " + std::to_string(i) + where;
  }
  if (!untouched(out, at, count)) return "wrote outside the output" + where;
  if (!untouched(a, at_a, count) || !untouched(b, at_b, count)) return "wrote into an input" + where;
  return "";
}

std::string try_read(const MemoryKernels& table, std::size_t count, std::size_t offset) {
  const Seeds seeds(count * 37 + offset);
  std::vector<double> a = room(count);
  for (std::size_t i = 0; i < count; ++i) a[kMargin + offset + i] = element(seeds.a, i);
  const double* first = a.data() + kMargin + offset;
  const std::string where = " of " + std::to_string(count) + " at offset " + std::to_string(offset);
  if (table.read(first, count) != pibench::memory::sum_of_words(seeds.a, 0, count)) return "the sum" + where;
  // Each word counts: one changed bit anywhere changes the sum.
  for (std::size_t i = 0; i < count; ++i) {
    double& changed = a[kMargin + offset + i];
    changed = std::bit_cast<double>(std::bit_cast<std::uint64_t>(changed) ^ (std::uint64_t{1} << (i % 64)));
  }
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += std::bit_cast<std::uint64_t>(a[kMargin + offset + i]);
  if (table.read(first, count) != sum) return "the sum of other data" + where;
  return "";
}

template <typename Try>
std::string try_everywhere(const Try& try_one) {
  for (const std::size_t count : kLengths) {
    for (std::size_t offset = 0; offset < kMostOffset; ++offset) {
      std::string why = try_one(count, offset);
      if (!why.empty()) return why;
    }
  }
  return "";
}

void check_passes(Checks& checks, const MemoryKernels& table) {
  const std::string read =
      try_everywhere([&](std::size_t count, std::size_t offset) { return try_read(table, count, offset); });
  checks.that(read.empty(), std::string(table.name) + " read", read);
  for (const Operation operation : kOperations) {
    for (const Stores stores : kStores) {
      const WritePass pass = pibench::kernels::memory::find_pass(table, operation, stores);
      if (pass == nullptr) continue;
      const std::string why = try_everywhere(
          [&](std::size_t count, std::size_t offset) { return try_write(pass, operation, count, offset); });
      checks.that(why.empty(), name_of(table, operation, stores), why);
    }
  }
}

constexpr std::size_t kPasses = 3;

Parameters parameters_of(Operation operation, std::optional<Stores> stores, int threads, const char* isa) {
  return {operation, stores, 1003, kPasses, threads, {}, isa, 7};
}

// Every bit of the output matters to the check.
void check_workload(Checks& checks, const Parameters& parameters, const std::string& name) {
  auto workload = pibench::memory::make_workload(parameters);
  workload->prepare();
  checks.that(!workload->verify().passed, name + ": before the first call the output is wrong");
  workload->run();
  const Verification right = workload->verify();
  checks.that(right.passed && right.worst_error == 0 &&
                  right.checked == parameters.elements * static_cast<std::size_t>(parameters.threads),
              name + ": verified", right.first_wrong);
  const auto [bytes, size] = workload->output();
  const auto arrays = workload->arrays();
  const auto holds = [](std::span<const std::byte> array, const std::byte* place) {
    return place >= array.data() && place < array.data() + array.size();
  };
  checks.that(arrays.size() == static_cast<std::size_t>(parameters.threads) &&
                  (parameters.operation == Operation::read || holds(arrays[0], bytes.data())),
              name + ": every thread's arrays are told");
  for (const std::size_t at : {std::size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
    bytes[at] ^= std::byte{1};
    const Verification wrong = workload->verify();
    checks.that(!wrong.passed && wrong.wrong > 0 && !wrong.first_wrong.empty(),
                name + ": one wrong bit in byte " + std::to_string(at) + " is seen");
    bytes[at] ^= std::byte{1};
  }
  workload->poison();
  checks.that(!workload->verify().passed, name + ": a poisoned output is wrong");
  workload->evict();
  workload->run();
  checks.that(workload->verify().passed, name + ": verified after eviction");
}

// Passes of all threads. They have no argument that could hold it.
std::atomic<std::size_t> passes_made{0};

std::uint64_t counted_read(const double* a, std::size_t count) noexcept {
  ++passes_made;
  return pibench::kernels::memory::kPortable.read(a, count);
}
std::uint64_t last_read_only(const double* a, std::size_t count) noexcept {
  return ++passes_made % kPasses == 0 ? pibench::kernels::memory::kPortable.read(a, count) : 0;
}
void counted_copy(const Arrays& arrays) noexcept {
  ++passes_made;
  pibench::kernels::memory::kPortable.copy[0](arrays);
}

// The rate is that of all passes of a call, and what the last one leaves is what one alone would have left.
void check_passes_made(Checks& checks) {
  MemoryKernels counting = pibench::kernels::memory::kPortable;
  counting.read = counted_read;
  for (const Operation operation : {Operation::read, Operation::copy}) {
    const std::string name = kNames.at(static_cast<std::size_t>(operation));
    const WritePass pass = operation == Operation::read ? nullptr : counted_copy;
    constexpr int kThreads = 3;
    constexpr std::size_t kCalls = 2;
    const auto workload = pibench::memory::make_workload(
        parameters_of(operation, Stores::cached, kThreads, ""), Choice{&counting, Stores::cached, pass});
    workload->prepare();
    passes_made = 0;
    for (std::size_t call = 0; call < kCalls; ++call) workload->run();
    checks.equal(passes_made.load(), kCalls * kPasses * kThreads, name + ": every thread makes every pass");
    checks.that(workload->verify().passed, name + ": verified, with a pass that counts");
  }
  counting.read = last_read_only;
  const auto lazy = pibench::memory::make_workload(parameters_of(Operation::read, Stores::cached, 1, ""),
                                                   Choice{&counting, Stores::cached, nullptr});
  lazy->prepare();
  passes_made = 0;
  lazy->run();
  checks.that(!lazy->verify().passed, "passes that read nothing before the last one are seen");
}

void check_choice(Checks& checks) {
  Team team(2, {});
  constexpr std::size_t kElements = 1000;
  std::vector<double> memory(6 * kElements, 1.0);
  const auto at = [&](std::size_t array) { return memory.data() + array * kElements; };
  const std::array<Arrays, 2> arrays{Arrays{at(0), at(1), at(2), kElements},
                                     Arrays{at(3), at(4), at(5), kElements}};
  using pibench::memory::choose;
  std::size_t here = 0;
  for (const MemoryKernels* const table : pibench::kernels::memory::kernel_tables())
    here += pibench::kernels::memory::runs_here(*table) ? 1 : 0;
  checks.equal(pibench::memory::passes_wanted({Operation::read, std::nullopt, "", kElements}).size(), here,
               "reading is chosen from every instruction set that runs here");
  checks.equal(pibench::memory::passes_wanted({Operation::triad, Stores::cached, "", kElements}).size(), here,
               "and so are plain stores");
  constexpr std::size_t kMuch = std::size_t{8} << 20U;
  checks.equal(pibench::memory::passes_wanted({Operation::triad, Stores::streaming, "", kMuch}).size(),
               2 * here, "of long arrays streaming is chosen from both orders");
  checks.equal(pibench::memory::passes_wanted({Operation::triad, Stores::streaming, "", kElements}).size(),
               here, "of short ones from lines in their order only");
  checks.equal(pibench::memory::passes_wanted({Operation::write, Stores::streaming, "", kMuch}).size(), here,
               "and so is write of any length");
  for (const Operation operation : kOperations) {
    const std::string name = kNames.at(static_cast<std::size_t>(operation));
    const auto [kernels, stores, pass] = choose(team, arrays, {operation, std::nullopt, "", kElements});
    checks.that(pass == pibench::kernels::memory::find_pass(*kernels, operation, stores) &&
                    (pass == nullptr) == (operation == Operation::read) &&
                    pibench::kernels::memory::runs_here(*kernels),
                name + ": the choice is a pass that runs here");
    checks.that(choose(team, arrays, {operation, std::nullopt, "portable", kElements}).kernels->name ==
                    std::string("portable"),
                name + ": the choice keeps to the instruction set that was named");
    if (operation == Operation::read) continue;
    for (const Stores asked : {Stores::cached, Stores::streaming})
      checks.that(choose(team, arrays, {operation, asked, "", kElements}).stores == asked,
                  name + ": the choice keeps to the stores that were asked for");
  }
  checks.throws<std::invalid_argument>(
      [&] {
        choose(team, arrays, {Operation::copy, std::nullopt, "mmx", kElements});
      },
      "an unknown instruction set");
  checks.throws<std::invalid_argument>(
      [&] {
        choose(team, arrays, {Operation::scale, Stores::string, "", kElements});
      },
      "stores that the operation has not");
}

// Streaming that is as fast in the trial may be many times slower when it is measured.
void check_best(Checks& checks) {
  using pibench::memory::Tried;
  const auto best = [](std::vector<pibench::Nanoseconds> streaming) {
    const std::vector<Tried> all{{{nullptr, Stores::cached, nullptr}, {1010, 1000, 9000}},
                                 {{nullptr, Stores::streaming, nullptr}, std::move(streaming)},
                                 {{nullptr, Stores::string, nullptr}, {1020, 1020, 1020}}};
    return pibench::memory::best_of(all).stores;
  };
  checks.that(best({1000, 1000, 1000}) == Stores::cached, "streaming as fast as plain stores is not chosen");
  checks.that(best({990, 990, 990}) == Stores::cached, "nor is one that is ahead by little");
  checks.that(best({900, 900, 9000}) == Stores::streaming, "streaming that is far ahead is chosen");
  checks.that(best({900, 9000, 9000}) == Stores::cached, "of three trials the middle one counts");
  const auto near = [](pibench::Nanoseconds streaming, pibench::Nanoseconds string) {
    const std::vector<Tried> all{{{nullptr, Stores::cached, nullptr}, {1000}},
                                 {{nullptr, Stores::streaming, nullptr}, {streaming}},
                                 {{nullptr, Stores::string, nullptr}, {string}}};
    return pibench::memory::near_best(all).size();
  };
  checks.that(near(1010, 1040) == 3, "what is near the best is tried again");
  checks.that(near(1030, 1060) == 1, "what is not, or streams for no gain, is not");
}

// Of three passes, by trials that are told: the second one's answer counts where there is one.
void check_two_trials(Checks& checks) {
  using pibench::memory::Tried;
  struct Told {
    std::array<pibench::Nanoseconds, 3> first;
    std::array<pibench::Nanoseconds, 3> second;
    std::size_t rounds;
  };
  const std::vector<Choice> passes{{nullptr, Stores::cached, nullptr},
                                   {nullptr, Stores::string, nullptr},
                                   {nullptr, Stores::paged, nullptr}};
  const auto chosen = [&](const Told& told, std::size_t expected_trials, std::size_t expected_finalists) {
    std::size_t trials = 0;
    std::size_t tried = 0;
    const Choice choice = pibench::memory::chosen_in_two(passes, [&](const auto& choices, std::size_t most) {
      ++trials;
      tried = choices.size();
      std::vector<Tried> all;
      all.reserve(choices.size());
      for (const Choice& one : choices) {
        const auto at =
            static_cast<std::size_t>(std::ranges::find(passes, one.stores, &Choice::stores) - passes.begin());
        const pibench::Nanoseconds time = trials == 1 ? told.first.at(at) : told.second.at(at);
        all.push_back({one, std::vector<pibench::Nanoseconds>(std::min(told.rounds, most), time)});
      }
      return all;
    });
    checks.that(trials == expected_trials && tried == expected_finalists, "so many trials of so many passes");
    return choice.stores;
  };
  checks.that(chosen({{1000, 1010, 2000}, {1000, 900, 1}, 25}, 2, 2) == Stores::string,
              "of two that are near each other the second trial decides, and nobody else is in it");
  checks.that(chosen({{1000, 1010, 2000}, {1000, 1100, 1}, 25}, 2, 2) == Stores::cached,
              "also for the one that was ahead");
  checks.that(chosen({{1000, 1200, 2000}, {1000, 900, 1}, 25}, 1, 3) == Stores::cached,
              "one that is far ahead is not tried again");
  checks.that(chosen({{1010, 1000, 2000}, {900, 1000, 1}, 2}, 1, 3) == Stores::string,
              "two rounds are all that there is time for");
}

void check_refusals(Checks& checks) {
  using pibench::memory::make_workload;
  checks.throws<std::invalid_argument>(
      [] { make_workload(parameters_of(Operation::copy, std::nullopt, 1, "mmx")); },
      "unknown instruction set");
  checks.throws<std::invalid_argument>(
      [] { make_workload(parameters_of(Operation::triad, Stores::string, 1, "")); },
      "triad by the string instruction");
  checks.throws<std::invalid_argument>([] { pibench::memory::operation_named("sort"); }, "unknown operation");
  checks.throws<std::invalid_argument>([] { pibench::memory::stores_named("slow"); }, "unknown way to store");
  checks.throws<std::bad_alloc>(
      [] {
        Parameters huge = parameters_of(Operation::copy, Stores::cached, 1, "");
        huge.elements = std::size_t{1} << 62U;
        make_workload(huge)->prepare();
      },
      "more memory than can be counted");
}

}  // namespace

int main() {
  Checks checks;
  for (const MemoryKernels* const table : pibench::kernels::memory::kernel_tables()) {
    if (!pibench::kernels::memory::runs_here(*table)) {
      Checks::inform(std::string(table->name) + " does not run here");
      continue;
    }
    check_passes(checks, *table);
    for (const Operation operation : kOperations) {
      const std::string name =
          std::string(table->name) + " " + kNames.at(static_cast<std::size_t>(operation));
      for (const int threads : {1, 3}) {
        check_workload(checks, parameters_of(operation, Stores::streaming, threads, table->name),
                       name + " on " + std::to_string(threads));
      }
    }
  }
  check_workload(checks, parameters_of(Operation::triad, std::nullopt, 2, ""), "triad auto");
  check_passes_made(checks);
  check_choice(checks);
  check_best(checks);
  check_two_trials(checks);
  check_refusals(checks);
  return checks.finish();
}
