#include "children.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "../../threads/pause.h"
#include "board.h"

namespace pibench::collective {
namespace {

// Between orders: as long as a team of threads spins.
constexpr Nanoseconds kSpinTime = 80'000;
constexpr Nanoseconds kEndTime = 500'000'000;

// The futex of a process is not that of its children unless it says so: std::atomic's waits do not.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, value, nullptr, nullptr, 0);
}
void wake_all(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void block_signals() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

enum class Children::State : std::uint32_t { starting, ready, failed };

// Written by one child.
struct alignas(kLineBytes) Children::Slot {
  std::atomic<State> state{State::starting};
  std::atomic<std::uint32_t> done{0};
  Report report;
};

// Written by rank 0.
struct alignas(kLineBytes) Children::Desk {
  std::atomic<std::uint32_t> epoch{0};
  std::atomic<bool> end{false};
  std::atomic<int> asleep{0};
  Order order;
};

Children::Children(int count, bool crowded)
    : count_(count),
      crowded_(crowded),
      memory_(sizeof(Desk) + static_cast<std::size_t>(count) * sizeof(Slot), true),
      desk_(new (memory_.data()) Desk) {
  new (memory_.data() + sizeof(Desk)) Slot[static_cast<std::size_t>(std::max(count, 1))];
}

Children::Slot& Children::slot(int rank) const noexcept {
  return reinterpret_cast<Slot*>(memory_.data() + sizeof(Desk))[rank - 1];
}

void Children::start(const std::function<Executor*(int rank)>& make) {
  const pid_t parent = getpid();
  // A child that found the text of this process unwritten would write it too.
  std::fflush(nullptr);
  for (int rank = 1; rank <= count_; ++rank) {
    const pid_t child = fork();
    if (child < 0)
      throw std::system_error(errno, std::generic_category(), "cannot start a process for a rank");
    if (child == 0) {
      // With the measuring thread ends the measurement.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(EXIT_FAILURE);
      block_signals();
      live(rank, make);
    }
    processes_.push_back(child);
    statuses_.push_back(0);
  }
}

void Children::await_ready() {
  for (int rank = 1; rank <= count_; ++rank) {
    while (slot(rank).state.load(std::memory_order_acquire) != State::ready) {
      // Whichever it is: a rank may wait for one that was ready and is no more.
      look_for_failed();
      sched_yield();
    }
  }
}

void Children::look_for_failed() {
  for (int rank = 1; rank <= count_; ++rank) {
    const bool ended = has_ended(rank);
    const Slot& own = slot(rank);
    // One that has failed says why and ends; one that was killed says nothing.
    if (own.state.load(std::memory_order_acquire) == State::failed)
      throw std::runtime_error("rank " + std::to_string(rank) + ": " + own.report.text);
    if (ended) throw std::runtime_error("rank " + std::to_string(rank) + " " + end_of(rank));
  }
}

void Children::live(int rank, const std::function<Executor*(int rank)>& make) noexcept {
  Slot& own = slot(rank);
  Executor* executor = nullptr;
  try {
    executor = make(rank);
  } catch (const std::exception& error) {
    std::snprintf(own.report.text, sizeof own.report.text, "%s", error.what());
    own.state.store(State::failed, std::memory_order_release);
    _exit(EXIT_FAILURE);
  }
  own.state.store(State::ready, std::memory_order_release);
  for (std::uint32_t seen = 0;; ++seen) {
    await_order(seen);
    // No destructor: what the parent made is the parent's to end.
    if (desk_->end.load(std::memory_order_acquire)) _exit(EXIT_SUCCESS);
    executor->perform(desk_->order, own.report);
    own.done.store(seen + 1, std::memory_order_release);
  }
}

void Children::await_order(std::uint32_t seen) noexcept {
  const auto advanced = [&] { return desk_->epoch.load(std::memory_order_acquire) != seen; };
  const Nanoseconds begin = now();
  while (!advanced()) {
    for (int i = 0; i < 32 && !advanced(); ++i) pause_cpu();
    if (crowded_) sched_yield();
    if (now() - begin < kSpinTime) continue;
    desk_->asleep.fetch_add(1);
    while (!advanced()) sleep_while(desk_->epoch, seen);
    desk_->asleep.fetch_sub(1);
  }
}

std::uint32_t Children::give(const Order& order) noexcept {
  desk_->order = order;
  const std::uint32_t number = desk_->epoch.fetch_add(1) + 1;
  if (desk_->asleep.load() > 0) wake_all(desk_->epoch);
  return number;
}

bool Children::has_done(int rank, std::uint32_t number) const noexcept {
  return slot(rank).done.load(std::memory_order_acquire) == number;
}

const Report& Children::report_of(int rank) const noexcept { return slot(rank).report; }

bool Children::has_ended(int rank) noexcept {
  const auto i = static_cast<std::size_t>(rank - 1);
  if (processes_[i] == 0) return true;
  int status = 0;
  if (waitpid(processes_[i], &status, WNOHANG) != processes_[i]) return false;
  processes_[i] = 0;
  statuses_[i] = status;
  return true;
}

int Children::find_ended() noexcept {
  for (int rank = 1; rank <= static_cast<int>(processes_.size()); ++rank) {
    if (has_ended(rank)) return rank;
  }
  return 0;
}

std::string Children::end_of(int rank) const {
  const int status = statuses_[static_cast<std::size_t>(rank - 1)];
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    // Every libc has it, not so sigdescr_np. No two threads ask: only the one that started the children does.
    return "was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

void Children::stop() noexcept {
  desk_->end.store(true, std::memory_order_release);
  desk_->epoch.fetch_add(1);
  wake_all(desk_->epoch);
  const Nanoseconds until = now() + kEndTime;
  for (int& process : processes_) {
    while (process != 0) {
      if (waitpid(process, nullptr, WNOHANG) == process) {
        process = 0;
      } else if (now() > until) {
        kill(process, SIGKILL);
        waitpid(process, nullptr, 0);
        process = 0;
      } else {
        usleep(200);
      }
    }
  }
}

Children::~Children() { stop(); }

}  // namespace pibench::collective
