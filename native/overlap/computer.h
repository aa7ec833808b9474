// What computes beside a rank's collective: a thread of its own, with a team, that makes calls of a workload
// when it is told to.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../measure/clock.h"
#include "../measure/workload.h"

namespace pibench::overlap {

class Computer {
 public:
  // Makes and prepares the workload in the new thread, which becomes member 0 of its team. Throws what that
  // throws, and std::system_error.
  explicit Computer(std::function<std::unique_ptr<Workload>()> make);
  ~Computer();
  Computer(const Computer&) = delete;
  Computer& operator=(const Computer&) = delete;

  // One call: arm() wakes the team and returns when it is awake, which it stays until go() lets the call
  // begin; await() returns when it has ended. drop() in the place of go(): there will be no call.
  void arm() noexcept;
  void go() noexcept;
  void drop() noexcept;
  struct Done {
    Nanoseconds exit;
    bool disturbed;  // a thread of the team was taken off its CPU in the call
  };
  Done await() noexcept;

  void poison() noexcept;
  // The output of the last call; where it cannot be had, a result that did not pass.
  Verification verify() noexcept;
  // Why it cannot compute any more; empty: it can. Not while a call is under way.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

  [[nodiscard]] const std::string& implementation() const noexcept { return implementation_; }
  [[nodiscard]] const std::vector<int>& thread_ids() const noexcept { return thread_ids_; }

 private:
  enum class Task : std::uint8_t { none, call, poison, verify, end };

  void live(const std::function<std::unique_ptr<Workload>()>& make) noexcept;
  void call() noexcept;
  // Tells that the team is awake. Returns Team::disturbances() as it was when there was no call yet.
  std::uint64_t await_go(std::uint32_t number, Team& team) noexcept;
  void check() noexcept;
  void give(Task task) noexcept;
  void await_end() noexcept;

  Task task_ = Task::none;
  std::atomic<std::uint32_t> given_{0}, awake_{0}, ended_{0};
  std::atomic<std::uint32_t> gone_{0}, dropped_{0};  // numbers of calls
  std::unique_ptr<Workload> workload_;
  std::exception_ptr error_;
  Done done_{};
  Verification verification_;
  std::string failure_;
  std::string implementation_;
  std::vector<int> thread_ids_;
  std::thread thread_;
};

}  // namespace pibench::overlap
