#include "rates.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "array_check.h"

namespace pibench::cuda {
namespace {

using kernels::cuda::Engine;

constexpr double kBurstSeconds = 0.005;
constexpr int kBursts = 8;

// All the same and not what stood there before.
bool all_right(const std::vector<std::uint64_t>& sums) {
  return !sums.empty() && sums.front() != 0 &&
         std::ranges::all_of(sums, [&](std::uint64_t sum) { return sum == sums.front(); });
}

// Of a launch that does nothing, behind others like it. 0 where the device failed.
double launch_seconds(Session& session, EventClock& clock) {
  constexpr int kLaunches = 256;
  const Kernel empty = session.kernel(kernels::cuda::kEmpty);
  const auto launch = [&] { session.launch(empty, kernels::cuda::EmptyArguments{0}); };
  launch();
  session.synchronize();
  double least = 0;
  for (int burst = 0; burst < kBursts; ++burst) {
    const double seconds = timed(clock, [&] {
      for (int i = 0; i < kLaunches; ++i) launch();
    });
    if (seconds <= 0) return 0;
    if (burst == 0 || seconds < least) least = seconds;
  }
  return least / kLaunches;
}

}  // namespace

const char* name_of(Engine engine) {
  switch (engine) {
    case Engine::wgmma:
      return "wgmma";
    case Engine::mma:
      return "mma";
    case Engine::scalar:
      return "scalar";
  }
  return "scalar";
}

std::optional<Engine> engine_named(const std::string& name) {
  for (const Engine engine : {Engine::wgmma, Engine::mma, Engine::scalar}) {
    if (name == name_of(engine)) return engine;
  }
  return std::nullopt;
}

const kernels::cuda::Peak* peak_loop(Element element, unsigned capability, const std::string& engine) {
  const kernels::cuda::Peak* best = nullptr;
  for (const auto& peak : kernels::cuda::kPeaks) {
    if (peak.element != element || !kernels::cuda::runs_on(peak.target, capability)) continue;
    if (engine.empty() ? best == nullptr || peak.engine < best->engine : engine == name_of(peak.engine))
      best = &peak;
  }
  return best;
}

std::vector<std::string> unused_instructions(const kernels::cuda::Peak& peak, unsigned capability) {
  std::vector<std::string> unused;
  const auto* const best = peak_loop(peak.element, capability, "");
  if (best != nullptr && best->engine < peak.engine) unused.emplace_back(name_of(best->engine));
  const bool by_tcgen05 = capability >= 100 && capability < 120 && peak.element != Element::float64 &&
                          peak.engine != Engine::scalar;
  if (by_tcgen05) unused.emplace_back("tcgen05");
  return unused;
}

bool is_ceiling(const kernels::cuda::Peak& peak, unsigned capability) {
  return unused_instructions(peak, capability).empty();
}

PeakLoop::PeakLoop(Session& session, const kernels::cuda::Peak& peak)
    : session_(session),
      peak_(peak),
      kernel_(session.kernel(peak.module, peak.symbol,
                             session.multiprocessors() * peak.blocks_per_multiprocessor, peak.threads,
                             peak.shared_bytes)),
      pattern_(session.kernel(kernels::cuda::kPattern)),
      memory_(kernel_.blocks * sizeof(std::uint64_t)) {}

void PeakLoop::enqueue(std::uint32_t iterations) noexcept {
  session_.launch(kernel_,
                  kernels::cuda::PeakArguments{pointer<std::uint64_t>(memory_.address()), iterations, 0});
}

double PeakLoop::operations(std::uint32_t iterations) const noexcept {
  return peak_.operations * kernel_.blocks * iterations;
}

std::vector<std::uint64_t> PeakLoop::sums() {
  session_.synchronize();
  std::vector<std::uint64_t> sums(kernel_.blocks);
  memory_.download(sums.data());
  return sums;
}

void PeakLoop::clear() noexcept {
  session_.launch(pattern_, kernels::cuda::PatternArguments{pointer<std::uint32_t>(memory_.address()),
                                                            memory_.bytes() / sizeof(std::uint32_t), 0, 0});
}

std::uint32_t PeakLoop::iterations_for(EventClock& clock, double seconds) {
  constexpr std::uint32_t kMost = 1U << 24U;
  std::uint32_t iterations = 64;
  // A first launch may make the driver wait for the device, so it must not stand behind a gate.
  enqueue(1);
  session_.synchronize();
  for (;;) {
    const double took = timed(clock, [&] { enqueue(iterations); });
    if (took <= 0 || iterations >= kMost) return iterations;
    if (took >= seconds / 2)
      return static_cast<std::uint32_t>(std::clamp(iterations * seconds / took, 1.0, double{kMost}));
    iterations *= 2;
  }
}

double measure_peak(Session& session, EventClock& clock, Element element, std::string& engine) {
  const auto* peak = peak_loop(element, session.capability(), "");
  if (peak == nullptr || !is_ceiling(*peak, session.capability())) return 0;
  engine = name_of(peak->engine);
  PeakLoop loop(session, *peak);
  const std::uint32_t iterations = loop.iterations_for(clock, kBurstSeconds);
  double best = 0;
  for (int i = 0; i < kBursts; ++i) {
    loop.clear();
    const double seconds = timed(clock, [&] { loop.enqueue(iterations); });
    if (seconds <= 0 || !all_right(loop.sums())) return 0;
    best = std::max(best, loop.operations(iterations) / seconds);
  }
  return best;
}

double measure_read(Session& session, EventClock& clock, std::size_t bytes) {
  constexpr std::size_t kLine = 128;
  const std::size_t whole = std::max(bytes / kLine, std::size_t{1}) * kLine;
  if (whole > Session::free_bytes() / 2) return 0;
  constexpr std::uint64_t kStream = 1;
  // Elements whose sum the host makes in some tens of milliseconds.
  constexpr std::size_t kMostSummed = std::size_t{1} << 25U;
  const std::size_t elements = whole / sizeof(double);
  const DeviceMemory memory(whole);
  const DeviceMemory sum(sizeof(std::uint64_t));
  const auto clear = [&sum] {
    const std::uint64_t nothing = 0;
    sum.upload(&nothing);
  };
  const auto found = [&] {
    session.synchronize();
    std::uint64_t value = 0;
    sum.download(&value);
    return value;
  };
  const Kernel fill = session.kernel(kernels::cuda::kFill);
  session.launch(fill, kernels::cuda::FillArguments{pointer<void>(memory.address()), kStream, 1, 1,
                                                    static_cast<std::int64_t>(elements),
                                                    static_cast<std::uint32_t>(Element::float64),
                                                    kernels::cuda::Values::memory, 0, 0});
  const kernels::cuda::MemoryArguments arguments{pointer<const double>(memory.address()), nullptr, nullptr,
                                                 elements, pointer<std::uint64_t>(sum.address())};
  // What one pass adds to the sum; of more elements, what the first one did.
  std::optional<std::uint64_t> once;
  if (elements <= kMostSummed) once = sum_of_words(kStream, elements);
  double best = 0;
  for (const auto& pass : kernels::cuda::kMemories) {
    if (pass.operation != kernels::cuda::Operation::read ||
        !kernels::cuda::runs_on(pass.target, session.capability()))
      continue;
    const Kernel kernel =
        session.kernel(pass.module, pass.symbol, blocks_of(pass, elements, session.multiprocessors()),
                       pass.threads, pass.shared_bytes);
    // Many passes in one sample where the memory is small: the events' own time would show.
    constexpr double kLeastBytes = 0x1p31;
    const int passes = static_cast<int>(std::clamp(kLeastBytes / static_cast<double>(whole), 1.0, 256.0));
    clear();
    session.launch(kernel, arguments);
    const std::uint64_t first = found();
    if (!once) once = first;
    if (first != *once || first == 0) return 0;
    for (int burst = 0; burst < kBursts; ++burst) {
      clear();
      const double seconds = timed(clock, [&] {
        for (int i = 0; i < passes; ++i) session.launch(kernel, arguments);
      });
      if (seconds <= 0 || found() != *once * static_cast<std::uint64_t>(passes)) return 0;
      best = std::max(best, static_cast<double>(whole) * passes / seconds);
    }
  }
  constexpr double kLeastLaunches = 20;
  const double launch_alone = launch_seconds(session, clock);
  const bool is_of_memory = best > 0 && static_cast<double>(whole) / best >= kLeastLaunches * launch_alone;
  return launch_alone > 0 && is_of_memory ? best : 0;
}

}  // namespace pibench::cuda
