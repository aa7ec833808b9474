#include "event_clock.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

namespace pibench::cuda {
namespace {

// What a group may last, for the same reason as kMostSamples.
constexpr double kGroupSeconds = 0.1;
// Commands and events that may be enqueued behind the gate: a driver's queue has about a thousand places, and
// a full one would wait for the gate that only the host can open.
constexpr double kMostEnqueued = 512;
constexpr double kMostInSample = 256;
constexpr std::uint64_t kGateLimit = 10'000'000'000;
// What the documentation of cuEventElapsedTime says of its resolution.
constexpr double kDocumentedResolution = 0.5e-6;

}  // namespace

EventClock::EventClock(Session& session)
    : session_(session), gate_(session.kernel(kernels::cuda::kSpinGate)), words_(2 * sizeof(std::uint32_t)) {
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

std::uint64_t EventClock::group(std::uint64_t left) noexcept {
  const double sample_seconds = std::max(call_seconds_ * static_cast<double>(calls_), 1e-6);
  const double by_time = kGroupSeconds / sample_seconds;
  const double by_queue = kMostEnqueued / (static_cast<double>(calls_) * commands_ + 2);
  // Before anything is known of the calls, one at a time.
  const double size =
      call_seconds_ > 0 ? std::min({by_time, by_queue, static_cast<double>(kMostSamples)}) : 1;
  in_group_ = 0;
  enqueueing_ = now();
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
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(size), 1, std::max<std::uint64_t>(1, left));
}

bool EventClock::record(const Event& event) noexcept {
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
  auto* words = reinterpret_cast<std::uint32_t*>(words_.data());
  const Nanoseconds opened = now();
  std::atomic_ref(words[0]).store(1, std::memory_order_release);
  session_.note(cu().cuEventSynchronize(ends_[in_group_ - 1].get()), "cuEventSynchronize");
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
  Nanoseconds step = 0;
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
  std::ranges::sort(empty);
  for (std::size_t i = 1; i < empty.size(); ++i) {
    const Nanoseconds difference = empty[i] - empty[i - 1];
    if (difference > 0 && (step == 0 || difference < step)) step = difference;
  }
  const double resolution = step > 0 ? static_cast<double>(step) * 1e-9 : kDocumentedResolution;
  return {static_cast<double>(empty[empty.size() / 2]) * 1e-9, resolution};
}

}  // namespace pibench::cuda
