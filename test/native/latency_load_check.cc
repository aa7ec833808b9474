// The threads that read memory beside the latency indicator's chase: that they are at work in every
// repetition, that what they read is counted right and looked at, that an absence of one is not lost, and
// that none is left behind.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "../../kernels/cpu/memory/memory_kernels.h"
#include "../../native/inspection.h"
#include "../../native/latency/latency_workload.h"
#include "../../native/latency/loaders.h"
#include "../../native/measure/absences.h"
#include "../../native/measure/clock.h"
#include "../../native/threads/preemption.h"
#include "check.h"

namespace {

using pibench::Control;
using pibench::Interval;
using pibench::Job;
using pibench::Nanoseconds;
using pibench::now;
using pibench::Outcome;
using pibench::Phase;
using pibench::PreemptionWire;
using pibench::Samples;
using pibench::Traffic;
using pibench::Verification;
using pibench::kernels::memory::kPortable;
using pibench::kernels::memory::ReadPass;
using pibench::latency::Chase;
using pibench::latency::Link;
using pibench::latency::Load;
using pibench::latency::Loaders;
using pibench::latency::make_workload;
using pibench::latency::Order;
using pibench::latency::Parameters;
using pibench::test::Checks;

constexpr std::size_t kSet = 4 * Loaders::kPiece;

// However slow a sanitizer and a busy machine are, what happens at all has happened by then.
template <typename Happened>
bool await(const Happened& happened) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!happened()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

// ---- A pass that counts, by the thread that makes it ------------------------------------------------------

std::array<std::atomic<std::uint64_t>, 256> passes;
std::atomic<std::size_t> threads_seen{0};

std::size_t own_number() {
  thread_local const std::size_t number = threads_seen.fetch_add(1);
  return number;
}

std::uint64_t counting(const double* a, std::size_t count) noexcept {
  const std::uint64_t sum = kPortable.read(a, count);
  passes.at(own_number()).fetch_add(1);
  return sum;
}

std::uint64_t counted_from(std::size_t first) {
  std::uint64_t sum = 0;
  for (std::size_t i = first; i < threads_seen; ++i) sum += passes.at(i);
  return sum;
}

// ---- A pass whose thread sleeps when it is told to
// ---------------------------------------------------------

std::atomic<bool> sleep_next{false};
std::atomic<Nanoseconds> slept_from{0}, slept_to{0};

std::uint64_t sleeping(const double* a, std::size_t count) noexcept {
  if (sleep_next.load()) {
    // First: who waits for the other may ask for the next one at once.
    sleep_next = false;
    slept_from = now();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    slept_to = now();
  }
  return counting(a, count);
}

// ---- Passes that are wrong in one piece
// --------------------------------------------------------------------

std::atomic<int> until_wrong{0};

std::uint64_t wrong_once(const double* a, std::size_t count) noexcept {
  const std::uint64_t sum = counting(a, count);
  return until_wrong.fetch_sub(1) == 1 ? sum + 1 : sum;
}

// A word short of the piece.
std::uint64_t short_once(const double* a, std::size_t count) noexcept {
  return counting(a, until_wrong.fetch_sub(1) == 1 ? count - 1 : count);
}

Load load_of(int threads, std::size_t bytes = kSet) { return {threads, bytes, {}}; }
Parameters parameters_of(const Load& load) { return {1000, 64, Order::random, 1024, {}, 7, load}; }

std::size_t threads_now() {
  std::size_t threads = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++threads;
  return threads;
}

// The kernel may list one that was joined for a moment.
void none_left(Checks& checks, std::size_t before, const std::string& when) {
  checks.that(await([&] { return threads_now() <= before; }), "no thread is left " + when);
}

// ---- What a repetition sees
// --------------------------------------------------------------------------------

const Control* control_now = nullptr;
std::size_t first_loader = 0;
std::atomic<int> loaded_calls{0}, idle_calls{0};

bool verifies() { return control_now->phase.load() >= Phase::cool_down; }

// Goes on when every loading thread has read something since it began.
const Link* beside_all(const Link* from, std::uint64_t loads) noexcept {
  if (!verifies() && idle_calls == 0) {
    std::array<std::uint64_t, passes.size()> before{};
    const std::size_t end = threads_seen;
    for (std::size_t i = first_loader; i < end; ++i) before.at(i) = passes.at(i);
    const bool all = await([&] {
      bool moved = true;
      for (std::size_t i = first_loader; i < end; ++i) moved = moved && passes.at(i) > before.at(i);
      return moved;
    });
    ++(all ? loaded_calls : idle_calls);
  }
  return pibench::latency::chase(from, loads);
}

std::uint64_t repetitions_begun = 0;

// In every repetition a loading thread falls asleep. Without giving the CPU away, and for a moment only, lest
// the caller have an absence of its own.
const Link* beside_a_sleeper(const Link* from, std::uint64_t loads) noexcept {
  if (control_now->phase.load() == Phase::measure && control_now->taken.load() == repetitions_begun) {
    ++repetitions_begun;
    slept_from = 0;
    sleep_next = true;
    const Nanoseconds until = now() + 60'000'000'000;
    while (slept_from == 0 && now() < until) {
    }
  }
  return pibench::latency::chase(from, loads);
}

Outcome inspect(Control& control, const Load& load, Chase chase, ReadPass read) {
  control_now = &control;
  first_loader = threads_seen;
  Job job;
  job.make_workload = [=] { return make_workload(parameters_of(load), chase, read); };
  job.warmup = {pibench::WarmupKind::count, 3, 0};
  job.repetitions = 10;
  return pibench::inspect(job, control);
}

void check_repetitions(Checks& checks) {
  for (const int threads : {1, 3}) {
    const std::string of = " of " + std::to_string(threads);
    const std::size_t before = threads_now();
    loaded_calls = 0;
    Control control;
    const Outcome outcome = inspect(control, load_of(threads), beside_all, counting);
    checks.that(idle_calls == 0 && loaded_calls >= 13,
                "every call, from the warm-up on, has all loading threads at work" + of,
                std::to_string(idle_calls) + " without, " + std::to_string(loaded_calls) + " with them");
    checks.that(outcome.verification && outcome.verification->passed, "and is verified" + of);
    checks.equal(outcome.thread_ids.size(), static_cast<std::size_t>(threads) + 1,
                 "they are among the threads that are watched" + of);
    const auto& times = outcome.samples.times;
    checks.that(outcome.traffic && outcome.traffic->threads == static_cast<std::size_t>(threads) &&
                    outcome.traffic->bytes > 0 && outcome.traffic->by == "given",
                "what they read is told" + of);
    checks.that(outcome.traffic && outcome.traffic->window.begin <= times.front().entry &&
                    outcome.traffic->window.end >= times[outcome.samples.taken - 1].exit,
                "over all repetitions" + of);
    none_left(checks, before, "after an inspection" + of);
  }
  Control control;
  const Outcome outcome = inspect(control, Load{}, pibench::latency::chase, nullptr);
  checks.that(!outcome.traffic && outcome.thread_ids.size() == 1, "without load there is no other thread");
}

void check_bytes(Checks& checks) {
  for (const int threads : {1, 2}) {
    const std::string of = " of " + std::to_string(threads);
    const std::size_t first = threads_seen;
    Loaders loaders(load_of(threads), counting);
    checks.that(loaders.pieces() >= static_cast<std::uint64_t>(threads), "each has begun" + of);
    await([&] { return counted_from(first) > 20; });
    const std::uint64_t before_open = counted_from(first);
    loaders.open_window();
    const std::uint64_t opened = counted_from(first);
    await([&] { return counted_from(first) > opened + 100; });
    const std::uint64_t before_close = counted_from(first);
    loaders.close_window();
    const std::uint64_t closed = counted_from(first);
    await([&] { return counted_from(first) > closed + 20; });
    loaders.stop();
    const auto traffic = loaders.traffic();
    const double pieces = traffic ? traffic->bytes / double{Loaders::kPiece} : 0;
    // Of each thread the first and the last piece lie in the window with a part, and a pass is counted at
    // another moment than its piece. Between two looks at the counts a window may open late, or close.
    const double ends = 2.0 * threads;
    const auto least = static_cast<double>(before_close - opened) - ends;
    const auto most = static_cast<double>(closed - before_open) + ends;
    checks.that(
        pieces >= least && pieces <= most,
        "the bytes are those of the pieces that were read in the window" + of,
        std::to_string(pieces) + " pieces, of " + std::to_string(least) + " to " + std::to_string(most));
    checks.equal(loaders.wrong_pieces(), std::uint64_t{0}, "all of them right" + of);
    checks.that(loaders.pieces() == counted_from(first), "all of them known" + of,
                std::to_string(loaders.pieces()));
  }
  Loaders chosen(load_of(1));
  chosen.open_window();
  chosen.close_window();
  chosen.stop();
  checks.that(chosen.traffic() && !chosen.traffic()->by.empty() && chosen.traffic()->by != "given" &&
                  chosen.wrong_pieces() == 0,
              "a pass is found by trial", chosen.first_wrong());
  Loaders closed(load_of(1), counting);
  closed.stop();
  checks.that(!closed.traffic(), "without a window nothing is told");
}

void check_wrong_pieces(Checks& checks) {
  for (const ReadPass wrong : {wrong_once, short_once}) {
    const std::string what = wrong == wrong_once ? "a wrong sum" : "a piece that was not read to its end";
    // The first piece of all, which is read before the window, and a later one.
    for (const int piece : {1, 9}) {
      until_wrong = piece;
      const auto workload = make_workload(parameters_of(load_of(2)), pibench::latency::chase, wrong);
      workload->prepare();
      await([] { return until_wrong < 0; });
      workload->run();
      const Verification found = workload->verify();
      checks.that(
          !found.passed && found.wrong == 1 && found.first_wrong.find("loading thread") != std::string::npos,
          what + ", piece " + std::to_string(piece) + ", makes the output wrong", found.first_wrong);
      checks.that(!workload->verify().passed, "also when it is asked again");
    }
  }
  until_wrong = -1;
  const auto workload = make_workload(parameters_of(load_of(2)), pibench::latency::chase, wrong_once);
  workload->prepare();
  workload->run();
  const Verification right = workload->verify();
  checks.that(right.passed && right.checked > 1001, "where none is wrong, all are among what was checked",
              right.first_wrong);
}

void check_disturb(Checks& checks) {
  const auto disturbed = [](const std::vector<Interval>& absences) {
    Samples samples(6);
    for (const Nanoseconds begin : {100, 200, 300, 400, 500})
      samples.times[samples.taken++] = {begin, begin + 90};
    pibench::disturb(samples, absences);
    std::string text;
    for (const auto one : samples.disturbed) text += one == 0 ? '.' : 'x';
    return text;
  };
  const auto expect = [&](const std::vector<Interval>& absences, const std::string& want) {
    const std::string got = disturbed(absences);
    checks.that(got == want, "absences in " + want, got);
  };
  expect({}, "......");
  expect({{210, 220}}, ".x....");
  expect({{250, 410}}, ".xxx..");
  expect({{0, 1000}}, "xxxxx.");
  expect({{191, 199}}, "......");
  expect({{190, 200}}, "......");
  expect({{0, 100}, {590, 700}}, "......");
  expect({{0, 101}, {589, 700}}, "x...x.");
  expect({{520, 530}, {110, 120}}, "x...x.");
  expect({{100, 450}, {210, 220}, {510, 511}}, "xxxxx.");
}

void check_absences(Checks& checks) {
  if (!PreemptionWire::available()) {
    Checks::inform("no restartable sequences here: a loading thread’s absence is not known");
    return;
  }
  {
    const std::size_t first = threads_seen;
    slept_from = slept_to = 0;
    Loaders loaders(load_of(1), sleeping);
    loaders.open_window();
    sleep_next = true;
    await([] { return slept_to != 0; });
    const std::uint64_t then = counted_from(first);
    await([&] { return counted_from(first) > then + 3; });
    loaders.close_window();
    loaders.stop();
    const Traffic traffic = loaders.traffic().value_or(Traffic{});
    const bool known = std::ranges::any_of(traffic.absences, [](const Interval& absence) {
      return absence.begin <= slept_from && absence.end >= slept_to;
    });
    checks.that(known, "a thread that was off its CPU is known to have been, from before until after");
  }
  slept_from = slept_to = 0;
  Control control;
  const Outcome outcome = inspect(control, load_of(1), beside_a_sleeper, sleeping);
  checks.equal(std::ranges::count(outcome.samples.disturbed, 1), std::ptrdiff_t{10},
               "each repetition in which it went is disturbed, although it came back later");
}

void check_ends(Checks& checks) {
  const std::size_t before = threads_now();
  { const Loaders loaders(load_of(3), counting); }
  none_left(checks, before, "without a window");
  {
    const auto workload = make_workload(parameters_of(load_of(2)));
    workload->prepare();
  }
  none_left(checks, before, "of a workload that was prepared and never called");
  const auto refused = [&](const Load& load) {
    Control control;
    static_cast<void>(inspect(control, load, pibench::latency::chase, counting));
  };
  checks.throws<std::system_error>([&] { refused({2, kSet, {0, 1 << 20}}); }, "a CPU that there is not");
  none_left(checks, before, "where one could not be bound");
  checks.throws<std::bad_alloc>([&] { refused(load_of(1, std::size_t{1} << 62U)); },
                                "sets of more bytes than can be counted");
  none_left(checks, before, "where the sets were too large");
  checks.throws<std::invalid_argument>([&] { refused(load_of(1, Loaders::kPiece - 1)); },
                                       "a set without a whole piece");
  none_left(checks, before, "where the set was too small");
  Control cancelled;
  cancelled.cancel = true;
  const Outcome outcome = inspect(cancelled, load_of(2), pibench::latency::chase, counting);
  checks.that(outcome.samples.cancelled && !outcome.traffic,
              "an inspection that was ended before it measured has no traffic");
  none_left(checks, before, "after it");
}

}  // namespace

int main() {
  Checks checks;
  // A sanitizer has a thread of its own from the first one on.
  std::thread([] {}).join();
  check_repetitions(checks);
  check_bytes(checks);
  check_wrong_pieces(checks);
  check_disturb(checks);
  check_absences(checks);
  check_ends(checks);
  return checks.finish();
}
