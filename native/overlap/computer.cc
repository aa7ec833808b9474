#include "computer.h"

#include <sched.h>

#include <chrono>
#include <utility>

#include "../threads/pause.h"
#include "../threads/preemption.h"
#include "../threads/team.h"

namespace pibench::overlap {
namespace {

// Offers its CPU, which whom it waits for may need, and does not sleep: a core that idles is slower when the
// call comes.
template <typename Done>
void wait_busily(const Done& done) noexcept {
  constexpr int kSpins = 64;
  for (int i = 0; !done(); ++i) {
    if (i < kSpins)
      pause_cpu();
    else
      sched_yield();
  }
}

// Also those members that sleep.
void wake(Team& team) noexcept {
  team.run([](void*, int) {}, nullptr);
}

}  // namespace

Computer::Computer(std::function<std::unique_ptr<Workload>()> make)
    : thread_([this, make = std::move(make)] { live(make); }) {
  ended_.wait(0, std::memory_order_acquire);
  if (!error_) return;
  thread_.join();
  std::rethrow_exception(error_);
}

Computer::~Computer() {
  give(Task::end);
  thread_.join();
}

void Computer::arm() noexcept {
  give(Task::call);
  const std::uint32_t number = given_.load(std::memory_order_relaxed);
  wait_busily([&] { return awake_.load(std::memory_order_acquire) == number; });
}

void Computer::go() noexcept {
  gone_.store(given_.load(std::memory_order_relaxed), std::memory_order_release);
}

void Computer::drop() noexcept {
  dropped_.store(given_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  go();
}

// Asleep: where there are more threads than CPUs the computation needs this one.
Computer::Done Computer::await() noexcept {
  await_end();
  return done_;
}

void Computer::poison() noexcept {
  give(Task::poison);
  await_end();
}

Verification Computer::verify() noexcept {
  give(Task::verify);
  await_end();
  return std::move(verification_);
}

void Computer::give(Task task) noexcept {
  task_ = task;
  given_.fetch_add(1, std::memory_order_release);
  given_.notify_one();
}

// One more than was given: the first end is that of the preparation.
void Computer::await_end() noexcept {
  const std::uint32_t number = given_.load(std::memory_order_relaxed) + 1;
  for (std::uint32_t seen = ended_.load(std::memory_order_acquire); seen != number;
       seen = ended_.load(std::memory_order_acquire))
    ended_.wait(seen, std::memory_order_acquire);
}

void Computer::live(const std::function<std::unique_ptr<Workload>()>& make) noexcept {
  const auto tell_end = [this] {
    ended_.fetch_add(1, std::memory_order_release);
    ended_.notify_one();
  };
  try {
    workload_ = make();
    workload_->prepare();
    implementation_ = workload_->implementation();
    thread_ids_ = workload_->thread_ids();
  } catch (...) {
    workload_.reset();
    error_ = std::current_exception();
    tell_end();
    return;
  }
  tell_end();
  for (std::uint32_t seen = 0;; ++seen) {
    given_.wait(seen, std::memory_order_acquire);
    switch (task_) {
      case Task::call:
        call();
        break;
      case Task::poison:
        workload_->poison();
        workload_->finish();
        break;
      case Task::verify:
        check();
        break;
      case Task::none:
      case Task::end:
        workload_.reset();
        return;
    }
    if (failure_.empty()) failure_ = workload_->failure();
    tell_end();
  }
}

void Computer::check() noexcept {
  try {
    verification_ = workload_->verify();
  } catch (const std::exception& error) {
    verification_ = {};
    failure_ = error.what();
  }
}

// Members that wait for a run too long go to sleep, and to wake them is no part of the call.
std::uint64_t Computer::await_go(std::uint32_t number, Team& team) noexcept {
  constexpr Nanoseconds kAwake = std::chrono::nanoseconds(Team::kSpinTime).count() / 2;
  Nanoseconds woken = now();
  std::uint64_t disturbances = team.disturbances();
  PreemptionWire::OfThread wire = PreemptionWire::of_thread();
  wire.arm();
  awake_.store(number, std::memory_order_release);
  wait_busily([&] {
    if (wire.found([&] { return gone_.load(std::memory_order_acquire) == number; })) return true;
    disturbances = team.disturbances();
    if (now() - woken > kAwake) {
      wake(team);
      woken = now();
    }
    return false;
  });
  return disturbances;
}

void Computer::call() noexcept {
  const std::uint32_t number = given_.load(std::memory_order_relaxed);
  Team& team = workload_->team();
  wake(team);
  const std::uint64_t disturbances = await_go(number, team);
  if (dropped_.load(std::memory_order_relaxed) == number) return;
  workload_->run();
  workload_->finish();
  done_.exit = now();
  done_.disturbed = PreemptionWire::tripped() || team.disturbances() != disturbances;
}

}  // namespace pibench::overlap
