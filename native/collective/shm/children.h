// Ranks that are processes: forked from the measuring thread, they wait in shared memory for orders and end
// with it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../transport.h"
#include "memory.h"

namespace pibench::collective {

class Children {
 public:
  // Ranks 1 to `count`. Crowded: there are more ranks than CPUs.
  Children(int count, bool crowded);
  // Ends them; those that do not end are killed.
  ~Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  // `make` is called in each child, with its rank, and gives what performs its orders there. Throws
  // std::system_error when there can be no more processes.
  void start(const std::function<Executor*(int rank)>& make);
  // Returns when every child is ready. Throws std::runtime_error with what a child threw, or how it ended,
  // as soon as any has.
  void await_ready();
  // The same of those that have failed or ended by now, without waiting for any.
  void look_for_failed();

  // An order for all of them; its number.
  std::uint32_t give(const Order& order) noexcept;
  [[nodiscard]] bool has_done(int rank, std::uint32_t number) const noexcept;
  [[nodiscard]] const Report& report_of(int rank) const noexcept;

  // The rank of a child that is no more, or 0.
  int find_ended() noexcept;
  // "was killed by signal 9 (Killed)", "ended with exit code 1".
  [[nodiscard]] std::string end_of(int rank) const;
  [[nodiscard]] std::vector<int> process_ids() const { return processes_; }

 private:
  enum class State : std::uint32_t;
  struct Desk;
  struct Slot;
  [[noreturn]] void live(int rank, const std::function<Executor*(int rank)>& make) noexcept;
  void await_order(std::uint32_t seen) noexcept;
  void stop() noexcept;
  [[nodiscard]] Slot& slot(int rank) const noexcept;
  [[nodiscard]] bool has_ended(int rank) noexcept;

  int count_;
  bool crowded_;
  SharedMemory memory_;
  Desk* desk_;
  std::vector<int> processes_;  // 0: ended and waited for
  std::vector<int> statuses_;   // of those, as waitpid has them
};

}  // namespace pibench::collective
