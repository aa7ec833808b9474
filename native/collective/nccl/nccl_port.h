// One rank's end of NCCL: a GPU, a stream and a communicator, used by one thread.
//
// operands() are on the host, where the rank writes and checks them; publish() and fetch() copy them to the
// GPU and back, outside of the time. A call is timed by events on the rank's stream, from before its first
// call to after its last; right behind that the stream brings what lies at some places of the output.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "../../cuda/handles.h"
#include "../forwarding_port.h"
#include "nccl_library.h"

namespace pibench::collective::nccl {

// The first failure of any rank.
class Failure {
 public:
  void tell(const std::string& what) noexcept {
    const std::lock_guard guard(mutex_);
    if (happened_.load(std::memory_order_relaxed)) return;
    what_ = what;
    happened_.store(true, std::memory_order_release);
  }
  [[nodiscard]] bool happened() const noexcept { return happened_.load(std::memory_order_acquire); }
  [[nodiscard]] std::string what() const {
    const std::lock_guard guard(mutex_);
    return what_;
  }

 private:
  mutable std::mutex mutex_;
  std::string what_;
  std::atomic<bool> happened_{false};
};

class NcclPort final : public ForwardingPort {
 public:
  // `host`: the rank's port among the threads of this process. Must be made in the rank's own thread. Throws
  // NoGpu, CudaError, OutOfDeviceMemory.
  NcclPort(Port& host, const Problem& problem, const Library& library, Communicator* communicator,
           int ordinal, Nanoseconds patience, Failure& failure);
  ~NcclPort() override;
  NcclPort(const NcclPort&) = delete;
  NcclPort& operator=(const NcclPort&) = delete;

  void publish() noexcept override;
  void begin() noexcept override;
  void run() noexcept override;
  Nanoseconds ended(Nanoseconds entry, Nanoseconds exit) noexcept override;
  void fetch() noexcept override;
  void fetch_input() noexcept override;
  [[nodiscard]] bool works_on_operands() const noexcept override { return false; }
  void bring_at_end(std::span<const std::size_t> places) noexcept override;
  [[nodiscard]] const std::byte* at_end(std::size_t i) const noexcept override;
  [[nodiscard]] std::span<const char* const> algorithms() const noexcept override;
  void choose(std::size_t) noexcept override {}
  [[nodiscard]] std::size_t worth_trying() const noexcept override { return 1; }
  // Of the rank's events, on its own thread. What fails at that fails the rank.
  [[nodiscard]] NamedClock clock() noexcept;
  // What it moves NCCL does not say.
  [[nodiscard]] Moved moved() const noexcept override { return {}; }
  [[nodiscard]] bool tells_waiting() const noexcept override { return false; }
  [[nodiscard]] bool abandoned() const noexcept override {
    return failure_.happened() || ForwardingPort::abandoned();
  }

 private:
  Result call() noexcept;
  Result exchange_blocks() noexcept;
  void note(cuda::Result code, const char* call) noexcept;
  void record(const cuda::Event& event) noexcept;
  // From begun_ to done_, once the stream has come there.
  Nanoseconds elapsed() noexcept;
  bool await_stream() noexcept;
  void abort() noexcept;

  Problem problem_;
  const Library& library_;
  Communicator* communicator_;
  Nanoseconds patience_;
  Failure& failure_;
  cuda::PrimaryContext context_;
  cuda::Stream stream_;
  cuda::Event begun_, done_;
  std::unique_ptr<cuda::DeviceMemory> memory_;  // nothing where the rank has no operands
  Layout layout_;
  std::array<std::size_t, kMostAtEnd> places_{};
  std::size_t brought_ = 0;
  cuda::PinnedMemory at_end_;
};

}  // namespace pibench::collective::nccl
