#include "computer.h"

#include <sched.h>

#include <limits>
#include <utility>

#include "../threads/pause.h"
#include "../threads/preemption.h"
#include "../threads/team.h"

namespace pibench::overlap {

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
  for (std::uint32_t seen = awake_.load(std::memory_order_acquire); seen != number;
       seen = awake_.load(std::memory_order_acquire))
    awake_.wait(seen, std::memory_order_acquire);
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

void Computer::call() noexcept {
  constexpr int kSpins = 64;
  const std::uint32_t number = given_.load(std::memory_order_relaxed);
  Team& team = workload_->team();
  team.run([](void*, int) {}, nullptr);
  awake_.store(number, std::memory_order_release);
  awake_.notify_one();
  // Whom it waits for may need this CPU.
  for (int i = 0; gone_.load(std::memory_order_acquire) != number; ++i) {
    if (i < kSpins)
      pause_cpu();
    else
      sched_yield();
  }
  if (dropped_.load(std::memory_order_relaxed) == number) return;
  const std::uint64_t disturbances = team.disturbances();
  PreemptionWire::arm();
  workload_->run();
  workload_->finish();
  done_.exit = now();
  done_.disturbed = PreemptionWire::tripped() || team.disturbances() != disturbances;
}

}  // namespace pibench::overlap
