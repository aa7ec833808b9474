// How the ranks of a collective exchange data: the one interface that a transport implements, in one file
// each.
//
// A measurement is a series of orders. Rank 0, which is the measuring thread of the process that leads, gives
// an order; each rank performs it with an executor of its own, in its own thread or process, and reports.
// What an order means only the executor knows (rank_executor.h); what passes between ranks only the
// transport.
//
//   transport                        executor (one for each rank)
//   start(make) --------------------> make(port) in each rank's own thread or process
//   perform(order) -----------------> perform(port, order), which calls port.run(), port.barrier() ... ->
//   report reports() <---------------------- the reports of the last order, in the order of ranks
//
// A transport whose ranks are processes of their own (MPI) is made in each of them. In the one with rank 0
// leads() is true and everything above holds; the others call follow(), which performs what rank 0 orders
// until it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../measure/clock.h"
#include "../measure/workload.h"
#include "problem.h"

namespace pibench {
class Team;
}

namespace pibench::collective {

// What goes wrong on purpose in an iteration, in the last rank.
enum class RankFault : std::uint8_t {
  none,
  corrupt,  // its input is changed after it was written
  absent,   // it never arrives
  lost      // its process is killed; a thread is absent instead
};

// prepare: first touch, data, poison. iterate: one timed iteration. check: the whole output of the last
// iteration. watch: an iteration in which waiting is taken down. ceiling: what memory gives
// (rank_executor.h). Of ranks that compute, too (../overlap): beside: the next iteration will be executed
// beside the computation; compute: that alone; check_computed: its output.
enum class Task : std::uint8_t { prepare, iterate, check, watch, ceiling, beside, compute, check_computed };

// Plain data, so that it can be sent. `iteration` decides the data: no two are alike.
struct Order {
  Task task = Task::prepare;
  RankFault fault = RankFault::none;
  bool renew = false;           // inputs are written anew where they stay as they are otherwise, too
  std::int32_t held = -1;       // this rank makes the last of its calls so much later than it could
  std::uint32_t algorithm = 0;  // index into Port::algorithms
  std::uint64_t iteration = 0;
  std::uint64_t calls = 1;  // back to back
  Nanoseconds hold = 0;
};

// Plain data, so that it can be sent.
struct Report {
  static constexpr std::size_t kText = 160;
  // Of the calls, on the clock of all ranks.
  Nanoseconds entry = 0, exit = 0;
  // The rank was taken off its CPU in between, or where others that had begun already may have waited for it.
  bool disturbed = false;
  bool late = false;        // it came after the agreed moment (Sync::window)
  std::uint64_t calls = 0;  // that it made, or passes of a ceiling
  std::uint64_t checked = 0, wrong = 0;
  double worst = 0;          // largest error as a multiple of its limit, where results may round
  Nanoseconds spent = 0;     // what a task measured beside entry and exit
  Nanoseconds computed = 0;  // from the beginning of the computation to its end
  char text[kText] = {};     // where the first wrong element is
  bool failed = false;       // the rank can do no more, and `text` says why
};

// Where a rank's operands lie; they overlap in place (problem.h).
struct Operands {
  std::span<std::byte> input, output;
};

// One rank's end of the transport: used by the thread or process that is this rank, and by no other.
class Port {
 public:
  virtual ~Port() = default;
  [[nodiscard]] virtual int rank() const noexcept = 0;
  // Where the transport can reach them: allocated by it, first touched by the rank.
  [[nodiscard]] virtual Operands operands() noexcept = 0;
  // Where run() works on copies of the operands, as on a GPU: brings them there before a call, and the output
  // or the input back. Not timed.
  virtual void publish() noexcept {}
  virtual void fetch() noexcept {}
  virtual void fetch_input() noexcept {}
  [[nodiscard]] virtual bool works_on_operands() const noexcept { return true; }
  // fetch() may wait for more than the calls did. So there these elements of the output are brought back by
  // themselves right when the next calls have ended; at_end(): the i-th as it was then, null elsewhere.
  static constexpr std::size_t kMostAtEnd = 16;
  virtual void bring_at_end(std::span<const std::size_t>) noexcept {}
  [[nodiscard]] virtual const std::byte* at_end(std::size_t) const noexcept { return nullptr; }
  // Right before the first of the calls that are timed together.
  virtual void begin() noexcept {}
  // One call of the operation. Timed: no allocation.
  virtual void run() noexcept = 0;
  // When the calls ended that began at `entry` and had returned at `exit`: later, where returning is not
  // ending.
  virtual Nanoseconds ended(Nanoseconds entry, Nanoseconds exit) noexcept {
    static_cast<void>(entry);
    return exit;
  }
  // Returns when all ranks have called it: our own, not what is measured.
  virtual void barrier() noexcept = 0;
  // The barrier right before timed calls, to which a rank comes with its wire set (../threads/preemption.h).
  // Who loses its CPU in it may be missed by who has left it, so the wire tells of that, too; of what can
  // have delayed nobody it need not.
  virtual void meet() noexcept { barrier(); }
  // The largest of what the ranks gave, the same for all; a barrier, too.
  virtual Nanoseconds latest(Nanoseconds mine) noexcept = 0;
  // The clock of all ranks: between hosts, this rank's with its offset taken out.
  [[nodiscard]] virtual Nanoseconds now() const noexcept { return pibench::now(); }
  // Ways to execute the operation, of which run() takes the chosen one; the same in all ranks.
  [[nodiscard]] virtual std::span<const char* const> algorithms() const noexcept = 0;
  virtual void choose(std::size_t algorithm) noexcept = 0;
  // How many of them, from the first, are worth a trial with these operands.
  [[nodiscard]] virtual std::size_t worth_trying() const noexcept { return algorithms().size(); }
  // What all ranks together load and store in one call of the chosen one; nought where that is not known.
  struct Moved {
    double loads = 0, stores = 0;
  };
  [[nodiscard]] virtual Moved moved() const noexcept = 0;
  // Whether it knows how long run() waits for other ranks: a library's call does not say. While it is
  // watched, run() takes that down, and is slower for it; waited() is the time since watching began.
  [[nodiscard]] virtual bool tells_waiting() const noexcept { return true; }
  virtual void watch_waiting(bool) noexcept {}
  [[nodiscard]] virtual Nanoseconds waited() const noexcept { return 0; }
  // Whether the rank has a process of its own, and can be lost without the others.
  [[nodiscard]] virtual bool is_process() const noexcept = 0;
  // True when another rank is gone and waiting makes no sense any more.
  [[nodiscard]] virtual bool abandoned() const noexcept = 0;
};

// Made in each rank's own thread or process; throws where it cannot be.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void perform(const Order& order, Report& report) noexcept = 0;
};
using MakeExecutor = std::function<std::unique_ptr<Executor>(Port&)>;

class Transport {
 public:
  // Ends the ranks.
  virtual ~Transport() = default;

  [[nodiscard]] virtual bool leads() const noexcept { return true; }

  // Starts the ranks. Throws std::runtime_error with one clear line where that is not possible.
  virtual void start(const MakeExecutor& make) = 0;
  // Where it does not lead: performs orders until the end.
  virtual void follow() {}

  // Every rank performs the order. False when a rank is lost or does not arrive: then failure() says which,
  // and every later order is refused.
  virtual bool perform(const Order& order) noexcept = 0;
  [[nodiscard]] virtual std::span<const Report> reports() const noexcept = 0;
  [[nodiscard]] virtual std::string failure() const = 0;

  // By how much the times of two ranks may be wrong against each other.
  [[nodiscard]] virtual Nanoseconds clock_uncertainty() const noexcept { return 0; }

  // What times a call, as Workload::timing_clock() has it: rank 0's.
  virtual NamedClock timing_clock() { return host_clock(); }

  // Rank 0's.
  [[nodiscard]] virtual Port& port() noexcept = 0;

  // What executes a call: "shm avx512, threads"; "Open MPI 4.1.4".
  [[nodiscard]] virtual std::string implementation() const = 0;
  // Of the library that executes it; nothing where our own algorithms do.
  [[nodiscard]] virtual std::optional<LibraryReport> library() const { return std::nullopt; }
  // What the devices of the ranks did between two moments, as JSON (Workload::device_report); empty: not
  // known.
  virtual std::string device_report(Nanoseconds begin, Nanoseconds end) {
    static_cast<void>(begin);
    static_cast<void>(end);
    return {};
  }
  // The same of a launch that failed (Workload::fault_report); empty: not known.
  virtual std::string fault_report() { return {}; }
  // Kernel ids of the ranks' threads on this host.
  [[nodiscard]] virtual std::vector<int> thread_ids() const = 0;
  // Threads of this process; where ranks are processes, it has only the calling one.
  virtual Team& team() noexcept = 0;
};

}  // namespace pibench::collective
