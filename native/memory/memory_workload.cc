// Each thread has arrays of its own: its contiguous share of the working set, first touched by itself. One
// call makes several passes over them, so that what it costs to call the team is small beside the shortest.
#include "memory_workload.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include "../../kernels/cpu/buffer.h"
#include "../../kernels/cpu/memory/dispatch.h"
#include "../cache_flush.h"
#include "../threads/team.h"
#include "choice.h"
#include "elements.h"

namespace pibench::memory {
namespace {

using kernels::Buffer;
using kernels::memory::Arrays;
using kernels::memory::find_pass;
using kernels::memory::MemoryKernels;
using kernels::memory::Operation;
using kernels::memory::Stores;
using kernels::memory::WritePass;

constexpr std::array<std::pair<const char*, Operation>, 6> kOperations{{{"read", Operation::read},
                                                                        {"write", Operation::write},
                                                                        {"copy", Operation::copy},
                                                                        {"scale", Operation::scale},
                                                                        {"add", Operation::add},
                                                                        {"triad", Operation::triad}}};
constexpr std::array<std::pair<const char*, Stores>, 3> kStores{
    {{"cached", Stores::cached}, {"streaming", Stores::streaming}, {"string", Stores::string}}};

// Before anything was read; a right sum is this once in 2^64.
constexpr std::uint64_t kNoSum = 0xbad5'c0de'bad5'c0deULL;

// Bytes from the start of one array to the next: whole pages.
std::size_t stride_of(std::size_t elements) {
  constexpr std::size_t kPage = 4096;
  if (elements > std::numeric_limits<std::size_t>::max() / 8 / sizeof(double)) throw std::bad_alloc();
  return (elements * sizeof(double) + kPage - 1) / kPage * kPage;
}

// Large enough for a huge page, however small the arrays are: where small pages lie in memory decides which
// of them meet in the sets of a cache, and differs from launch to launch.
std::size_t memory_of(std::size_t arrays, std::size_t elements) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20U;
  return std::max(kHugePage, arrays * stride_of(elements));
}

// What one thread has.
class Share {
 public:
  Share(Operation operation, std::size_t elements)
      : arrays_(static_cast<std::size_t>(kernels::memory::arrays_of(operation))),
        count_(elements),
        memory_(memory_of(arrays_, elements)) {
    const auto at = [&](std::size_t i) {
      return reinterpret_cast<double*>(memory_.data() + i * stride_of(elements));
    };
    // A reading operation has no output, a writing one has it first.
    if (operation == Operation::read) {
      a_ = at(0);
      return;
    }
    out_ = at(0);
    if (arrays_ > 1) a_ = at(1);
    if (arrays_ > 2) b_ = at(2);
  }
  [[nodiscard]] Arrays arrays() const noexcept { return {out_, a_, b_, count_}; }
  [[nodiscard]] double* out() const noexcept { return out_; }

  void fill(const Seeds& seeds, std::uint64_t first) const noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (a_ != nullptr) a_[i] = element(seeds.a, first + i);
      if (b_ != nullptr) b_[i] = element(seeds.b, first + i);
    }
  }
  void poison() const noexcept {
    if (out_ != nullptr) std::fill_n(out_, count_, std::numeric_limits<double>::quiet_NaN());
  }
  void evict() const noexcept { flush(memory_.data(), memory_.size()); }
  [[nodiscard]] std::span<const std::byte> memory() const noexcept {
    return {memory_.data(), memory_.size()};
  }

 private:
  std::size_t arrays_;
  std::size_t count_;
  Buffer memory_;
  double* out_ = nullptr;
  double* a_ = nullptr;
  double* b_ = nullptr;
};

class MemoryWorkload final : public Workload {
 public:
  MemoryWorkload(const Parameters& parameters, const std::optional<Choice>& given)
      : parameters_(parameters),
        team_(parameters.threads, parameters.cpus),
        given_(given),
        chosen_(given ? *given : named(parameters)),
        sums_(static_cast<std::size_t>(parameters.threads)),
        made_(sums_.size()),
        seeds_(parameters.seed) {}

  void prepare() override {
    for (int member = 0; member < team_.size(); ++member) {
      shares_.emplace_back(parameters_.operation, parameters_.elements);
    }
    each([](MemoryWorkload& self, std::size_t member) {
      self.shares_[member].fill(self.seeds_, self.first_of(member));
    });
    std::vector<Arrays> arrays;
    for (const Share& share : shares_) arrays.push_back(share.arrays());
    if (!given_)
      chosen_ = choose(team_, arrays,
                       {parameters_.operation, parameters_.stores, parameters_.isa, parameters_.elements});
    poison();
  }

  void run() noexcept override {
    each([](MemoryWorkload& self, std::size_t member) { self.pass(member); });
  }

  void evict() noexcept override {
    each([](MemoryWorkload& self, std::size_t member) { self.shares_[member].evict(); });
  }

  void poison() noexcept override {
    each([](MemoryWorkload& self, std::size_t member) {
      self.shares_[member].poison();
      self.sums_[member] = kNoSum;
      self.made_[member] = 0;
    });
  }

  Verification verify() override {
    findings_.assign(shares_.size(), {});
    each([](MemoryWorkload& self, std::size_t member) { self.check(member); });
    Verification verification;
    verification.method = reads() ? "sum" : "reference";
    verification.tolerance = "none: no sum and no product rounds";
    for (const Finding& finding : findings_) {
      verification.checked += parameters_.elements;
      verification.wrong += finding.wrong;
      if (verification.first_wrong.empty()) verification.first_wrong = finding.first;
    }
    verification.passed = verification.wrong == 0 && verification.checked > 0;
    verification.worst_error = verification.passed ? 0 : std::numeric_limits<double>::infinity();
    return verification;
  }

  // The first thread's: all of them are checked alike.
  Output output() noexcept override {
    if (reads()) return {std::as_writable_bytes(std::span(sums_)), sizeof(std::uint64_t)};
    return {std::as_writable_bytes(std::span(shares_[0].out(), parameters_.elements)), sizeof(double)};
  }

  [[nodiscard]] std::vector<std::span<const std::byte>> arrays() const override {
    std::vector<std::span<const std::byte>> arrays;
    for (const Share& share : shares_) arrays.push_back(share.memory());
    return arrays;
  }

  [[nodiscard]] std::string implementation() const override {
    std::string name = chosen_.kernels->name;
    if (!reads() && parameters_.stores != chosen_.stores)
      name += ", chose " + std::string(name_of(chosen_.stores)) + " stores";
    return name;
  }

  Team& team() noexcept override { return team_; }

 private:
  struct Finding {
    std::uint64_t wrong = 0;
    std::string first;
  };

  // Until prepare() chose: one that there is.
  static Choice named(const Parameters& parameters) {
    const MemoryKernels& kernels = kernels::memory::kernels_named(parameters.isa);
    const Stores stores = parameters.stores.value_or(Stores::cached);
    const WritePass pass = find_pass(kernels, parameters.operation, stores);
    if (pass == nullptr && parameters.operation != Operation::read) {
      throw std::invalid_argument("there is no such pass with " + std::string(name_of(stores)) + " stores");
    }
    return {&kernels, stores, pass};
  }

  [[nodiscard]] bool reads() const noexcept { return parameters_.operation == Operation::read; }

  // Of the data of all threads, where this one's begin.
  [[nodiscard]] std::uint64_t first_of(std::size_t member) const noexcept {
    return member * parameters_.elements;
  }

  template <typename Body>
  void each(Body) noexcept {
    team_.run(
        [](void* self, int member) {
          Body{}(*static_cast<MemoryWorkload*>(self), static_cast<std::size_t>(member));
        },
        this);
  }

  void pass(std::size_t member) noexcept {
    const Arrays arrays = shares_[member].arrays();
    std::uint64_t sum = 0;
    std::size_t made = 0;
    for (; made < parameters_.passes; ++made) sum += chosen_.run(arrays);
    sums_[member] = sum;
    made_[member] = made;
  }

  void check(std::size_t member) {
    Finding& finding = findings_[member];
    // The rate counts all of them, and what is written looks the same after one.
    if (made_[member] != parameters_.passes) {
      finding = {parameters_.elements, "thread " + std::to_string(member) + " made " +
                                           std::to_string(made_[member]) + " of " +
                                           std::to_string(parameters_.passes) + " passes"};
      return;
    }
    if (reads()) {
      const std::uint64_t of_one = sum_of_words(seeds_.a, first_of(member), parameters_.elements);
      if (sums_[member] == of_one * parameters_.passes) return;
      finding = {parameters_.elements,
                 "the sum of the words that thread " + std::to_string(member) + " read in all passes"};
      return;
    }
    const double* out = shares_[member].out();
    for (std::size_t i = 0; i < parameters_.elements; ++i) {
      const double want = expected(parameters_.operation, seeds_, first_of(member) + i);
      if (out[i] == want) continue;
      if (finding.wrong++ == 0) {
        finding.first = "element " + std::to_string(i) + " of thread " + std::to_string(member) + " is " +
                        std::to_string(out[i]) + ", expected " + std::to_string(want);
      }
    }
  }

  Parameters parameters_;
  Team team_;
  std::optional<Choice> given_;  // none: by trial
  Choice chosen_;
  std::vector<Share> shares_;
  std::vector<std::uint64_t> sums_;  // of each member's last call, all passes together
  std::vector<std::size_t> made_;    // passes of each member in its last call
  std::vector<Finding> findings_;
  Seeds seeds_;
};

}  // namespace

Operation operation_named(const std::string& name) {
  for (const auto& [known, operation] : kOperations) {
    if (name == known) return operation;
  }
  throw std::invalid_argument("unknown operation " + name);
}

std::optional<Stores> stores_named(const std::string& name) {
  if (name == "auto") return std::nullopt;
  for (const auto& [known, stores] : kStores) {
    if (name == known) return stores;
  }
  throw std::invalid_argument("unknown way to store " + name);
}

std::unique_ptr<Workload> make_workload(const Parameters& parameters) {
  return std::make_unique<MemoryWorkload>(parameters, std::nullopt);
}

std::unique_ptr<Workload> make_workload(const Parameters& parameters, const Choice& choice) {
  return std::make_unique<MemoryWorkload>(parameters, choice);
}

}  // namespace pibench::memory
