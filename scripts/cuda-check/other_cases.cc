// The kernels on a GPU that are neither products nor passes over memory: peak loops, and what measuring needs
// beside them.
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

constexpr std::uint64_t kStream = 0x1a;
constexpr int kTurns = 9;

void check_fill(Session& session, Element type, bool transposed, Values values, Report& report) {
  constexpr std::int64_t kMatrices = 2, kRows = 37, kColumns = 53;
  constexpr std::uint32_t kLimit = 5;
  const std::uint32_t each = bytes_of(type);
  const DeviceMemory memory(static_cast<std::size_t>(kMatrices * kRows * kColumns) * each + 8);
  session.launch(session.kernel(kFill),
                 FillArguments{pointer<void>(memory.address()), kStream, kMatrices, kRows, kColumns,
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
    const double value = drawn_value(kStream, static_cast<std::uint64_t>(i), type, values, kLimit);
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
  // Beside other cases it is no rate.
  if (setting.timed()) report.measured("tflops", best);
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
  for (const std::string& name : workload_cases()) names.push_back(name);
  return names;
}

void run_case(const std::string& name, const Setting& setting, Report& report) {
  const Driver& driver = Driver::get();
  std::array<char, 128> device{};
  driver.check(driver.functions().cuDeviceGetName(device.data(), device.size(), device_at(setting.ordinal)),
               "cuDeviceGetName");
  report.named("device", device.data());
  const bool known = run_support_case(name, setting, report) || run_gemm_case(name, setting, report) ||
                     run_peak_case(name, setting, report) || run_memory_case(name, setting, report) ||
                     run_workload_case(name, setting, report);
  if (!known) throw std::invalid_argument("there is no case " + name);
}

}  // namespace pibench::cuda_check
