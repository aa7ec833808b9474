// The passes over a GPU's memory: whether each is right, and how fast beside the driver's own copy.
#include <algorithm>
#include <bit>
#include <vector>

#include "../../kernels/cuda/contract.h"
#include "../../native/cuda/rates.h"
#include "cases.h"

namespace pibench::cuda_check {
namespace {

using namespace pibench::cuda;
using namespace pibench::kernels::cuda;

constexpr std::uint64_t kStreamA = 0x1a, kStreamB = 0x1b;
constexpr double kScale = 3.0, kWritten = 1.25;
constexpr int kTurns = 9;

double element(std::uint64_t stream, std::uint64_t i) {
  return drawn_value(stream, i, Element::float64, Values::memory, 0);
}

double expected(Operation operation, std::uint64_t i) {
  switch (operation) {
    case Operation::write:
      return kWritten;
    case Operation::scale:
      return kScale * element(kStreamA, i);
    case Operation::add:
      return element(kStreamA, i) + element(kStreamB, i);
    case Operation::triad:
      return element(kStreamA, i) + kScale * element(kStreamB, i);
    default:
      return element(kStreamA, i);
  }
}

double bytes_of_element(Operation operation) {
  switch (operation) {
    case Operation::read:
    case Operation::write:
      return 8;
    case Operation::copy:
    case Operation::scale:
      return 16;
    default:
      return 24;
  }
}

// Three arrays on the device and the sum of reading.
class Arrays {
 public:
  Arrays(Session& session, std::uint64_t elements)
      : session_(session),
        elements_(elements),
        a_(elements * 8),
        b_(elements * 8),
        out_(elements * 8 + 16),
        sum_(8) {
    fill(a_, kStreamA);
    fill(b_, kStreamB);
    clear();
  }
  void clear() {
    const Kernel pattern = session_.kernel(kPattern);
    session_.launch(
        pattern, PatternArguments{pointer<std::uint32_t>(out_.address()), out_.bytes() / 4, 0xa5a5a5a5, 0});
    session_.launch(pattern, PatternArguments{pointer<std::uint32_t>(sum_.address()), 2, 0, 0});
    session_.synchronize();
  }
  [[nodiscard]] MemoryArguments arguments() const {
    return {pointer<double>(a_.address()), pointer<double>(b_.address()), pointer<double>(out_.address()),
            elements_, pointer<std::uint64_t>(sum_.address())};
  }
  [[nodiscard]] const DeviceMemory& a() const { return a_; }
  [[nodiscard]] const DeviceMemory& out() const { return out_; }
  [[nodiscard]] std::uint64_t sum() const {
    std::uint64_t sum = 0;
    sum_.download(&sum);
    return sum;
  }

 private:
  void fill(const DeviceMemory& memory, std::uint64_t stream) {
    session_.launch(
        session_.kernel(kFill),
        FillArguments{pointer<void>(memory.address()), stream, 1, 1, static_cast<std::int64_t>(elements_),
                      static_cast<std::uint32_t>(Element::float64), Values::memory, 0, 0});
  }
  Session& session_;
  std::uint64_t elements_;
  DeviceMemory a_, b_, out_, sum_;
};

Kernel kernel_of(Session& session, const Memory& pass, std::uint64_t elements) {
  return session.kernel(pass.module, pass.symbol, blocks_of(pass, elements, session.multiprocessors()),
                        pass.threads, pass.shared_bytes);
}

void check_pass(Session& session, const Memory& pass, std::uint64_t elements, Report& report) {
  Arrays arrays(session, elements);
  session.launch(kernel_of(session, pass, elements), arrays.arguments());
  session.synchronize();
  const std::string size = std::to_string(elements) + " elements: ";
  if (pass.operation == Operation::read) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < elements; ++i) sum += std::bit_cast<std::uint64_t>(element(kStreamA, i));
    report.that(sum == arrays.sum(), size + "the sum is wrong");
    return;
  }
  std::vector<double> out(elements + 2);
  arrays.out().download(out.data());
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < elements; ++i) wrong += out[i] == expected(pass.operation, i) ? 0 : 1;
  report.that(wrong == 0, size + std::to_string(wrong) + " elements are wrong");
  const auto beside = std::bit_cast<std::uint64_t>(out[elements]);
  report.that(beside == 0xa5a5a5a5a5a5a5a5ULL, size + "something was written behind the end");
}

double best_seconds(EventClock& clock, const auto& enqueue) {
  double best = timed(clock, enqueue);
  for (int turn = 1; turn < kTurns; ++turn) best = std::min(best, timed(clock, enqueue));
  return best;
}

void time_pass(Session& session, const Memory& pass, Report& report) {
  constexpr std::uint64_t kElements = std::uint64_t{1} << 28U;  // 2 GiB an array
  const Kernel kernel = kernel_of(session, pass, kElements);
  EventClock clock(session);
  Arrays arrays(session, kElements);
  const MemoryArguments arguments = arrays.arguments();
  const double work = bytes_of_element(pass.operation) * static_cast<double>(kElements) * 1e-9;
  report.measured("gigabytes_per_second",
                  work / best_seconds(clock, [&] { session.launch(kernel, arguments); }));
  if (pass.operation != Operation::copy) return;
  const auto copy = [&] {
    session.note(Driver::get().functions().cuMemcpyDtoDAsync_v2(arrays.out().address(), arrays.a().address(),
                                                                kElements * 8, session.stream()),
                 "cuMemcpyDtoDAsync_v2");
  };
  // Its first may make the driver wait for the device, which must not happen behind a gate.
  copy();
  session.synchronize();
  const double driver = best_seconds(clock, copy);
  report.measured("driver_copy_gigabytes_per_second", work / driver);
  session.synchronize();
}

}  // namespace

bool run_memory_case(const std::string& name, const Setting& setting, Report& report) {
  const auto* found = std::find_if(kMemories.begin(), kMemories.end(),
                                   [&](const Memory& pass) { return name == pass.symbol; });
  if (found == kMemories.end()) return false;
  Session session(setting.ordinal, setting.kernels);
  if (!runs_on(found->target, session.capability())) {
    report.skip("needs compute capability " + std::to_string(found->target.least));
    return true;
  }
  for (const std::uint64_t elements : {1ULL, 2ULL, 3ULL, 2047ULL, 4096ULL, 1000001ULL})
    check_pass(session, *found, elements, report);
  if (!setting.quick) check_pass(session, *found, 30'000'000, report);
  if (setting.timed() && report.right()) time_pass(session, *found, report);
  return true;
}

}  // namespace pibench::cuda_check
