// Threads that read main memory as fast as they can, without a pause, while loads of another thread are
// timed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../../kernels/cpu/memory/memory_kernels.h"
#include "../measure/workload.h"
#include "../memory/portion.h"

namespace pibench {
class Team;
}

namespace pibench::latency {

struct Load {
  int threads = 0;
  std::size_t bytes = 0;  // of the set of each, which is a whole number of pieces
  std::vector<int> cpus;  // one for each, or empty: not bound
};

class Loaders {
 public:
  // Between two pieces a thread looks at the clock, and counts.
  static constexpr std::size_t kPiece = std::size_t{256} << 10U;

  // Returns when every thread has filled its set and read a first piece of it. `read` is the pass of a check;
  // null: the fastest that there is, by trial. Throws std::invalid_argument for sets without a piece,
  // std::bad_alloc, and std::system_error where a thread cannot be started or bound.
  explicit Loaders(const Load& load, kernels::memory::ReadPass read = nullptr);
  ~Loaders();
  Loaders(const Loaders&) = delete;
  Loaders& operator=(const Loaders&) = delete;

  // From now on, until now: what is read between these two is counted.
  void open_window() noexcept;
  void close_window() noexcept;
  // Returns when the threads have ended.
  void stop() noexcept;

  // Kernel ids.
  [[nodiscard]] const std::vector<int>& thread_ids() const noexcept { return thread_ids_; }
  // After stop(): nothing where there was no window; and what the sums of all pieces came to, from the first
  // one on, whenever that was.
  [[nodiscard]] std::optional<Traffic> traffic() const;
  [[nodiscard]] std::uint64_t pieces() const noexcept;
  [[nodiscard]] std::uint64_t wrong_pieces() const noexcept;
  [[nodiscard]] std::string first_wrong() const;

 private:
  // What one thread has, and writes alone.
  struct alignas(64) Own {
    memory::Portion portion;
    std::size_t next = 0;  // piece of its set
    std::atomic<std::uint64_t> pieces{0};
    double bytes = 0;  // in the window
    std::uint64_t wrong = 0;
    std::size_t first_wrong = 0;  // piece of its set
    std::vector<Interval> absences;
  };
  enum class State : std::uint8_t { starting, reading, failed };

  void live(const Load& load) noexcept;
  void choose(Team& team);
  void read_some(Own& own, std::size_t pieces, kernels::memory::ReadPass read) const noexcept;
  void read_on(Own& own) const noexcept;
  void count(Own& own, Interval piece) const noexcept;
  void note_absence(Own& own, Interval piece) const noexcept;

  std::vector<Own> own_;
  std::size_t pieces_of_set_;
  kernels::memory::ReadPass read_;
  std::string by_ = "given";
  std::vector<int> thread_ids_;
  std::exception_ptr error_;
  std::atomic<State> state_{State::starting};
  std::atomic<bool> stop_{false};
  std::atomic<Nanoseconds> opened_{std::numeric_limits<Nanoseconds>::max()};
  std::atomic<Nanoseconds> closed_{std::numeric_limits<Nanoseconds>::max()};
  std::thread thread_;
};

}  // namespace pibench::latency
