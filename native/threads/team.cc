// The team: an epoch counter starts a run, a pending counter ends it, and a generation counter is the
// barrier. Each counter that several members write in every run has a cache line of its own.
#include "team.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <thread>

#include "affinity.h"
#include "pause.h"
#include "preemption.h"

namespace pibench {
namespace {

constexpr std::size_t kLine = 64;
constexpr int kPausesPerCheck = 32;

// Spins until done() or until the spin time is over; says which. A crowded team (more members than CPUs) lets
// others run at once, because whom it waits for may need this very CPU.
template <typename Done>
bool spin(bool crowded, const Done& done) noexcept {
  if (done()) return true;
  const auto start = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < kPausesPerCheck; ++i) {
      if (done()) return true;
      pause_cpu();
    }
    if (crowded) std::this_thread::yield();
  } while (std::chrono::steady_clock::now() - start < Team::kSpinTime);
  return done();
}

// Waits inside a run. It never sleeps: waking up would cost more than most waits, and sleeping would read as
// a disturbance of the thread that is measured. After the spin time it offers its CPU to others between
// looks.
template <typename Done>
void wait_busily(bool crowded, const Done& done) noexcept {
  while (!spin(crowded, done)) std::this_thread::yield();
}

// New threads inherit the mask: signals stay with the program's own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

// What only one member writes.
struct alignas(kLine) Member {
  std::thread thread;
  std::atomic<int> thread_id{0};
};

}  // namespace

// The padding is wanted: each counter has a cache line of its own.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct Team::State {
  explicit State(int team_size) : size(team_size), members(static_cast<std::size_t>(team_size)) {}

  int size;
  bool crowded = false;
  std::vector<Member> members;
  std::vector<int> thread_ids;
  CpuSet caller_cpus;
  bool caller_bound = false;

  // Written by member 0 before it advances the epoch. A null body means: the team ends.
  Body body = nullptr;
  void* context = nullptr;

  alignas(kLine) std::atomic<std::uint32_t> epoch{0};
  alignas(kLine) std::atomic<int> pending{0};
  // In the line that member 0 reads last in a run, so that asking costs no other. Written only by who was
  // disturbed.
  std::atomic<std::uint64_t> disturbances{0};
  alignas(kLine) std::atomic<int> arrived{0};
  alignas(kLine) std::atomic<std::uint32_t> generation{0};

  void start_threads();
  void bind(std::span<const int> cpus);
  void stop() noexcept;
  void start_run(Body next, void* next_context) noexcept;
  void member_loop(int member) noexcept;
  bool await_epoch(std::uint32_t seen) noexcept;
};

void Team::State::start_run(Body next, void* next_context) noexcept {
  body = next;
  context = next_context;
  pending.store(size - 1, std::memory_order_relaxed);
  epoch.fetch_add(1, std::memory_order_release);
  epoch.notify_all();  // no system call unless somebody sleeps
}

// Returns whether the member slept.
bool Team::State::await_epoch(std::uint32_t seen) noexcept {
  const auto advanced = [&] { return epoch.load(std::memory_order_acquire) != seen; };
  if (spin(crowded, advanced)) return false;
  while (!advanced()) epoch.wait(seen, std::memory_order_acquire);
  return true;
}

void Team::State::member_loop(int member) noexcept {
  members[static_cast<std::size_t>(member)].thread_id.store(current_thread_id(), std::memory_order_release);
  PreemptionWire::arm();
  for (std::uint32_t seen = 0;; ++seen) {
    // A sleep trips the wire, but disturbed no run.
    if (await_epoch(seen)) PreemptionWire::arm();
    if (body == nullptr) break;
    body(context, member);
    if (PreemptionWire::tripped()) {
      disturbances.fetch_add(1, std::memory_order_relaxed);
      PreemptionWire::arm();
    }
    pending.fetch_sub(1, std::memory_order_release);
  }
  PreemptionWire::disarm();
}

void Team::State::start_threads() {
  const SignalsBlocked blocked;
  for (int i = 1; i < size; ++i) {
    members[static_cast<std::size_t>(i)].thread = std::thread([this, i] { member_loop(i); });
  }
  members[0].thread_id.store(current_thread_id(), std::memory_order_relaxed);
  for (const Member& member : members) {
    while (member.thread_id.load(std::memory_order_acquire) == 0) std::this_thread::yield();
    thread_ids.push_back(member.thread_id.load(std::memory_order_relaxed));
  }
}

// After the threads were started: they would inherit the one CPU of member 0 otherwise.
void Team::State::bind(std::span<const int> cpus) {
  const std::size_t bound = std::min(cpus.size(), thread_ids.size());
  for (std::size_t i = 0; i < bound; ++i) {
    CpuSet one;
    one.add(cpus[i]);
    if (i == 0) caller_bound = true;
    one.bind(thread_ids[i]);
  }
}

void Team::State::stop() noexcept {
  start_run(nullptr, nullptr);
  for (Member& member : members) {
    if (member.thread.joinable()) member.thread.join();
  }
  if (!caller_bound) return;
  try {
    caller_cpus.bind(thread_ids[0]);
  } catch (const std::system_error&) {
    return;  // the thread ended, or may not go back: nobody is left to whom it matters
  }
}

Team::Team(int size, std::span<const int> cpus) : state_(std::make_unique<State>(std::max(size, 1))) {
  try {
    state_->caller_cpus = CpuSet::of_thread(0);
    CpuSet usable = state_->caller_cpus;
    if (cpus.size() >= static_cast<std::size_t>(state_->size)) {
      usable = CpuSet();
      for (const int cpu : cpus.first(static_cast<std::size_t>(state_->size))) usable.add(cpu);
    }
    state_->crowded = state_->size > usable.count();
    state_->start_threads();
    state_->bind(cpus);
  } catch (...) {
    state_->stop();
    throw;
  }
}

Team::~Team() { state_->stop(); }

int Team::size() const noexcept { return state_->size; }

void Team::run(Body body, void* context) noexcept {
  State& state = *state_;
  if (state.size == 1) {
    body(context, 0);
    return;
  }
  state.start_run(body, context);
  body(context, 0);
  wait_busily(state.crowded, [&] { return state.pending.load(std::memory_order_acquire) == 0; });
}

void Team::barrier() noexcept {
  State& state = *state_;
  if (state.size == 1) return;
  // Nobody can advance the generation before this member arrives, so this is the current one.
  const std::uint32_t current = state.generation.load(std::memory_order_relaxed);
  if (state.arrived.fetch_add(1, std::memory_order_acq_rel) == state.size - 1) {
    state.arrived.store(0, std::memory_order_relaxed);
    state.generation.store(current + 1, std::memory_order_release);
    return;
  }
  wait_busily(state.crowded, [&] { return state.generation.load(std::memory_order_acquire) != current; });
}

std::uint64_t Team::disturbances() const noexcept {
  return state_->disturbances.load(std::memory_order_relaxed);
}

const std::vector<int>& Team::thread_ids() const noexcept { return state_->thread_ids; }

}  // namespace pibench
