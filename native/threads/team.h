// A team of threads that persists across repetitions: member 0 is the caller, the others are threads of the
// team.
//
// A call of `run` costs a store and a spin, not a thread start. Members spin between calls for a bounded time
// and then sleep, so that an idle team burns no CPU.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace pibench {

class Team {
 public:
  // Members sleep when nothing was run for so long.
  static constexpr std::chrono::microseconds kSpinTime{80};

  // What every member executes: `body(context, member)`, member in [0, size).
  using Body = void (*)(void* context, int member);

  // Starts size-1 threads; `cpus[i]`, where given, is the CPU that member i is bound to (member 0 = the
  // calling thread). Throws std::system_error when a thread cannot be started or bound.
  Team(int size, std::span<const int> cpus);
  // Ends the threads and gives the calling thread the CPUs back that it had before.
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] int size() const noexcept;

  // Runs body on every member and returns when all have finished. Not reentrant; called by member 0 only.
  void run(Body body, void* context) noexcept;

  // A barrier among the members inside `run`.
  void barrier() noexcept;

  // How often members other than 0 found, at the end of a run, that they had been taken off their CPU during
  // it. Monotonic; read by member 0 between runs. The cost of reading is one load, of however many members:
  // it is in every sample.
  [[nodiscard]] std::uint64_t disturbances() const noexcept;

  // Kernel thread ids, member order.
  [[nodiscard]] const std::vector<int>& thread_ids() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pibench
