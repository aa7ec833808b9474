// For scripts/bench-memory.mjs: every way to copy that runs here, glibc's memcpy among them, in turns over
// the same arrays. `memory_bench ROUNDS THREADS BYTES...` prints a JSON line for each size: the rates of each
// way, in bytes per second, one for each round.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "../../kernels/cpu/buffer.h"
#include "../../kernels/cpu/memory/dispatch.h"
#include "../../native/measure/clock.h"
#include "../../native/memory/choice.h"
#include "../../native/threads/team.h"

namespace {

using pibench::Team;
using pibench::kernels::Buffer;
using namespace pibench::kernels::memory;  // NOLINT(google-build-using-namespace): all of it is measured

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20U;
// Bytes that a thread moves in one timed call: some milliseconds in memory, half of one in the first cache.
constexpr std::size_t kMoved = std::size_t{64} << 20U;
// So many at least, and as many untimed: near the size of the last cache, what another way left in it is seen
// for longer than one pass.
constexpr std::size_t kPasses = 4;
constexpr unsigned kSeed = 1;

// Through a pointer that the compiler cannot see through: the call is glibc's, never inlined.
void* (*volatile const libc_memcpy)(void*, const void*, std::size_t) = std::memcpy;

void copy_by_libc(const Arrays& arrays) noexcept {
  libc_memcpy(arrays.out, arrays.a, arrays.count * sizeof(double));
}

struct Way {
  std::string name;
  WritePass pass;
};

struct Member {
  Buffer memory;
  Arrays arrays;
};

Member member_of(std::size_t elements) {
  const std::size_t stride = (elements * sizeof(double) + kPage - 1) / kPage * kPage;
  Buffer memory(std::max(kHugePage, 2 * stride));
  auto* const out = reinterpret_cast<double*>(memory.data());
  auto* const a = reinterpret_cast<double*>(memory.data() + stride);
  return {std::move(memory), {out, a, nullptr, elements}};
}

std::string name_of(const MemoryKernels& kernels, Stores stores) {
  return std::string(kernels.name) + " " + std::string(pibench::memory::name_of(stores));
}

std::vector<Way> all_ways(Team& team, const std::vector<Member>& members) {
  std::vector<Arrays> arrays;
  arrays.reserve(members.size());
  for (const Member& member : members) arrays.push_back(member.arrays);
  const pibench::memory::Choice chosen = pibench::memory::choose(team, arrays, Operation::copy, "");
  const MemoryKernels& best = kernels_named("");
  std::vector<Way> ways{{"memcpy", copy_by_libc},
                        {"auto: " + name_of(*chosen.kernels, chosen.stores), chosen.pass}};
  for (const MemoryKernels* const table : kernel_tables()) {
    if (!runs_here(*table)) continue;
    for (const Stores stores : {Stores::cached, Stores::streaming, Stores::string}) {
      // The string instruction is the same in every table.
      if (stores == Stores::string && table != &best) continue;
      const WritePass pass = find_pass(*table, Operation::copy, stores);
      if (pass != nullptr) ways.push_back({name_of(*table, stores), pass});
    }
  }
  return ways;
}

struct Call {
  std::vector<Member>* members;
  WritePass pass;
  std::size_t passes;
};

double seconds_of(Team& team, Call call) {
  const auto begin = pibench::now();
  team.run(
      [](void* raw, int member) {
        const auto& [members, pass, passes] = *static_cast<Call*>(raw);
        const Arrays& arrays = (*members)[static_cast<std::size_t>(member)].arrays;
        for (std::size_t i = 0; i < passes; ++i) pass(arrays);
      },
      &call);
  return static_cast<double>(pibench::now() - begin) * 1e-9;
}

void measure(std::size_t bytes, int threads, int rounds) {
  std::vector<int> cpus(static_cast<std::size_t>(threads));
  std::iota(cpus.rbegin(), cpus.rend(), 0);
  Team team(threads, cpus);
  const std::size_t elements = bytes / 2 / sizeof(double) / static_cast<std::size_t>(threads) / 8 * 8;
  std::vector<Member> members;
  members.reserve(cpus.size());
  for (int i = 0; i < threads; ++i) members.push_back(member_of(elements));
  Call touch{&members, nullptr, 1};
  team.run(
      [](void* raw, int member) {
        const Arrays& arrays = (*static_cast<Call*>(raw)->members)[static_cast<std::size_t>(member)].arrays;
        std::fill_n(arrays.out, arrays.count, 0.0);
        std::fill_n(const_cast<double*>(arrays.a), arrays.count, 1.0);
      },
      &touch);

  const std::vector<Way> ways = all_ways(team, members);
  const std::size_t passes = std::max(kPasses, kMoved / (2 * elements * sizeof(double)));
  const double moved = static_cast<double>(2 * elements * sizeof(double) * passes) * threads;
  std::vector<std::vector<double>> rates(ways.size());
  // Drawn anew for each round: no way always follows the same other one.
  std::vector<std::size_t> order(ways.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(kSeed);
  for (int round = 0; round < rounds; ++round) {
    std::ranges::shuffle(order, random);
    for (const std::size_t way : order) {
      // Untimed first: what the way before left in the caches is not its doing.
      seconds_of(team, {&members, ways[way].pass, kPasses});
      rates[way].push_back(moved / seconds_of(team, {&members, ways[way].pass, passes}));
    }
  }
  std::printf(R"({"bytes":%zu,"threads":%d,"rates":{)", bytes, threads);
  for (std::size_t way = 0; way < ways.size(); ++way) {
    std::printf("%s\"%s\":[", way == 0 ? "" : ",", ways[way].name.c_str());
    for (std::size_t i = 0; i < rates[way].size(); ++i)
      std::printf("%s%.6g", i == 0 ? "" : ",", rates[way][i]);
    std::printf("]");
  }
  std::printf("}}\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return EXIT_FAILURE;
  const int rounds = std::atoi(argv[1]);
  const int threads = std::atoi(argv[2]);
  for (int i = 3; i < argc; ++i) measure(std::strtoull(argv[i], nullptr, 10), threads, rounds);
  return EXIT_SUCCESS;
}
