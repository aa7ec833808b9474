// Passes of our kernels over a GPU's memory: the operations, data and results of the memory indicator on the
// CPU.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "../memory/elements.h"
#include "array_check.h"
#include "memory_workload.h"
#include "rates.h"

namespace pibench::cuda {
namespace {

using kernels::cuda::FillArguments;
using kernels::cuda::kMemories;
using kernels::cuda::Memory;
using kernels::cuda::MemoryArguments;
using kernels::cuda::Operation;
using kernels::cuda::PatternArguments;
using kernels::cuda::Values;

constexpr std::array<const char*, 6> kOperationNames{"read", "write", "copy", "scale", "add", "triad"};
constexpr std::uint32_t kPoison = 0x7fffffff;  // two of them are not a number

bool reads_b(Operation operation) { return operation == Operation::add || operation == Operation::triad; }

class PassWorkload final : public DeviceWorkload {
 public:
  explicit PassWorkload(const PassParameters& parameters)
      : DeviceWorkload(parameters.place),
        parameters_(parameters),
        seeds_(parameters.seed),
        fill_(session().kernel(kernels::cuda::kFill)),
        pattern_(session().kernel(kernels::cuda::kPattern)),
        candidates_(candidates()) {}

  void prepare() override {
    const std::size_t bytes = parameters_.elements * sizeof(double);
    if (parameters_.operation != Operation::write) a_ = DeviceMemory(bytes);
    if (reads_b(parameters_.operation)) b_ = DeviceMemory(bytes);
    if (parameters_.operation != Operation::read) out_ = DeviceMemory(bytes);
    sum_ = DeviceMemory(sizeof(std::uint64_t));
    fill(a_, seeds_.a);
    fill(b_, seeds_.b);
    poison();
    session().synchronize();
    choose();
    poison();
  }

  void run() noexcept override {
    session().launch(kernel_, arguments());
    ++calls_;
  }

  void poison() noexcept override {
    fetched_.clear();
    calls_ = 0;
    pattern(out_, kPoison);
    pattern(sum_, 0);
  }

  Verification verify() override {
    fetch();
    if (parameters_.operation != Operation::read)
      return check_array(fetched_, "out", [this](std::size_t i) {
        return memory::expected(static_cast<kernels::memory::Operation>(parameters_.operation), seeds_, i);
      });
    // Each pass adds the same sum.
    Verification verification;
    verification.method = "sum";
    verification.tolerance = "exact: the sum of the bits of every element, modulo 2^64";
    verification.checked = parameters_.elements;
    const std::uint64_t want = calls_ * sum_of_words(seeds_.a, parameters_.elements);
    const auto got = std::bit_cast<std::uint64_t>(fetched_.front());
    if (got != want) {
      verification.wrong = 1;
      verification.first_wrong = "the sum of " + std::to_string(calls_) + " passes is " +
                                 std::to_string(got) + ", expected " + std::to_string(want);
    }
    verification.passed = got == want && calls_ > 0;
    verification.worst_error = verification.passed ? 0 : 1;
    return verification;
  }

  [[nodiscard]] std::string implementation() const override { return chosen_->variant; }

 protected:
  Output fetched_output() override {
    fetch();
    return {std::as_writable_bytes(std::span(fetched_)), sizeof(double)};
  }

 private:
  [[nodiscard]] std::vector<const Memory*> candidates() const {
    std::vector<const Memory*> found;
    for (const Memory& memory : kMemories) {
      if (memory.operation == parameters_.operation && runs_on(memory.target, session().capability()) &&
          (parameters_.variant.empty() || parameters_.variant == memory.variant))
        found.push_back(&memory);
    }
    if (!found.empty()) return found;
    throw std::invalid_argument("there is no pass " + parameters_.variant +
                                " for this operation on this GPU");
  }

  Kernel load(const Memory& memory) {
    return session().kernel(memory.module, memory.symbol,
                            blocks_of(memory, parameters_.elements, session().multiprocessors()),
                            memory.threads, memory.shared_bytes);
  }

  // What is fastest differs from GPU to GPU. The clock of one that has just been idle still rises, which
  // would speak against whichever comes first: so it is loaded before, and then the candidates have their
  // turns, each round begun by another. The least of the medians wins.
  void choose() {
    constexpr Nanoseconds kLoad = 50'000'000;
    constexpr std::size_t kRounds = 5;
    struct Trial {
      Kernel kernel;
      std::vector<double> seconds;
    };
    std::vector<Trial> trials;
    for (const Memory* candidate : candidates_) {
      trials.push_back({load(*candidate), {}});
      // A first launch may make the driver wait for the device, so it must not stand behind a gate.
      kernel_ = trials.back().kernel;
      run();
      session().synchronize();
    }
    if (trials.size() > 1) {
      double seconds = 0;
      for (const Nanoseconds until = now() + kLoad; now() < until && session().failure().empty();)
        seconds = burst(calls_in_burst(seconds));
      const int calls = calls_in_burst(seconds);
      for (std::size_t turn = 0; turn < kRounds * trials.size(); ++turn) {
        Trial& trial = trials[(turn + turn / trials.size()) % trials.size()];
        kernel_ = trial.kernel;
        trial.seconds.push_back(burst(calls));
      }
    }
    const auto median = [](const Trial& trial) {
      std::vector<double> seconds = trial.seconds;
      std::ranges::sort(seconds);
      return seconds.empty() ? 0 : seconds[seconds.size() / 2];
    };
    const auto best = std::ranges::min_element(trials, {}, median);
    chosen_ = candidates_[static_cast<std::size_t>(best - trials.begin())];
    kernel_ = best->kernel;
  }
  // Seconds of a call, of so many back to back.
  double burst(int calls) {
    return timed(clock(),
                 [&] {
                   for (int call = 0; call < calls; ++call) run();
                 }) /
           calls;
  }
  // So many that the events' own time does not show; of passes that are long one is enough.
  static int calls_in_burst(double call_seconds) {
    constexpr double kSeconds = 0.001;
    constexpr double kMost = 64;
    return call_seconds > 0 ? static_cast<int>(std::clamp(kSeconds / call_seconds, 1.0, kMost)) : 1;
  }

  [[nodiscard]] MemoryArguments arguments() const noexcept {
    return {pointer<const double>(a_.address()), pointer<const double>(b_.address()),
            pointer<double>(out_.address()), parameters_.elements, pointer<std::uint64_t>(sum_.address())};
  }

  void fill(const DeviceMemory& memory, std::uint64_t stream) noexcept {
    if (memory.bytes() == 0) return;
    session().launch(fill_,
                     FillArguments{pointer<void>(memory.address()), stream, 1, 1,
                                   static_cast<std::int64_t>(parameters_.elements),
                                   static_cast<std::uint32_t>(Element::float64), Values::memory, 0, 0});
  }
  void pattern(const DeviceMemory& memory, std::uint32_t value) noexcept {
    if (memory.bytes() == 0) return;
    session().launch(pattern_, PatternArguments{pointer<std::uint32_t>(memory.address()),
                                                memory.bytes() / sizeof(std::uint32_t), value, 0});
  }

  // The output, or the sum of reading, on the host.
  void fetch() {
    if (!fetched_.empty()) return;
    session().synchronize();
    const DeviceMemory& from = parameters_.operation == Operation::read ? sum_ : out_;
    fetched_.resize(from.bytes() / sizeof(double));
    from.download(fetched_.data());
  }

  PassParameters parameters_;
  memory::Seeds seeds_;
  Kernel fill_, pattern_, kernel_;
  std::vector<const Memory*> candidates_;
  const Memory* chosen_ = nullptr;
  DeviceMemory a_, b_, out_, sum_;
  std::uint64_t calls_ = 0;
  std::vector<double> fetched_;
};

}  // namespace

kernels::cuda::Operation pass_named(const std::string& name) {
  const auto* const found = std::ranges::find(kOperationNames, name);
  if (found == kOperationNames.end()) throw std::invalid_argument("unknown operation " + name);
  return static_cast<Operation>(found - kOperationNames.begin());
}

std::unique_ptr<Workload> make_pass_workload(const PassParameters& parameters) {
  return std::make_unique<PassWorkload>(parameters);
}

}  // namespace pibench::cuda
