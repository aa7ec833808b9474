// The team: who runs what, how often, in which order; and its end in every state.
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "../../native/threads/affinity.h"
#include "../../native/threads/preemption.h"
#include "../../native/threads/team.h"
#include "check.h"

namespace {

using pibench::CpuSet;
using pibench::Team;
using pibench::test::Checks;

// Longer than members spin before they sleep, by far.
constexpr std::chrono::milliseconds kUntilAsleep{5};

// How often each member was called. Not atomic: the team itself must order what the members write.
struct Calls {
  explicit Calls(int size) : of_member(static_cast<std::size_t>(size)) {}
  std::vector<int> of_member;
  static void count(void* calls, int member) {
    ++static_cast<Calls*>(calls)->of_member[static_cast<std::size_t>(member)];
  }
};

void runs_everybody_once(Checks& check, int size, int runs) {
  Team team(size, {});
  Calls calls(size);
  bool once = true;
  for (int run = 1; run <= runs; ++run) {
    team.run(Calls::count, &calls);
    once = once && std::ranges::all_of(calls.of_member, [run](int count) { return count == run; });
  }
  const std::string what = std::to_string(size) + " members, " + std::to_string(runs) + " runs: ";
  check.that(once, what + "each member runs once a run and has finished when it returns");
  check.equal(team.size(), size, what + "size");
  const std::set<int> distinct(team.thread_ids().begin(), team.thread_ids().end());
  check.equal(distinct.size(), static_cast<std::size_t>(size), what + "each member is a thread of its own");
  check.that(team.thread_ids().at(0) == pibench::current_thread_id(), what + "member 0 is the caller");
}

// Every member writes its place in a row, and after the barrier reads everybody's.
struct Rows {
  Team* team;
  int rounds;
  std::vector<int> row;
  std::atomic<int> wrong{0};
  static void advance(void* context, int member) {
    auto& rows = *static_cast<Rows*>(context);
    for (int round = 1; round <= rows.rounds; ++round) {
      rows.row[static_cast<std::size_t>(member)] = round;
      rows.team->barrier();
      if (std::ranges::any_of(rows.row, [round](int value) { return value != round; })) ++rows.wrong;
      rows.team->barrier();
    }
  }
};

void meets_at_barriers(Checks& check, int size, int rounds) {
  Team team(size, {});
  Rows rows{&team, rounds, std::vector<int>(static_cast<std::size_t>(size)), {}};
  team.run(Rows::advance, &rows);
  check.equal(rows.wrong.load(), 0,
              std::to_string(size) + " members: nobody passes a barrier before all have come, " +
                  std::to_string(rounds) + " times");
}

void ends_in_every_state(Checks& check, int size) {
  constexpr int kTeams = 50;
  for (int i = 0; i < kTeams; ++i) const Team unused(size, {});
  check.that(true, "a team ends that never ran");
  {
    Team team(size, {});
    Calls calls(size);
    team.run(Calls::count, &calls);
  }
  check.that(true, "a team ends right after a run");
  {
    Team team(size, {});
    Calls calls(size);
    std::this_thread::sleep_for(kUntilAsleep);
    team.run(Calls::count, &calls);
    check.that(std::ranges::all_of(calls.of_member, [](int count) { return count == 1; }),
               "a sleeping team wakes up");
    std::this_thread::sleep_for(kUntilAsleep);
  }
  check.that(true, "a team ends while it sleeps");
}

// Where each member says that it runs.
struct Seen {
  std::array<int, 2> cpu{-1, -1};
  static void look(void* seen, int member) {
    static_cast<Seen*>(seen)->cpu.at(static_cast<std::size_t>(member)) = sched_getcpu();
  }
};

void binds_each_to_its_own(Checks& check, const std::array<int, 2>& cpus) {
  Team team(2, cpus);
  Seen seen;
  team.run(Seen::look, &seen);
  for (const std::size_t member : {0U, 1U}) {
    const std::string what = "member " + std::to_string(member) + " of CPUs " + std::to_string(cpus[0]) +
                             " and " + std::to_string(cpus[1]);
    const int cpu = cpus.at(member);
    check.that(CpuSet::of_thread(team.thread_ids().at(member)).list() == std::vector{cpu},
               what + " is bound to its own");
    check.equal(seen.cpu.at(member), cpu, what + " runs there");
  }
}

void keeps_to_its_cpus(Checks& check) {
  const CpuSet before = CpuSet::of_thread(0);
  const std::vector<int> allowed = before.list();
  const int usable = allowed.front();
  binds_each_to_its_own(check, {usable, usable});
  if (allowed.size() > 1) {
    // Each CPU is once that of the caller, and once that of the other.
    binds_each_to_its_own(check, {usable, allowed.back()});
    binds_each_to_its_own(check, {allowed.back(), usable});
  } else {
    Checks::inform("two CPUs for two members are not checked: this process may use one");
  }
  check.that(CpuSet::of_thread(0) == before, "the caller has its CPUs back after the team's end");
  check.throws<std::system_error>(
      [usable] {
        const std::array cpus{usable, 8191};
        const Team team(2, cpus);
      },
      "a CPU that is not there is refused");
  check.throws<std::system_error>(
      [] {
        const std::array cpus{-1};
        const Team team(1, cpus);
      },
      "a negative CPU is refused");
  check.that(CpuSet::of_thread(0) == before, "the caller has its CPUs back after a refusal");
}

void sees_disturbances(Checks& check) {
  Team team(2, {});
  const std::uint64_t before = team.disturbances();
  team.run(
      [](void*, int member) {
        if (member == 1) std::this_thread::sleep_for(kUntilAsleep);
      },
      nullptr);
  if (pibench::PreemptionWire::available()) {
    check.that(team.disturbances() > before, "a member that slept inside a run was disturbed");
  } else {
    check.equal(team.disturbances(), before, "without a trip wire nobody is said to be disturbed");
    return;
  }

  // They sleep, and find out, at the same time.
  constexpr int kMembers = 8;
  constexpr std::uint64_t kRuns = 3;
  Team large(kMembers, {});
  for (std::uint64_t i = 0; i < kRuns; ++i) {
    large.run(
        [](void*, int member) {
          if (member > 0) std::this_thread::sleep_for(kUntilAsleep);
        },
        nullptr);
  }
  check.that(large.disturbances() >= kRuns * (kMembers - 1), "of several none is left out",
             std::to_string(large.disturbances()));
}

}  // namespace

int main() {
  Checks check;
  const int cpus = CpuSet::of_thread(0).count();
  runs_everybody_once(check, 1, 100);
  runs_everybody_once(check, 2, 10'000);
  runs_everybody_once(check, std::min(cpus, 8) + 2, 200);
  check.equal(Team(0, {}).size(), 1, "a team has at least one member");
  meets_at_barriers(check, 1, 10);
  meets_at_barriers(check, 2, 2'000);
  meets_at_barriers(check, std::min(cpus, 8) + 2, 100);
  ends_in_every_state(check, 3);
  keeps_to_its_cpus(check);
  sees_disturbances(check);
  return check.finish();
}
