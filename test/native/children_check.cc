// Ranks that are processes, while they start: what one that ends before its time is said to have died of, and
// that nobody waits for it.
#include <unistd.h>

#include <csignal>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "../../native/collective/shm/children.h"
#include "check.h"

namespace {

using pibench::collective::Children;
using pibench::collective::Executor;
using pibench::collective::Order;
using pibench::collective::Report;
using pibench::test::Checks;

class Idle final : public Executor {
 public:
  void perform(const Order& /*order*/, Report& /*report*/) noexcept override {}
};

// Does what a child does at its start, and then is ready.
using Start = std::function<void(int rank)>;

Executor* ready() {
  static Idle idle;
  return &idle;
}

[[noreturn]] void sleep_on() {
  for (;;) pause();
}

// What is said of `count` children when they are awaited; empty: that all are ready.
std::string said_of(int count, const Start& start, const std::function<void(Children&)>& meanwhile) {
  Children children(count, true);
  children.start([&start](int rank) {
    start(rank);
    return ready();
  });
  try {
    meanwhile(children);
    children.await_ready();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

void await_end_of_some(Children& children) {
  while (children.find_ended() == 0) usleep(100);
}

void check_starts(Checks& checks) {
  const auto nothing = [](Children&) {};
  const auto is = [&checks](const std::string& said, const std::string& want, const std::string& what) {
    checks.that(said == want, what, "said: " + said);
  };
  is(said_of(
         3, [](int) {}, nothing),
     "", "children that start are awaited");
  is(said_of(
         2,
         [](int rank) {
           if (rank == 2) throw std::runtime_error("no memory here");
         },
         nothing),
     "rank 2: no memory here", "what one throws is said");
  is(said_of(
         2,
         [](int rank) {
           if (rank == 2) raise(SIGKILL);
         },
         nothing),
     "rank 2 was killed by signal 9 (Killed)", "and what killed one");
  is(said_of(
         1, [](int) { _exit(3); }, nothing),
     "rank 1 ended with exit code 3", "and with what one ended");
}

// One that was ready and then killed is what another may wait for, for ever.
void check_one_after_it_was_ready(Checks& checks) {
  const auto kill_first = [](Children& children) {
    // It is ready when an order that needs nobody else is done.
    const std::uint32_t number = children.give({});
    while (!children.has_done(1, number)) usleep(100);
    kill(children.process_ids().front(), SIGKILL);
    await_end_of_some(children);
  };
  const std::string endless = said_of(
      2,
      [](int rank) {
        if (rank == 2) sleep_on();
      },
      kill_first);
  checks.that(endless == "rank 1 was killed by signal 9 (Killed)",
              "a rank that is killed after it was ready is seen while another starts", "said: " + endless);

  const std::string both = said_of(
      2,
      [](int rank) {
        if (rank == 2) sleep_on();
      },
      [&](Children& children) {
        kill_first(children);
        try {
          children.look_for_failed();
        } catch (const std::runtime_error& error) {
          throw std::runtime_error(std::string("at a look: ") + error.what());
        }
      });
  checks.that(both == "at a look: rank 1 was killed by signal 9 (Killed)", "and by who only looks",
              "said: " + both);
}

}  // namespace

int main() {
  Checks checks;
  // Against what hangs.
  constexpr unsigned kHangsSeconds = 60;
  alarm(kHangsSeconds);
  check_starts(checks);
  check_one_after_it_was_ready(checks);
  return checks.finish();
}
