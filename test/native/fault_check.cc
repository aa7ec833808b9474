// Faults on purpose: each does what its name says, where it was asked for, and nothing else.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../../native/matmul/matmul_workload.h"
#include "../../native/measure/clock.h"
#include "../../native/measure/fault.h"
#include "../../native/measure/idle_workload.h"
#include "../../native/threads/team.h"
#include "check.h"
#include "fake_workload.h"

namespace {

using pibench::Control;
using pibench::FaultKind;
using pibench::Nanoseconds;
using pibench::Phase;
using pibench::test::Checks;

// A workload whose output lies outside, so that a check can look at it.
template <typename T, std::size_t count>
class Writes final : public pibench::Workload {
 public:
  explicit Writes(std::array<T, count>& output) : output_(output) {}
  void prepare() override {}
  void run() noexcept override {
    for (std::size_t i = 0; i < count; ++i) output_[i] = static_cast<T>(i + 1);
  }
  void evict() noexcept override {}
  void poison() noexcept override { output_.fill(T{}); }
  pibench::Verification verify() override { return {}; }
  pibench::Output output() noexcept override {
    return {std::as_writable_bytes(std::span(output_)), sizeof(T)};
  }
  [[nodiscard]] std::string implementation() const override { return "writes"; }
  pibench::Team& team() noexcept override { return team_; }

 private:
  std::array<T, count>& output_;
  pibench::Team team_{1, {}};
};

// `same`: what each element is; nothing: its number.
template <typename T, std::size_t count>
std::array<T, count> after_wrong_element(std::optional<T> same = std::nullopt) {
  Control control;
  std::array<T, count> output{};
  const auto workload =
      pibench::with_fault(std::make_unique<Writes<T, count>>(output), {FaultKind::wrong_element, 0}, control);
  workload->run();
  if (same) output.fill(*same);
  static_cast<void>(workload->verify());
  return output;
}

// Of a memory's `write` every element is the same.
void wrongs_what_is_the_same_throughout(Checks& check) {
  const auto wronged = after_wrong_element<double, 5>(1.25);
  check.equal(std::ranges::count(wronged, 1.25), std::ptrdiff_t{4},
              "of equal elements one is wrong all the same");
  check.that(wronged[2] != 1.25, "the middle one");
  check.that(after_wrong_element<std::int32_t, 1>(0) == std::array<std::int32_t, 1>{-1},
             "a single element that is zero");
  Control control;
  const auto idle =
      pibench::with_fault(pibench::make_idle_workload(), {FaultKind::wrong_element, 0}, control);
  check.that(idle->verify().passed, "where there is no output, nothing is wrong");
}

void displaces_elements(Checks& check) {
  check.that(after_wrong_element<float, 5>() == std::array<float, 5>{1, 2, 2, 4, 5},
             "the middle element of five is its neighbour");
  check.that(after_wrong_element<double, 6>() == std::array<double, 6>{1, 2, 3, 3, 5, 6}, "of six, doubles");
  check.that(after_wrong_element<std::int32_t, 2>() == std::array<std::int32_t, 2>{1, 1}, "of two");
  check.that(after_wrong_element<float, 1>() == std::array<float, 1>{0}, "a single element becomes zero");
}

// Elements of the output that a product of its batch of 100, 5 x 6 each, did not leave as they were.
template <typename Do>
std::size_t elements_written(pibench::Workload& workload, Do act) {
  workload.poison();
  const auto bytes = workload.output().bytes;
  const std::vector<std::byte> before(bytes.begin(), bytes.end());
  act();
  const std::size_t element = workload.output().element;
  std::size_t written = 0;
  for (std::size_t at = 0; at < bytes.size(); at += element) {
    if (!std::equal(before.begin() + static_cast<std::ptrdiff_t>(at),
                    before.begin() + static_cast<std::ptrdiff_t>(at + element),
                    bytes.begin() + static_cast<std::ptrdiff_t>(at)))
      ++written;
  }
  return written;
}

std::unique_ptr<pibench::Workload> hundred_products() {
  return pibench::matmul::make_workload(
      {{5, 6, 7, false, false, 100, false}, pibench::kernels::DataType::float32, 1, {}, "", 1});
}

// Whether preparing the fault is refused.
bool refuses(std::unique_ptr<pibench::Workload> workload, double share) {
  Control control;
  try {
    pibench::with_fault(std::move(workload), {FaultKind::repeated_work, 0, share}, control)->prepare();
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

void repeats_work(Checks& check) {
  const auto bare = hundred_products();
  bare->prepare();
  bare->prepare_again(0.03);
  check.that(elements_written(*bare, [&bare] { bare->run_again(); }) == std::size_t{3} * 5 * 6,
             "3 % of 100 products are three of them");
  Control control;
  const auto faulty = pibench::with_fault(hundred_products(), {FaultKind::repeated_work, 0, 0.03}, control);
  faulty->prepare();
  check.that(elements_written(*faulty, [&faulty] { faulty->run(); }) == std::size_t{100} * 5 * 6 &&
                 faulty->verify().passed,
             "the whole result is there, and right");
  check.that(refuses(hundred_products(), 0.031), "3.1 of 100 products are no work to repeat");
  check.that(refuses(hundred_products(), 0.001), "nor is a tenth of one");
  check.that(refuses(std::make_unique<pibench::test::FakeWorkload>(), 0.03),
             "work that cannot be divided is not repeated in silence");
}

void forwards_ceilings(Checks& check) {
  Control control;
  auto inner = std::make_unique<pibench::test::FakeWorkload>();
  inner->on_ceilings = [](bool cold) {
    return pibench::Ceilings{cold ? 1.0 : 2.0, "fake", 3, 4, {0, 0, ""}};
  };
  inner->on_glance = [](Nanoseconds about) { return static_cast<double>(about); };
  const auto workload = pibench::with_fault(std::move(inner), {FaultKind::slow_repetition, 0}, control);
  check.that(workload->glance_at_peak(7) == 7.0, "a glance at the peak is the workload's own");
  const pibench::Ceilings hot = workload->ceilings(false);
  check.that(hot.operations_per_second == 2 && hot.instruction_set == "fake" && hot.bytes_per_second == 3 &&
                 hot.bytes == 4 && workload->ceilings(true).operations_per_second == 1,
             "the ceilings are the workload's own, hot and cold");
}

// How long each of three repetitions took, with a fault in one of them.
std::array<Nanoseconds, 3> times_with(FaultKind kind, std::uint64_t at, Phase phase) {
  Control control;
  control.phase = phase;
  std::array<float, 1> output{};
  const auto workload = pibench::with_fault(std::make_unique<Writes<float, 1>>(output), {kind, at}, control);
  std::array<Nanoseconds, 3> times{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    control.taken = i;
    const Nanoseconds begin = pibench::now();
    workload->run();
    times[i] = pibench::now() - begin;
  }
  return times;
}

void slows_repetitions(Checks& check) {
  constexpr Nanoseconds kSlow = 50'000'000;
  const auto slow = times_with(FaultKind::slow_repetition, 1, Phase::measure);
  check.that(slow[1] >= kSlow, "the slow repetition takes its time", std::to_string(slow[1]));
  // The others could be slowed by the machine; by the fault they are not: at least one try of many shows it.
  constexpr int kTries = 20;
  bool others_fast = false;
  bool warmup_fast = false;
  for (int attempt = 0; attempt < kTries && !(others_fast && warmup_fast); ++attempt) {
    const auto first = times_with(FaultKind::slow_repetition, 0, Phase::measure);
    others_fast = others_fast || (first[1] < kSlow && first[2] < kSlow);
    warmup_fast =
        warmup_fast || std::ranges::max(times_with(FaultKind::slow_repetition, 1, Phase::warm_up)) < kSlow;
  }
  check.that(others_fast, "the other repetitions do not");
  check.that(warmup_fast, "nor does any in the warm-up");
}

// Runs a repetition with a fault in a child, for which `wait` is called; returns the child's status.
template <typename Wait>
int status_of_child_with(FaultKind kind, const Wait& wait) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    static_cast<void>(std::signal(SIGABRT, SIG_DFL));
    static_cast<void>(times_with(kind, 1, Phase::measure));
    _exit(0);
  }
  wait(child);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

void crashes_and_stalls(Checks& check) {
  const int crashed = status_of_child_with(FaultKind::crash, [](pid_t) {});
  check.that(WIFSIGNALED(crashed) && WTERMSIG(crashed) == SIGABRT, "a crash ends the process by SIGABRT",
             "status " + std::to_string(crashed));
  bool ended_early = false;
  const int stalled = status_of_child_with(FaultKind::stall, [&ended_early](pid_t child) {
    std::this_thread::sleep_for(std::chrono::milliseconds{300});
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
    ended_early = info.si_pid == child;
    kill(child, SIGKILL);
  });
  check.that(!ended_early, "a stall does not end");
  check.that(WIFSIGNALED(stalled) && WTERMSIG(stalled) == SIGKILL, "until the process is killed");
  const int nothing = status_of_child_with(FaultKind::wrong_element, [](pid_t) {});
  check.that(WIFEXITED(nothing) && WEXITSTATUS(nothing) == 0, "a wrong element disturbs no repetition");
}

}  // namespace

int main() {
  Checks check;
  Control control;
  std::array<float, 3> output{};
  auto plain = std::make_unique<Writes<float, 3>>(output);
  const pibench::Workload* address = plain.get();
  check.that(pibench::with_fault(std::move(plain), {}, control).get() == address,
             "without a fault nothing is wrapped");
  displaces_elements(check);
  wrongs_what_is_the_same_throughout(check);
  forwards_ceilings(check);
  repeats_work(check);
  slows_repetitions(check);
  crashes_and_stalls(check);
  return check.finish();
}
