// The ceilings and the workload that measures one: right where every sum is right, and unknown, not lower,
// where the sum of a single member is wrong.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../kernels/cpu/gemm/peak_sums.h"
#include "../../kernels/cpu/memory/dispatch.h"
#include "../../native/measure/best_burst.h"
#include "../../native/measure/clock.h"
#include "../../native/measure/in_turns.h"
#include "../../native/memory/bandwidth.h"
#include "../../native/peak/peak_workload.h"
#include "../../native/threads/affinity.h"
#include "../../native/threads/team.h"
#include "check.h"

namespace {

using pibench::best_burst;
using pibench::BurstPlan;
using pibench::Nanoseconds;
using pibench::share_in_turns;
using pibench::Team;
using pibench::kernels::DataType;
using pibench::kernels::run_peak_loop;
using pibench::kernels::memory::ReadPass;
using pibench::memory::measure_read;
using pibench::peak::make_workload;
using pibench::peak::Parameters;
using pibench::test::Checks;

constexpr std::array kTypes{DataType::float32, DataType::float64, DataType::bfloat16, DataType::int8};
constexpr std::array<const char*, 4> kNames{"float32", "float64", "bfloat16", "int8"};
constexpr std::size_t kBytes = 1 << 16;

const std::thread::id kMain = std::this_thread::get_id();
bool on_main() noexcept { return std::this_thread::get_id() == kMain; }

// Right on the main thread, wrong on any other.
std::uint64_t wrong_elsewhere(DataType type, const char* isa, std::uint64_t iterations) noexcept {
  return on_main() ? run_peak_loop(type, isa, iterations) : 0;
}

std::uint64_t wrong_when_long(DataType type, const char* isa, std::uint64_t iterations) noexcept {
  const std::uint64_t operations = run_peak_loop(type, isa, iterations);
  return iterations > 1 ? operations - 1 : operations;
}

// As on cores of different kinds, the main thread's the fast one: by the clock, so that no load changes it.
constexpr std::uint64_t kOfIteration = 1000;
constexpr Nanoseconds kFast = 1000;
constexpr Nanoseconds kSlow = 3000;
std::uint64_t slow_elsewhere(DataType /*type*/, const char* /*isa*/, std::uint64_t iterations) noexcept {
  const Nanoseconds end = pibench::now() + static_cast<Nanoseconds>(iterations) * (on_main() ? kFast : kSlow);
  while (pibench::now() < end) {
  }
  return iterations * kOfIteration;
}

std::uint64_t read_right(const double* a, std::size_t count) noexcept {
  return pibench::kernels::memory::kernels_named("").read(a, count);
}
std::uint64_t read_nothing(const double*, std::size_t) noexcept { return 0; }
std::uint64_t read_all_but_one(const double* a, std::size_t count) noexcept {
  return read_right(a, count - 1);
}
std::uint64_t read_one_twice(const double* a, std::size_t count) noexcept {
  return read_right(a, count - 1) + read_right(a, 1);
}
// Likewise: each word takes as many nanoseconds as an iteration of the loop above takes hundreds.
std::uint64_t read_slow_elsewhere(const double* a, std::size_t count) noexcept {
  const Nanoseconds each = (on_main() ? kFast : kSlow) / 100;
  const Nanoseconds end = pibench::now() + static_cast<Nanoseconds>(count) * each;
  const std::uint64_t sum = read_right(a, count);
  while (pibench::now() < end) {
  }
  return sum;
}
std::uint64_t read_wrong_elsewhere(const double* a, std::size_t count) noexcept {
  return read_right(a, count) + (on_main() ? 0 : 1);
}

// Work that takes a microsecond each time, but for the calls that `disturbance` lengthens.
template <class Disturbance>
auto microseconds(int& calls, Disturbance disturbance) {
  return [&calls, disturbance](std::uint64_t count) -> std::optional<Nanoseconds> {
    return static_cast<Nanoseconds>(count) * 1000 + disturbance(calls++);
  };
}

void bursts_are_long_enough(Checks& check) {
  const BurstPlan plan{.first = 1, .most = 1 << 20, .bursts = 4};
  int calls = 0;
  const auto quiet = best_burst(plan, microseconds(calls, [](int) { return 0; }));
  check.that(quiet && quiet->count == 1024 && quiet->time == 1'024'000,
             "a burst takes at least a millisecond");

  constexpr Nanoseconds kPreempted = 5'000'000;
  for (const int lost : {0, 3, 9}) {
    calls = 0;
    const auto best =
        best_burst(plan, microseconds(calls, [lost](int call) { return call == lost ? kPreempted : 0; }));
    check.that(best && best->count == 1024 && best->time == 1'024'000,
               "also where call " + std::to_string(lost) + " lost its CPU for five");
  }
  calls = 0;
  const auto fastest =
      best_burst(plan, microseconds(calls, [](int call) { return call == 12 ? 0 : kPreempted; }));
  check.that(fastest && fastest->time >= plan.least, "and where all but one did");

  calls = 0;
  const BurstPlan short_plan{.first = 1, .most = 1, .bursts = 4};
  const auto longest = best_burst(short_plan, microseconds(calls, [](int) { return 0; }));
  check.that(longest && longest->count == 1 && calls == 4,
             "where there is no longer one, its time is the best");

  for (const int wrong : {0, 10, 12}) {
    calls = 0;
    check.that(!best_burst(plan,
                           [&](std::uint64_t count) {
                             return calls++ == wrong ? std::nullopt
                                                     : std::optional(static_cast<Nanoseconds>(count) * 1000);
                           }),
               "nothing where call " + std::to_string(wrong) + " is wrong");
  }
}

// A loop that ran half as often must not pass for one that is twice as fast.
void sums_tell_how_often_a_loop_ran(Checks& check) {
  using pibench::kernels::counts;
  constexpr std::uint64_t kOften = std::uint64_t{1} << 40U;
  for (const std::uint64_t iterations : {1U, 1000U, (1U << 23U) + 1, 1U << 24U}) {
    const std::string name = std::to_string(iterations) + " iterations: ";
    const auto sum = static_cast<float>(iterations);
    check.that(counts(sum, iterations, 1), name + "a sum of ones");
    for (const float other : {sum / 2, sum - 1, std::nextafter(sum, 0.0F), 0.0F, -sum, std::nanf("")}) {
      check.that(!counts(other, iterations, 1), name + "no other", std::to_string(other));
    }
    check.that(counts(static_cast<double>(iterations) * 2, iterations, 2), name + "of twos");
    check.that(!counts(static_cast<double>(iterations), iterations, 2), name + "of no ones for twos");
  }
  for (const float stands : {0x1p24F, 0x1p25F}) {
    check.that(counts(stands, kOften, 2), "where a float takes in no more, it came so far",
               std::to_string(stands));
  }
  check.that(!counts(0x1.fffffep23F, kOften, 2), "and no less far");
  check.that(
      counts(static_cast<double>(kOften), kOften, 1) && !counts(static_cast<double>(kOften - 1), kOften, 1),
      "a double counts on");
  check.that(
      counts(std::int32_t{-4}, (std::uint64_t{1} << 32U) - 1, 4) && !counts(std::int32_t{-4}, kOften, 4),
      "an integer wraps around");
}

void check_peak_ceiling(Checks& check) {
  for (const int threads : {1, 2}) {
    Team team(threads, {});
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
      const std::string name = std::string(kNames.at(i)) + ", " + std::to_string(threads) + " threads: ";
      const double rate = pibench::peak::measure(kTypes.at(i), team);
      check.that(rate > 1e6, name + "the peak is known");
      check.equal(pibench::peak::measure(kTypes.at(i), team, wrong_when_long), 0.0,
                  name + "unknown where sums are wrong");
      if (threads > 1) {
        check.equal(pibench::peak::measure(kTypes.at(i), team, wrong_elsewhere), 0.0,
                    name + "unknown where those of one member are");
      }
    }
  }
}

void adds_what_unlike_cores_reach(Checks& check) {
  if (pibench::CpuSet::of_thread(0).list().size() < 2) {
    Checks::inform("the peak of unlike cores is not checked where there is one CPU only");
    return;
  }
  const double fast = static_cast<double>(kOfIteration) / (static_cast<double>(kFast) * 1e-9);
  const double slow = static_cast<double>(kOfIteration) / (static_cast<double>(kSlow) * 1e-9);
  // Twice the slow one is two thirds of the fast one alone.
  const double most = 1.001 * (fast + slow);
  // Until both members have a CPU at the same time, which other work may keep them from.
  constexpr Nanoseconds kPatience = 60'000'000'000;
  const auto highest_of = [&](const auto& look) {
    double highest = 0;
    const Nanoseconds end = pibench::now() + kPatience;
    while (highest <= fast && pibench::now() < end) highest = std::max(highest, look());
    return highest;
  };
  Team team(2, {});
  const double peak =
      highest_of([&] { return pibench::peak::measure(DataType::float32, team, slow_elsewhere); });
  check.that(peak > fast && peak <= most,
             "the peak of a fast and a slow core is more than the fast one’s, and no more than that of both",
             std::to_string(peak / (fast + slow)));
  const double glance = highest_of(
      [&] { return pibench::peak::glance(DataType::float32, team, peak, 2'000'000, slow_elsewhere); });
  check.that(glance > fast && glance <= most, "and so is a glance at it",
             std::to_string(glance / (fast + slow)));
  // A pass over cold caches is made in pieces, of which there are many from a megabyte on.
  for (const auto& [bytes, cold] : {std::pair(kBytes, false), std::pair(std::size_t{2} << 20U, true)}) {
    const double both = (fast + slow) * sizeof(double) * 100 / static_cast<double>(kOfIteration);
    const double rate = highest_of([&] {
      return measure_read(bytes, cold, team, std::array{ReadPass{read_slow_elsewhere}}).bytes_per_second /
             both * (fast + slow);
    });
    check.that(rate > fast && rate <= most,
               std::string("what they read together is more than the fast one alone does, ") +
                   (cold ? "cold" : "hot"),
               std::to_string(rate / (fast + slow)));
  }
}

void glances_at_the_peak(Checks& check) {
  constexpr Nanoseconds kAbout = 2'000'000;
  for (const int threads : {1, 2}) {
    Team team(threads, {});
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
      const std::string name = std::string(kNames.at(i)) + ", " + std::to_string(threads) + " threads: ";
      const double peak = pibench::peak::measure(kTypes.at(i), team);
      double highest = 0;
      for (int look = 0; look < 10; ++look)
        highest = std::max(highest, pibench::peak::glance(kTypes.at(i), team, peak, kAbout));
      // However busy the machine is: a count of operations that is wrong would be off by a multiple.
      check.that(highest > 0.1 * peak && highest < 3 * peak, name + "a glance at the peak is near it",
                 std::to_string(highest / peak));
      check.that(pibench::peak::glance(kTypes.at(i), team, 0, kAbout) > 0,
                 name + "also one of a single round");
      check.equal(pibench::peak::glance(kTypes.at(i), team, peak, kAbout, wrong_when_long), 0.0,
                  name + "and unknown where sums are wrong");
    }
  }
}

// A machine that has twice as much at one moment as at the next.
void looks_in_turns(Checks& check) {
  double machine = 1;
  int looks = 0;
  const auto moving = [&](double share) {
    if (++looks % 4 == 0) machine = 3 - machine;
    return machine * share;
  };
  const pibench::TurnPlan plan{.time = 0, .least = 101};
  const auto found = share_in_turns(
      plan, [&] { return moving(1); }, [&] { return moving(0.9); });
  check.that(found.turns == 101 && std::abs(found.share - 0.9) < 1e-9,
             "the share is that of the same moments, however the machine moves", std::to_string(found.share));
  check.equal(share_in_turns(
                  {.time = 0, .least = 3}, [] { return 2.0; }, [] { return 1.0; })
                  .turns,
              std::uint64_t{3}, "as many turns as there have to be");
  check.that(share_in_turns(
                 {.time = 1'000'000, .least = 1}, [] { return 2.0; },
                 [] {
                   return 1.0;
                 }).turns > 1,
             "and as many as fit into the time");
  int of_four = 0;
  const double shares[] = {0.6, 0.5, 0.7, 0.2};
  const auto even = share_in_turns(
      {.time = 0, .least = 4}, [] { return 1.0; }, [&] { return shares[of_four++]; });
  check.that(even.turns == 4 && std::abs(even.share - 0.55) < 1e-12,
             "of an even number of turns the share is between the two in the middle",
             std::to_string(even.share));
  for (const int wrong : {0, 1, 2}) {
    int glances = 0;
    const auto none = share_in_turns(
        plan, [&] { return glances++ == wrong ? 0.0 : 1.0; }, [] { return 1.0; });
    check.that(none.turns == 0 && none.share == 0, "unknown where look " + std::to_string(wrong) + " is");
  }
}

void check_memory_ceiling(Checks& check) {
  for (const int threads : {1, 2}) {
    Team team(threads, {});
    for (const bool cold : {false, true}) {
      const std::string name =
          std::string(cold ? "cold, " : "hot, ") + std::to_string(threads) + " threads: ";
      const auto [rate, bytes] = measure_read(kBytes, cold, team);
      check.that(rate > 1e6 && bytes == kBytes, name + "the rate of reading is known");
      const auto rate_of = [&](std::vector<ReadPass> reads) {
        return measure_read(kBytes, cold, team, reads).bytes_per_second;
      };
      check.that(rate_of({read_right}) > 0, name + "with a right pass");
      check.equal(rate_of({read_nothing}), 0.0, name + "unknown where nothing is read");
      check.equal(rate_of({read_all_but_one}), 0.0, name + "unknown where one word is left out");
      check.equal(rate_of({read_one_twice}), 0.0,
                  name + "unknown where one word is read in the place of another");
      check.equal(rate_of({read_right, read_all_but_one}), 0.0,
                  name + "and where one of two passes is wrong");
      if (threads > 1) {
        check.equal(rate_of({read_wrong_elsewhere}), 0.0, name + "unknown where one member's sum is wrong");
      }
    }
    check.that(measure_read(1, false, team).bytes == 64.0 * threads, "the least is a line for each member");
  }
}

void chooses_what_is_read(Checks& check) {
  using pibench::kernels::CacheSizes;
  using pibench::memory::part_to_read;
  constexpr std::int64_t kMiB = 1 << 20;
  constexpr auto kWhole = static_cast<std::size_t>(100 * kMiB);
  const CacheSizes unknown{32 << 10, 512 << 10, 512 << 10};
  check.equal(part_to_read(kWhole, unknown, 1, 1), kWhole,
              "where no last cache is listed, all of 100 MiB is read");
  const CacheSizes large{32 << 10, kMiB, 256 * kMiB};
  check.equal(part_to_read(kWhole * 1000, large, 1, 1), static_cast<std::size_t>(1024 * kMiB),
              "of much more than a last cache, four times that");
  check.equal(part_to_read(kWhole * 1000, unknown, 1, 1), static_cast<std::size_t>(256 * kMiB),
              "never a small part");
  const CacheSizes each{32 << 10, kMiB, 32 * kMiB};
  check.equal(part_to_read(kWhole * 1000, each, 12, 1), static_cast<std::size_t>(1536 * kMiB),
              "of twelve last caches that hold parts of it, four times all of them");
  check.equal(part_to_read(kWhole * 1000, each, 30, 1), static_cast<std::size_t>(2048 * kMiB),
              "and never more than memory is counted for");
  check.equal(part_to_read(kWhole * 1000, each, 1000, 1), std::size_t{0},
              "which may be no more than caches hold: then there is no rate of memory");
  check.equal(part_to_read(kWhole, each, 1000, 1), kWhole, "a set that they hold is read as it is");
  const CacheSizes of_cores{64 << 10, 2 * kMiB, 2 * kMiB};
  check.that(part_to_read(kWhole * 1000, of_cores, 1, 192) >= static_cast<std::size_t>(768 * kMiB),
             "twice all of the cores’ caches where there is no last one beside them");
}

Parameters peak_parameters(DataType type, int threads, double rounds) {
  return {type, threads, {}, "", rounds * static_cast<double>(run_peak_loop(type, "", 1)) * threads};
}

void check_peak_workload(Checks& check) {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    const std::string name = std::string(kNames.at(i)) + ": ";
    const Parameters parameters = peak_parameters(kTypes.at(i), 2, 1000);
    const auto workload = make_workload(parameters);
    workload->prepare();
    check.that(!workload->verify().passed, name + "no sum is right before the first call");
    workload->run();
    const pibench::Verification verification = workload->verify();
    check.that(verification.passed && verification.checked == 2 && verification.wrong == 0 &&
                   verification.worst_error == 0,
               name + "the sums of every thread are right", verification.first_wrong);
    workload->poison();
    check.equal(workload->verify().wrong, std::uint64_t{2}, name + "poison is found");
    const auto portable =
        make_workload({kTypes.at(i),
                       1,
                       {},
                       "portable",
                       1024.0 * static_cast<double>(run_peak_loop(kTypes.at(i), "portable", 1))});
    const auto unused = workload->ceilings(false).unused_instructions;
    check.that(unused && unused->empty() == pibench::kernels::knows_peak(kTypes.at(i)),
               name + "it is told whether the CPU has more than its loop uses");
    check.that(portable->ceilings(false).unused_instructions ==
                   pibench::kernels::unused_by_peak_loop(kTypes.at(i), "portable"),
               name + "which is asked of the loop that was chosen");

    const auto broken = make_workload(parameters, wrong_elsewhere);
    broken->prepare();
    broken->run();
    const pibench::Verification found = broken->verify();
    check.that(!found.passed && found.wrong == 1 && found.first_wrong.starts_with("thread 1 counts 0 "),
               name + "a thread with wrong sums is found, and named", found.first_wrong);

    const double once = peak_parameters(kTypes.at(i), 1, 1).operations;
    for (const double operations : {0.0, -once, once - 1, once + 1, 1.5 * once}) {
      check.throws<std::invalid_argument>(
          [&] {
            make_workload({kTypes.at(i), 1, {}, "", operations});
          },
          name + std::to_string(operations) + " operations are no multiple");
    }
    check.throws<std::invalid_argument>(
        [&] {
          make_workload({kTypes.at(i), 2, {}, "", 3 * once});
        },
        name + "nor is what cannot be shared out");
  }
  check.throws<std::invalid_argument>(
      [] {
        make_workload({DataType::float32, 1, {}, "sse9", 1e9});
      },
      "an unknown instruction set has no loop");
}

}  // namespace

int main() {
  Checks check;
  bursts_are_long_enough(check);
  sums_tell_how_often_a_loop_ran(check);
  check_peak_ceiling(check);
  adds_what_unlike_cores_reach(check);
  glances_at_the_peak(check);
  looks_in_turns(check);
  check_memory_ceiling(check);
  chooses_what_is_read(check);
  check_peak_workload(check);
  return check.finish();
}
