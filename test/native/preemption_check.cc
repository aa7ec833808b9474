// The trip wire: tripped by a sleep and by a signal, not by work.
#include <chrono>
#include <csignal>
#include <thread>

#include "../../native/threads/preemption.h"
#include "check.h"

namespace {

using pibench::PreemptionWire;

void work_for(std::chrono::microseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

// What a thread that looks for something missed.
void checks_looks(pibench::test::Checks& check) {
  const auto sleeps = [] { std::this_thread::sleep_for(std::chrono::milliseconds{2}); };
  const auto is_there = [] { return true; };
  const auto is_not = [] { return false; };

  PreemptionWire::OfThread wire = PreemptionWire::of_thread();
  constexpr int kTries = 20;
  bool forgotten = false;
  for (int i = 0; i < kTries && !forgotten; ++i) {
    PreemptionWire::arm();
    sleeps();
    static_cast<void>(wire.found(is_not));
    forgotten = wire.found(is_there) && !PreemptionWire::tripped();
  }
  check.that(forgotten, "of a sleep before a look in vain the wire does not tell");

  PreemptionWire::arm();
  const bool came = wire.found(is_not);
  sleeps();
  check.that(!came && wire.found(is_there) && PreemptionWire::tripped(),
             "of a sleep after it, before what was looked for was found, it does");

  PreemptionWire::arm();
  const bool found = wire.found([&] {
    sleeps();
    return true;
  });
  check.that(found && PreemptionWire::tripped(), "and of one while it was found");

  PreemptionWire::arm();
  static_cast<void>(wire.found([&] {
    sleeps();
    return false;
  }));
  check.that(wire.found(is_there) && PreemptionWire::tripped(),
             "a sleep in a look in vain may have been after it looked");
}

}  // namespace

int main() {
  pibench::test::Checks check;
  if (!PreemptionWire::available()) {
    PreemptionWire::arm();
    check.that(!PreemptionWire::tripped(), "a wire that is not available is never tripped");
    pibench::test::Checks::inform(
        "this C library or kernel has no restartable sequences: nothing else to check");
    return check.finish();
  }
  constexpr std::chrono::milliseconds kSleep{2};
  PreemptionWire::arm();
  std::this_thread::sleep_for(kSleep);
  check.that(PreemptionWire::tripped(), "a sleep trips the wire");
  check.that(PreemptionWire::tripped(), "asking does not set it again");

  static_cast<void>(std::signal(SIGUSR1, [](int) {}));
  PreemptionWire::arm();
  static_cast<void>(std::raise(SIGUSR1));
  check.that(PreemptionWire::tripped(), "a signal trips the wire");

  // Each try is far shorter than a time slice, so that most end undisturbed however busy the machine is.
  constexpr int kTries = 400;
  int undisturbed = 0;
  for (int i = 0; i < kTries; ++i) {
    PreemptionWire::arm();
    work_for(std::chrono::microseconds{10});
    if (!PreemptionWire::tripped()) ++undisturbed;
  }
  check.that(undisturbed > kTries / 2, "work that nobody interrupts does not trip it",
             std::to_string(undisturbed) + " of " + std::to_string(kTries) + " undisturbed");

  checks_looks(check);

  bool other_tripped = false;
  bool other_fresh = true;
  std::thread other([&] {
    PreemptionWire::arm();
    std::this_thread::sleep_for(kSleep);
    other_tripped = PreemptionWire::tripped();
    for (int i = 0; i < kTries && other_fresh; ++i) {
      PreemptionWire::arm();
      other_fresh = PreemptionWire::tripped();
    }
    PreemptionWire::disarm();
  });
  other.join();
  check.that(other_tripped, "another thread has a wire of its own");
  check.that(!other_fresh, "arming it again sets it again");

  PreemptionWire::disarm();
  std::this_thread::sleep_for(kSleep);
  check.that(true, "the thread goes on after the wire was removed");
  return check.finish();
}
