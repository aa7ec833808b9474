#include "launch_workload.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "../../kernels/cuda/arithmetic.h"

namespace pibench::cuda {
namespace {

using kernels::cuda::EmptyArguments;
using kernels::cuda::FingerprintArguments;

constexpr std::array<const char*, 4> kModeNames{"latency", "throughput", "streams", "graph"};

class LaunchWorkload final : public DeviceWorkload {
 public:
  explicit LaunchWorkload(const LaunchParameters& parameters)
      : DeviceWorkload(parameters.place),
        parameters_(parameters),
        empty_(session().kernel(kernels::cuda::kEmpty)),
        counting_(session().kernel(kernels::cuda::kFingerprint)),
        word_(sizeof(std::uint32_t)),
        sum_(sizeof(std::uint64_t)) {
    counting_.blocks = 1;
    for (unsigned i = 0; i < parameters.streams; ++i) streams_.push_back(make_stream());
  }

  void prepare() override {
    const std::uint32_t word = kWord;
    word_.upload(&word);
    if (parameters_.mode == LaunchMode::graph) {
      graph_ = captured([this](StreamHandle* stream) { launch_empty(stream); });
      counting_graph_ = captured([this](StreamHandle* stream) { launch_counting(stream); });
    }
  }

  void run() noexcept override {
    execute(graph_, [this](StreamHandle* stream) { launch_empty(stream); });
  }
  // What was counted is of the launches before.
  void poison() noexcept override { fetched_ = false; }
  // Nothing is enqueued that outlives a call: the host's clock has it all.
  DeviceClock* device_clock() noexcept override { return nullptr; }

  // An empty kernel leaves nothing. So one that counts goes the same way: as many must have run as were
  // launched.
  Verification verify() override {
    if (!fetched_) fetch();
    Verification verification;
    verification.method = "counted launches";
    verification.tolerance = "exact: kernels that count, launched in the same way";
    verification.checked = parameters_.launches;
    const std::uint64_t want = parameters_.launches * kernels::cuda::fingerprint_of(0, kWord);
    verification.passed = counted_ == want;
    verification.worst_error = verification.passed ? 0 : 1;
    if (!verification.passed) {
      verification.wrong = 1;
      verification.first_wrong =
          "the kernels counted " + std::to_string(counted_) + ", expected " + std::to_string(want);
    }
    return verification;
  }
  [[nodiscard]] bool verifies_one_call() const override { return true; }
  [[nodiscard]] std::string implementation() const override {
    return parameters_.mode == LaunchMode::graph ? "cuGraphLaunch" : "cuLaunchKernel";
  }

 protected:
  Output fetched_output() override {
    fetch();
    return {std::as_writable_bytes(std::span(&counted_, 1)), sizeof counted_};
  }

 private:
  static constexpr std::uint32_t kWord = 0x5eed;

  void launch(const Kernel& kernel, void* arguments, StreamHandle* stream) noexcept {
    void* parameters[] = {arguments};
    session().note(cu().cuLaunchKernel(kernel.function, kernel.blocks, 1, 1, kernel.threads, 1, 1, 0, stream,
                                       static_cast<void**>(parameters), nullptr),
                   kernel.symbol);
  }
  void launch_empty(StreamHandle* stream) noexcept {
    EmptyArguments arguments{0};
    launch(empty_, &arguments, stream);
  }
  void launch_counting(StreamHandle* stream) noexcept {
    FingerprintArguments arguments{pointer<const std::uint32_t>(word_.address()), 1,
                                   pointer<std::uint64_t>(sum_.address())};
    launch(counting_, &arguments, stream);
  }

  // One call, with either kernel.
  template <typename Launch>
  void execute(const GraphExec& graph, Launch launch_on) noexcept {
    if (parameters_.mode == LaunchMode::graph) {
      session().note(cu().cuGraphLaunch(graph.get(), streams_.front().get()), "cuGraphLaunch");
    } else {
      for (unsigned i = 0; i < parameters_.launches; ++i) launch_on(streams_[i % streams_.size()].get());
    }
    for (const Stream& stream : streams_)
      session().note(cu().cuStreamSynchronize(stream.get()), "cuStreamSynchronize");
  }

  template <typename Launch>
  GraphExec captured(Launch launch_on) {
    const Driver& driver = Driver::get();
    StreamHandle* stream = streams_.front().get();
    driver.check(cu().cuStreamBeginCapture_v2(stream, kCaptureThreadLocal), "cuStreamBeginCapture_v2");
    for (unsigned i = 0; i < parameters_.launches; ++i) launch_on(stream);
    GraphHandle* raw = nullptr;
    driver.check(cu().cuStreamEndCapture(stream, &raw), "cuStreamEndCapture");
    const Graph graph(raw);
    GraphExecHandle* exec = nullptr;
    driver.check(cu().cuGraphInstantiateWithFlags(&exec, raw, 0), "cuGraphInstantiateWithFlags");
    return GraphExec(exec);
  }

  void fetch() {
    const std::uint64_t zero = 0;
    sum_.upload(&zero);
    execute(counting_graph_, [this](StreamHandle* stream) { launch_counting(stream); });
    session().synchronize();
    sum_.download(&counted_);
    fetched_ = true;
  }

  LaunchParameters parameters_;
  Kernel empty_, counting_;
  DeviceMemory word_, sum_;
  std::vector<Stream> streams_;
  GraphExec graph_, counting_graph_;
  std::uint64_t counted_ = 0;
  bool fetched_ = false;
};

}  // namespace

LaunchMode launch_mode_named(const std::string& name) {
  const auto* const found = std::ranges::find(kModeNames, name);
  if (found == kModeNames.end()) throw std::invalid_argument("unknown mode of launching " + name);
  return static_cast<LaunchMode>(found - kModeNames.begin());
}

std::unique_ptr<Workload> make_launch_workload(const LaunchParameters& parameters) {
  if (parameters.launches < 1 || parameters.streams < 1) throw std::invalid_argument("nothing to launch");
  return std::make_unique<LaunchWorkload>(parameters);
}

}  // namespace pibench::cuda
