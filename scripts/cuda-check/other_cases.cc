// The kernels on a GPU that are no products: passes over memory, peak loops, and what measuring needs beside
// them.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
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

template <typename T>
T* pointer(Address address) {
  return std::bit_cast<T*>(static_cast<std::uintptr_t>(address));
}

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

void check_pass(Session& session, const Kernel& kernel, const Memory& pass, std::uint64_t elements,
                Report& report) {
  Arrays arrays(session, elements);
  session.launch(kernel, arrays.arguments());
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

void time_pass(Session& session, const Kernel& kernel, const Memory& pass, Report& report) {
  constexpr std::uint64_t kElements = std::uint64_t{1} << 28U;  // 2 GiB an array
  EventClock clock(session);
  Arrays arrays(session, kElements);
  const MemoryArguments arguments = arrays.arguments();
  const double work = bytes_of_element(pass.operation) * static_cast<double>(kElements) * 1e-9;
  report.measured("gigabytes_per_second",
                  work / best_seconds(clock, [&] { session.launch(kernel, arguments); }));
  if (pass.operation != Operation::copy) return;
  const double driver = best_seconds(clock, [&] {
    session.note(Driver::get().functions().cuMemcpyDtoDAsync_v2(arrays.out().address(), arrays.a().address(),
                                                                kElements * 8, session.stream()),
                 "cuMemcpyDtoDAsync_v2");
  });
  report.measured("driver_copy_gigabytes_per_second", work / driver);
  session.synchronize();
}

void check_fill(Session& session, Element type, bool transposed, Values values, Report& report) {
  constexpr std::int64_t kMatrices = 2, kRows = 37, kColumns = 53;
  constexpr std::uint32_t kLimit = 5;
  const std::uint32_t each = bytes_of(type);
  const DeviceMemory memory(static_cast<std::size_t>(kMatrices * kRows * kColumns) * each + 8);
  session.launch(session.kernel(kFill),
                 FillArguments{pointer<void>(memory.address()), kStreamA, kMatrices, kRows, kColumns,
                               static_cast<std::uint32_t>(type), values, kLimit, transposed ? 1U : 0U});
  session.synchronize();
  std::vector<std::byte> got(memory.bytes());
  memory.download(got.data());
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < kMatrices * kRows * kColumns; ++i) {
    const std::int64_t matrix = i / (kRows * kColumns);
    const std::int64_t row = i / kColumns % kRows;
    const std::int64_t column = i % kColumns;
    const std::int64_t at =
        matrix * kRows * kColumns + (transposed ? column * kRows + row : row * kColumns + column);
    const double value = drawn_value(kStreamA, static_cast<std::uint64_t>(i), type, values, kLimit);
    std::uint64_t want =
        type == Element::float64 ? std::bit_cast<std::uint64_t>(value) : bits_in(type, value);
    if (std::memcmp(&want, got.data() + at * each, each) != 0) ++wrong;
  }
  report.that(wrong == 0, "fill of " + cuda::name_of(type) + ": " + std::to_string(wrong) +
                              " elements are not the host's");
}

void check_words(Session& session, Report& report) {
  constexpr std::uint64_t kWords = 1000003;
  const DeviceMemory left(kWords * 4);
  const DeviceMemory right(kWords * 4);
  const DeviceMemory found(24);
  const Kernel pattern = session.kernel(kPattern);
  const auto write = [&](const DeviceMemory& memory, std::uint64_t first, std::uint64_t words,
                         std::uint32_t value) {
    session.launch(pattern,
                   PatternArguments{pointer<std::uint32_t>(memory.address() + first * 4), words, value, 0});
  };
  write(left, 0, kWords, 0x12345678);
  write(right, 0, kWords, 0x12345678);
  write(right, 777777, 3, 1);
  std::uint64_t numbers[3] = {0, ~std::uint64_t{0}, 0};
  found.upload(static_cast<const void*>(numbers));
  session.launch(session.kernel(kCompare), CompareArguments{pointer<std::uint32_t>(left.address()),
                                                            pointer<std::uint32_t>(right.address()), kWords,
                                                            pointer<std::uint64_t>(found.address()),
                                                            pointer<std::uint64_t>(found.address() + 8)});
  session.launch(session.kernel(kFingerprint),
                 FingerprintArguments{pointer<std::uint32_t>(right.address()), kWords,
                                      pointer<std::uint64_t>(found.address() + 16)});
  session.synchronize();
  found.download(static_cast<void*>(numbers));
  std::uint64_t want = 0;
  for (std::uint64_t i = 0; i < kWords; ++i)
    want += fingerprint_of(i, i >= 777777 && i < 777780 ? 1 : 0x12345678);
  report.that(numbers[0] == 3 && numbers[1] == 777777, "compare did not find the 3 words from 777777 on");
  report.that(numbers[2] == want, "the fingerprint is not the host's");
}

void check_gate(Session& session, Report& report) {
  const PinnedMemory words(8);
  auto* flags = reinterpret_cast<volatile std::uint32_t*>(words.data());
  const auto gate = [&](std::uint32_t flag, std::uint64_t limit) {
    flags[0] = flag;
    flags[1] = 0;
    session.launch(session.kernel(kSpinGate),
                   SpinGateArguments{pointer<std::uint32_t>(words.address()),
                                     pointer<std::uint32_t>(words.address() + 4), limit});
    session.synchronize();
    return flags[1];
  };
  report.that(gate(0, 20'000'000) == 1, "the gate did not give up when nobody opened it");
  report.that(gate(1, 10'000'000'000) == 0, "the gate gave up although it was open");
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
  const Kernel kernel = session.kernel(found->module, found->symbol,
                                       session.multiprocessors() * found->blocks_per_multiprocessor,
                                       found->threads, found->shared_bytes);
  for (const std::uint64_t elements : {1ULL, 2ULL, 3ULL, 2047ULL, 4096ULL, 1000001ULL})
    check_pass(session, kernel, *found, elements, report);
  if (!setting.quick) check_pass(session, kernel, *found, 30'000'000, report);
  if (!setting.quick && report.right()) time_pass(session, kernel, *found, report);
  return true;
}

bool run_peak_case(const std::string& name, const Setting& setting, Report& report) {
  const auto* found =
      std::find_if(kPeaks.begin(), kPeaks.end(), [&](const Peak& peak) { return name == peak.symbol; });
  if (found == kPeaks.end()) return false;
  Session session(setting.ordinal, setting.kernels);
  if (!runs_on(found->target, session.capability())) {
    report.skip("needs compute capability " + std::to_string(found->target.least));
    return true;
  }
  EventClock clock(session);
  PeakLoop loop(session, *found);
  const std::uint32_t iterations = loop.iterations_for(clock, 0.02);
  double best = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    loop.clear();
    const double seconds = timed(clock, [&] { loop.enqueue(iterations); });
    const std::vector<std::uint64_t> sums = loop.sums();
    report.that(
        seconds > 0 && sums.front() != 0 &&
            std::all_of(sums.begin(), sums.end(), [&](std::uint64_t sum) { return sum == sums.front(); }),
        "the blocks' sums differ, or there are none");
    best = std::max(best, loop.operations(iterations) / seconds * 1e-12);
  }
  report.measured("tflops", best);
  return true;
}

bool run_support_case(const std::string& name, const Setting& setting, Report& report) {
  if (name != "support") return false;
  Session session(setting.ordinal, setting.kernels);
  for (const NamedElement& one : kElements) {
    for (const bool transposed : {false, true}) {
      check_fill(session, one.element, transposed, Values::real, report);
      check_fill(session, one.element, transposed, Values::integers, report);
    }
  }
  check_fill(session, Element::float64, false, Values::memory, report);
  check_words(session, report);
  check_gate(session, report);
  session.launch(session.kernel(kEmpty), EmptyArguments{0});
  session.synchronize();
  report.that(true, "an empty kernel");
  return true;
}

std::vector<std::string> case_names() {
  std::vector<std::string> names{"support"};
  for (const auto& gemm : kGemms) names.emplace_back(gemm.symbol);
  for (const auto& peak : kPeaks) names.emplace_back(peak.symbol);
  for (const auto& pass : kMemories) names.emplace_back(pass.symbol);
  return names;
}

void run_case(const std::string& name, const Setting& setting, Report& report) {
  const Driver& driver = Driver::get();
  std::array<char, 128> device{};
  driver.check(driver.functions().cuDeviceGetName(device.data(), device.size(), device_at(setting.ordinal)),
               "cuDeviceGetName");
  report.named("device", device.data());
  const bool known = run_support_case(name, setting, report) || run_gemm_case(name, setting, report) ||
                     run_peak_case(name, setting, report) || run_memory_case(name, setting, report);
  if (!known) throw std::invalid_argument("there is no case " + name);
}

}  // namespace pibench::cuda_check
