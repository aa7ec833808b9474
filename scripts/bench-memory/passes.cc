// One launch of bench:memory: every way of a pass over arrays that runs here, the C library's own among them,
// in turns over the same arrays. `passes PASS BYTES ROUNDS SEED CPUS`: one thread for each of the CPUs
// ("1,0"), BYTES of arrays over all of them. Prints a JSON line: what `auto` took, what each way left wrong,
// and its turns.
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "../../kernels/cpu/buffer.h"
#include "../../kernels/cpu/memory/dispatch.h"
#include "../../native/measure/clock.h"
#include "../../native/memory/choice.h"
#include "../../native/memory/elements.h"
#include "../../native/memory/memory_workload.h"
#include "../../native/threads/team.h"

namespace {

using pibench::Team;
using pibench::kernels::Buffer;
using namespace pibench::kernels::memory;  // NOLINT(google-build-using-namespace): all of it is measured
using pibench::memory::Choice;
using pibench::memory::Seeds;

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20U;
// Bytes that a thread moves in one timed call: some milliseconds in memory, half of one in the first cache.
constexpr std::size_t kMoved = std::size_t{64} << 20U;
// So many at least, and as many untimed: near the size of the last cache, what another way left in it is seen
// for longer than one pass.
constexpr std::size_t kPasses = 4;
constexpr unsigned char kSetByte = 0x3f;
constexpr std::size_t kElementsAtOnce = 8;

// Through pointers that the compiler cannot see through: the calls are the C library's, never inlined.
void* (*volatile const libc_memcpy)(void*, const void*, std::size_t) = std::memcpy;
void* (*volatile const libc_memset)(void*, int, std::size_t) = std::memset;

void copy_by_libc(const Arrays& arrays) noexcept {
  libc_memcpy(arrays.out, arrays.a, arrays.count * sizeof(double));
}
void write_by_libc(const Arrays& arrays) noexcept {
  libc_memset(arrays.out, kSetByte, arrays.count * sizeof(double));
}

struct Way {
  std::string name;
  Choice choice;
};

// A timed call: seconds of one pass; 1 where a thread lost its CPU meanwhile.
struct Turn {
  double seconds;
  int disturbed;
};

// How often a thread of this process had to leave its CPU.
std::int64_t preemptions() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

struct Member {
  Buffer memory;
  Arrays arrays;
  std::uint64_t sum = 0;
};

Member member_of(Operation operation, std::size_t elements) {
  const std::size_t stride = (elements * sizeof(double) + kPage - 1) / kPage * kPage;
  const auto arrays = static_cast<std::size_t>(arrays_of(operation));
  Buffer memory(std::max(kHugePage, arrays * stride));
  const auto at = [&](std::size_t i) { return reinterpret_cast<double*>(memory.data() + i * stride); };
  // A reading operation has no output, a writing one has it first.
  Arrays where{nullptr, at(0), nullptr, elements};
  if (operation != Operation::read)
    where = {at(0), arrays > 1 ? at(1) : nullptr, arrays > 2 ? at(2) : nullptr, elements};
  return {std::move(memory), where};
}

class Bench {
 public:
  Bench(Operation operation, std::size_t bytes, unsigned seed, const std::vector<int>& cpus)
      : operation_(operation), random_(seed), seeds_(seed), team_(static_cast<int>(cpus.size()), cpus) {
    elements_ = bytes / static_cast<std::size_t>(arrays_of(operation)) / sizeof(double) / cpus.size() /
                kElementsAtOnce * kElementsAtOnce;
    members_.reserve(cpus.size());
    for (std::size_t i = 0; i < cpus.size(); ++i) members_.push_back(member_of(operation, elements_));
    each([](Bench& self, std::size_t member) { self.fill(member); });
    collect_ways();
  }

  void run(int rounds) {
    wrong_.assign(ways_.size(), 0);
    turns_.assign(ways_.size(), {});
    for (std::size_t way = 0; way < ways_.size(); ++way) check(way);
    const std::size_t passes = std::max(kPasses, kMoved / (elements_ * arrays() * sizeof(double)));
    // Drawn anew for each round: no way always follows the same other one.
    std::vector<std::size_t> order(ways_.size());
    std::iota(order.begin(), order.end(), 0);
    for (int round = 0; round < rounds; ++round) {
      std::ranges::shuffle(order, random_);
      for (const std::size_t way : order) {
        // Untimed first: what the way before left in the caches is not its doing.
        seconds_of(way, kPasses);
        const std::int64_t before = preemptions();
        const double seconds = seconds_of(way, passes) / static_cast<double>(passes);
        turns_[way].push_back({seconds, preemptions() > before ? 1 : 0});
      }
    }
  }

  void print() const {
    std::printf(R"({"moved":%zu,"auto":"%s","ways":[)",
                elements_ * arrays() * sizeof(double) * members_.size(), chosen_.c_str());
    for (std::size_t way = 0; way < ways_.size(); ++way) {
      std::printf(R"(%s{"name":"%s","wrong":%llu,"turns":[)", way == 0 ? "" : ",", ways_[way].name.c_str(),
                  static_cast<unsigned long long>(wrong_[way]));
      for (std::size_t i = 0; i < turns_[way].size(); ++i)
        std::printf("%s[%.6g,%d]", i == 0 ? "" : ",", turns_[way][i].seconds, turns_[way][i].disturbed);
      std::printf("]}");
    }
    std::printf("]}\n");
  }

 private:
  [[nodiscard]] std::size_t arrays() const { return static_cast<std::size_t>(arrays_of(operation_)); }
  [[nodiscard]] bool reads() const { return operation_ == Operation::read; }
  [[nodiscard]] std::uint64_t first_of(std::size_t member) const { return member * elements_; }

  template <typename Body>
  void each(Body) {
    team_.run(
        [](void* self, int member) { Body{}(*static_cast<Bench*>(self), static_cast<std::size_t>(member)); },
        this);
  }

  void fill(std::size_t member) {
    const auto& [out, a, b, count] = members_[member].arrays;
    for (std::size_t i = 0; i < count; ++i) {
      if (a != nullptr) const_cast<double*>(a)[i] = pibench::memory::element(seeds_.a, first_of(member) + i);
      if (b != nullptr) const_cast<double*>(b)[i] = pibench::memory::element(seeds_.b, first_of(member) + i);
      if (out != nullptr) out[i] = 0;
    }
  }

  // The first is the C library's, where it has one; `auto` is next.
  void collect_ways() {
    if (operation_ == Operation::copy) ways_.push_back({"memcpy", {nullptr, Stores::cached, copy_by_libc}});
    if (operation_ == Operation::write) ways_.push_back({"memset", {nullptr, Stores::cached, write_by_libc}});
    std::vector<Arrays> all;
    for (const Member& member : members_) all.push_back(member.arrays);
    const pibench::memory::Wanted any{operation_, std::nullopt, "", elements_};
    const Choice chosen = pibench::memory::choose(team_, all, any);
    chosen_ = name_of(chosen);
    ways_.push_back({"auto", chosen});
    for (const Choice& choice : pibench::memory::passes_wanted(any))
      ways_.push_back({name_of(choice), choice});
  }

  [[nodiscard]] std::string name_of(const Choice& choice) const {
    const std::string isa = choice.kernels->name;
    return reads() ? isa : isa + " " + std::string(pibench::memory::name_of(choice.stores));
  }

  double seconds_of(std::size_t way, std::size_t passes) {
    way_ = &ways_[way];
    passes_ = passes;
    const auto begin = pibench::now();
    each([](Bench& self, std::size_t member) { self.pass(member); });
    return static_cast<double>(pibench::now() - begin) * 1e-9;
  }

  void pass(std::size_t member) {
    Member& own = members_[member];
    for (std::size_t i = 0; i < passes_; ++i) own.sum = way_->choice.run(own.arrays);
  }

  // One pass over poisoned outputs: how many elements are not as the operation says.
  void check(std::size_t way) {
    each([](Bench& self, std::size_t member) {
      Member& own = self.members_[member];
      own.sum = 0;
      if (own.arrays.out != nullptr)
        std::fill_n(own.arrays.out, own.arrays.count, std::numeric_limits<double>::quiet_NaN());
    });
    seconds_of(way, 1);
    for (std::size_t member = 0; member < members_.size(); ++member)
      wrong_[way] += wrong_of(ways_[way], member);
  }

  [[nodiscard]] std::uint64_t wrong_of(const Way& way, std::size_t member) const {
    const Member& own = members_[member];
    if (reads()) {
      const auto want = pibench::memory::sum_of_words(seeds_.a, first_of(member), elements_);
      return own.sum == want ? 0 : elements_;
    }
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < elements_; ++i) {
      const double want = way.choice.pass == write_by_libc
                              ? std::bit_cast<double>(kSetByte * 0x0101'0101'0101'0101ULL)
                              : pibench::memory::expected(operation_, seeds_, first_of(member) + i);
      wrong += own.arrays.out[i] == want ? 0 : 1;
    }
    return wrong;
  }

  Operation operation_;
  std::mt19937 random_;
  Seeds seeds_;
  Team team_;
  std::size_t elements_ = 0;
  std::vector<Member> members_;
  std::vector<Way> ways_;
  std::string chosen_;
  const Way* way_ = nullptr;
  std::size_t passes_ = 0;
  std::vector<std::uint64_t> wrong_;
  std::vector<std::vector<Turn>> turns_;
};

std::vector<int> numbers(const std::string& text) {
  std::vector<int> all;
  std::istringstream from(text);
  for (std::string part; std::getline(from, part, ',');) all.push_back(std::stoi(part));
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return EXIT_FAILURE;
  try {
    Bench bench(pibench::memory::operation_named(argv[1]), std::stoull(argv[2]),
                static_cast<unsigned>(std::stoul(argv[4])), numbers(argv[5]));
    bench.run(std::stoi(argv[3]));
    bench.print();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
