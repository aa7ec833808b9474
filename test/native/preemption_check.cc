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
