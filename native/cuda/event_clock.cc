#include "event_clock.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace pibench::cuda {
namespace {

// What a group may last, for the same reason as kMostSamples.
constexpr double kGroupSeconds = 0.1;
// With a graph little else is left of the host's part than what it does for each group.
constexpr double kGraphSeconds = 0.5;
// A graph takes several times as long to make as its commands to enqueue: so many groups have to be to come.
constexpr std::uint64_t kGroupsOfGraph = 4;
// Commands and events that may be enqueued behind the gate: a driver's queue has about a thousand places, and
// a full one would wait for the gate that only the host can open.
constexpr double kMostEnqueued = 512;
constexpr double kMostInSample = 256;
constexpr std::uint64_t kGateLimit = 10'000'000'000;
// What the documentation of cuEventElapsedTime says of its resolution.
constexpr double kDocumentedResolution = 0.5e-6;

bool graphs_wanted() {
  const char* const asked = std::getenv(kGroupsVariable);
  return asked != nullptr && std::string_view(asked) == "graph";
}

}  // namespace

ClockQuality quality_of_events(std::vector<Nanoseconds> empty) {
  if (empty.empty()) return {0, kDocumentedResolution};
  Nanoseconds step = 0;
  std::ranges::sort(empty);
  for (std::size_t i = 1; i < empty.size(); ++i) {
    const Nanoseconds difference = empty[i] - empty[i - 1];
    if (difference > 0 && (step == 0 || difference < step)) step = difference;
  }
  const double resolution = step > 0 ? static_cast<double>(step) * 1e-9 : kDocumentedResolution;
  return {static_cast<double>(empty[empty.size() / 2]) * 1e-9, resolution};
}

EventClock::EventClock(Session& session)
    : session_(session),
      gate_(session.kernel(kernels::cuda::kSpinGate)),
      words_(2 * sizeof(std::uint32_t)),
      after_graph_(make_event()),
      graphs_wanted_(graphs_wanted()) {
  for (std::size_t i = 0; i < kMostSamples; ++i) {
    begins_.push_back(make_event());
    ends_.push_back(make_event());
  }
}

void EventClock::plan(std::uint64_t calls, double call_seconds) noexcept {
  calls_ = calls;
  call_seconds_ = call_seconds;
}

double EventClock::most_calls() const noexcept {
  return std::max(1.0, std::floor(kMostInSample / commands_));
}

std::uint64_t EventClock::size_of_group(std::uint64_t left, double seconds) const noexcept {
  const double sample_seconds = std::max(call_seconds_ * static_cast<double>(calls_), 1e-6);
  const double by_time = seconds / sample_seconds;
  const double by_queue = kMostEnqueued / (static_cast<double>(calls_) * commands_ + 2);
  // Before anything is known of the calls, one at a time.
  const double size =
      call_seconds_ > 0 ? std::min({by_time, by_queue, static_cast<double>(kMostSamples)}) : 1;
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(size), 1, std::max<std::uint64_t>(1, left));
}

void EventClock::begin_group(How how) noexcept {
  how_ = how;
  in_group_ = 0;
  enqueueing_ = now();
}

void EventClock::close_gate() noexcept {
  auto* words = reinterpret_cast<std::uint32_t*>(words_.data());
  std::atomic_ref(words[0]).store(0, std::memory_order_release);
  words[1] = 0;
  try {
    const Address address = words_.address();
    const kernels::cuda::SpinGateArguments arguments{pointer<const std::uint32_t>(address),
                                                     pointer<std::uint32_t>(address + sizeof(std::uint32_t)),
                                                     kGateLimit};
    session_.launch(gate_, arguments);
  } catch (const CudaError& error) {
    session_.note(error.code(), "cuMemHostGetDevicePointer_v2");
  } catch (const std::exception& error) {
    session_.fail(error.what());
  }
}

std::uint64_t EventClock::group(std::uint64_t left) noexcept {
  begin_group(How::launched);
  close_gate();
  return size_of_group(left, kGroupSeconds);
}

// Of single calls, which are long: where several share a sample they share what the host does, too, and how
// close one comes to the next would be another thing in a graph.
std::uint64_t EventClock::alike_group(std::uint64_t left) noexcept {
  const std::uint64_t size = size_of_group(left, kGraphSeconds);
  const bool known = graph_ != nullptr && graph_samples_ == size;
  const bool worthwhile = graph_ == nullptr && call_seconds_ > 0 && left / size >= kGroupsOfGraph;
  if (!graphs_wanted_ || calls_ != 1 || !(known || worthwhile)) return group(left);
  begin_group(known ? How::replayed : How::captured);
  graph_samples_ = size;
  if (known)
    in_group_ = size;
  else
    session_.note(cu().cuStreamBeginCapture_v2(session_.stream(), kCaptureThreadLocal),
                  "cuStreamBeginCapture_v2");
  return size;
}

void EventClock::end_capture() noexcept {
  GraphHandle* raw = nullptr;
  GraphExecHandle* exec = nullptr;
  session_.note(cu().cuStreamEndCapture(session_.stream(), &raw), "cuStreamEndCapture");
  const Graph graph(raw);
  if (!session_.failure().empty()) return;
  if (!session_.note(cu().cuGraphInstantiateWithFlags(&exec, raw, 0), "cuGraphInstantiateWithFlags")) return;
  graph_.reset(exec);
  // While nothing stands before it: what a first launch waits for would wait for the gate.
  session_.note(cu().cuGraphUpload(exec, session_.stream()), "cuGraphUpload");
  session_.note(cu().cuStreamSynchronize(session_.stream()), "cuStreamSynchronize");
}

void EventClock::launch_graph() noexcept {
  if (graph_ == nullptr) return;
  close_gate();
  session_.note(cu().cuGraphLaunch(graph_.get(), session_.stream()), "cuGraphLaunch");
  session_.note(cu().cuEventRecord(after_graph_.get(), session_.stream()), "cuEventRecord");
  ++agreement_.graph_groups;
}

bool EventClock::record(const Event& event) noexcept {
  // Else it would order the commands of the graph, and be recorded by none of its launches.
  if (how_ == How::captured)
    return session_.note(cu().cuEventRecordWithFlags(event.get(), session_.stream(), kRecordExternal),
                         "cuEventRecordWithFlags");
  return session_.note(cu().cuEventRecord(event.get(), session_.stream()), "cuEventRecord");
}

Nanoseconds EventClock::begin() noexcept {
  record(begins_[in_group_]);
  return 0;
}

Nanoseconds EventClock::end() noexcept {
  record(ends_[in_group_++]);
  return 0;
}

Nanoseconds EventClock::between(const Event& begin, const Event& end) noexcept {
  float milliseconds = 0;
  session_.note(cu().cuEventElapsedTime(&milliseconds, begin.get(), end.get()), "cuEventElapsedTime");
  return static_cast<Nanoseconds>(std::llround(static_cast<double>(milliseconds) * 1e6));
}

bool EventClock::collect(std::span<Sample> samples) noexcept {
  if (how_ == How::captured) {
    end_capture();
    const Nanoseconds made = now();
    agreement_.making_seconds += static_cast<double>(made - enqueueing_) * 1e-9;
    enqueueing_ = made;
  }
  if (how_ != How::launched) launch_graph();
  auto* words = reinterpret_cast<std::uint32_t*>(words_.data());
  const Nanoseconds opened = now();
  std::atomic_ref(words[0]).store(1, std::memory_order_release);
  const Event& last = how_ == How::launched ? ends_[in_group_ - 1] : after_graph_;
  session_.note(cu().cuEventSynchronize(last.get()), "cuEventSynchronize");
  const Nanoseconds done = now();
  if (std::atomic_ref(words[1]).load(std::memory_order_acquire) != 0)
    session_.fail(
        "the host took longer than 10 s to enqueue a group of samples: the device went on without it");
  if (!session_.failure().empty()) return false;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Nanoseconds entry = opened + between(begins_[0], begins_[i]);
    samples[i] = {entry, entry + between(begins_[i], ends_[i])};
  }
  const double whole = static_cast<double>(between(begins_[0], ends_[in_group_ - 1])) * 1e-9;
  ++agreement_.groups;
  agreement_.samples += samples.size();
  agreement_.device_seconds += whole;
  agreement_.host_seconds += static_cast<double>(done - opened) * 1e-9;
  agreement_.enqueue_seconds += static_cast<double>(opened - enqueueing_) * 1e-9;
  if (collected_ > 0) agreement_.between_seconds += static_cast<double>(opened - collected_) * 1e-9;
  collected_ = done;
  // Where there was no warm-up the first group tells how long the next may be.
  if (call_seconds_ <= 0)
    call_seconds_ = whole / (static_cast<double>(samples.size()) * static_cast<double>(calls_));
  return session_.failure().empty();
}

ClockQuality EventClock::quality() {
  const double planned = call_seconds_;
  call_seconds_ = 0;
  std::vector<Nanoseconds> empty;
  for (int round = 0; round < 3; ++round) {
    static_cast<void>(group(1));
    for (std::size_t i = 0; i < kMostSamples; ++i) {
      begin();
      end();
    }
    Sample first{};
    if (!collect({&first, 1})) throw std::runtime_error(session_.failure());
    for (std::size_t i = 0; i < kMostSamples; ++i) empty.push_back(between(begins_[i], ends_[i]));
  }
  call_seconds_ = planned;
  return quality_of_events(std::move(empty));
}

}  // namespace pibench::cuda
