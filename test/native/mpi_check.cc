// What of the MPI transport needs no job: the clocks of hosts, what libraries say of themselves, where libc
// is to be left alone, and, where there is a library, messages that are given up, of a rank that is alone.
// All else of the library's calls is checked by running them (test/e2e/mpi.test.ts).
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../native/collective/mpi/calls.h"
#include "../../native/collective/mpi/clock_fit.h"
#include "../../native/collective/mpi/memory_hooks.h"
#include "../../native/collective/mpi/message_memory.h"
#include "../../native/random.h"
#include "check.h"

namespace {

namespace fs = std::filesystem;
using pibench::Nanoseconds;
using pibench::collective::anchor_of;
using pibench::collective::ClockAnchor;
using pibench::collective::ClockModel;
using pibench::collective::fit_clock;
using pibench::collective::MessageMemory;
using pibench::collective::open_mpi;
using pibench::collective::registers_memory;
using pibench::collective::short_version;
using pibench::collective::spare_libc;
using pibench::collective::Topic;
using pibench::collective::Wait;
using pibench::test::Checks;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // which would look at what an MPI library does by itself
#else
constexpr bool kSanitized = false;
#endif

// A rank's clock that was set wrong by `offset` and gains `drift` nanoseconds each nanosecond.
struct Clock {
  double offset, drift;
  [[nodiscard]] Nanoseconds at(Nanoseconds truth) const {
    return truth + std::llround(offset + drift * static_cast<double>(truth));
  }
};

// Messages that take 5 to 25 us either way, each way its own: what a fit has to bear.
ClockAnchor compared(const Clock& clock, Nanoseconds sent, std::uint64_t seed) {
  const auto there = static_cast<Nanoseconds>(5000 + pibench::draw(seed, 0) % 20'000);
  const auto back = static_cast<Nanoseconds>(5000 + pibench::draw(seed, 1) % 20'000);
  return anchor_of(sent, clock.at(sent + there), sent + there + back);
}

void check_clocks(Checks& checks) {
  constexpr Nanoseconds kSecond = 1'000'000'000;
  bool within = true;
  bool drifts = true;
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Clock clock{1e12 * (static_cast<double>(seed) - 100), 1e-5 * (static_cast<double>(seed % 7) - 3)};
    constexpr int kComparisons = 10;
    std::vector<ClockAnchor> anchors;
    anchors.reserve(kComparisons);
    for (int i = 0; i < kComparisons; ++i)
      anchors.push_back(compared(clock, (i + 1) * kSecond, seed * 100 + i));
    const ClockModel model = fit_clock(anchors);
    const Nanoseconds truth = 11 * kSecond;
    const auto error = static_cast<double>(std::llabs(model.of_rank_0(clock.at(truth)) - truth));
    worst = std::max(worst, error / model.uncertainty_after(kSecond));
    within = within && error <= model.uncertainty_after(kSecond);
    // The model gives the drift back, against the rank's own clock.
    drifts = drifts && std::fabs(model.drift + clock.drift) < 2e-6;
  }
  checks.that(within, "a second after the last comparison a clock is right within its uncertainty",
              "worst " + std::to_string(worst));
  checks.that(drifts, "a drift of some 10 us a second is found");

  // A launch is over before there are anchors of a second.
  bool early = true;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Clock clock{0, 1e-5 * (static_cast<double>(seed % 7) - 3)};
    std::vector<ClockAnchor> anchors;
    anchors.reserve(2);
    for (int i = 0; i < 2; ++i)
      anchors.push_back(compared(clock, (i + 1) * kSecond / 20, seed * 100 + static_cast<std::uint64_t>(i)));
    const ClockModel model = fit_clock(anchors);
    for (const Nanoseconds later : {kSecond / 20, kSecond / 4, kSecond}) {
      const Nanoseconds truth = kSecond / 10 + later;
      const auto error = static_cast<double>(std::llabs(model.of_rank_0(clock.at(truth)) - truth));
      early = early && error <= model.uncertainty_after(truth - kSecond / 10);
    }
  }
  checks.that(early, "soon after the first comparisons it is right within what it says then");

  const Clock still{5e6, 0};
  const std::vector<ClockAnchor> one{compared(still, kSecond, 3)};
  const ClockModel alone = fit_clock(one);
  checks.that(alone.drift == 0 && std::fabs(alone.offset + 5e6) <= alone.uncertainty,
              "one comparison tells an offset within half of its way, and no drift");
  checks.equal(alone.uncertainty, one[0].uncertainty, "and is as uncertain as that");
}

void check_versions(Checks& checks) {
  const auto is = [&checks](const std::string& said, const std::string& want) {
    checks.that(short_version(said) == want, "\"" + want + "\"", "got " + short_version(said));
  };
  is("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022",
     "Open MPI 4.1.4");
  is("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\nMPICH ABI:\t14:2:2\n",
     "MPICH 4.0.2");
  is("Intel(R) MPI Library 2021.11 for Linux* OS\n", "Intel(R) MPI Library 2021.11");
  is("MVAPICH2 Version      :\t2.3.7\n", "MVAPICH2 2.3.7");
  is("Somebody's MPI of 2031\nwith more lines", "Somebody's MPI of 2031");
}

void check_refusals(Checks& checks) {
  checks.throws<std::runtime_error>([] { static_cast<void>(open_mpi("/nowhere/libmpi.so.40")); },
                                    "a library that is not there is refused");
  checks.throws<std::runtime_error>([] { static_cast<void>(open_mpi("libm.so.6")); },
                                    "and one that is no MPI library");
}

// In a folder that stands for the root of a system.
void check_memory_hooks(Checks& checks) {
  const fs::path root = fs::temp_directory_path() / ("pi-bench-check-" + std::to_string(getpid()));
  const auto with = [&](const fs::path& device) {
    fs::remove_all(root);
    fs::create_directories(root / device);
    return registers_memory(root);
  };
  checks.that(!with(""), "a system without such devices registers no memory");
  checks.that(!with("sys/class/infiniband"), "nor does one that could have RDMA and has none");
  checks.that(with("sys/class/infiniband/mlx5_0"), "one with RDMA does");
  checks.that(with("dev/knem") && with("dev/xpmem"), "and one with KNEM or XPMEM");
  fs::remove_all(root);

  const auto said = [] {
    const char* const text = std::getenv("UCX_MEM_EVENTS");
    return text == nullptr ? std::string() : std::string(text);
  };
  setenv("UCX_MEM_EVENTS", "y", 1);
  spare_libc();
  checks.that(said() == "y", "what the user wants of UCX stays so");
  unsetenv("UCX_MEM_EVENTS");
  spare_libc();
  checks.that(said() == (registers_memory() ? "" : "no"),
              "else UCX leaves libc alone where no memory is registered");
}

void check_memory_of_messages(Checks& checks) {
  MessageMemory memory;
  std::byte* const first = memory.of(8);
  *first = std::byte{1};
  checks.that(memory.of(4) == first, "messages that follow one another lie in the same memory");
  memory.leave();
  std::byte* const second = memory.of(1 << 20);
  *second = std::byte{2};
  memory.leave();
  std::byte* const third = memory.of(8);
  *third = std::byte{3};
  checks.that(*first == std::byte{1} && *second == std::byte{2} && first != third,
              "one that is given up keeps its own");
}

// What became of a rank that is alone in its job.
enum class Alone : std::uint8_t { as_meant = 40, no_library, no_job, arrived, overwritten, next_is_wrong };

// The first library that is there: a process has one MPI at most.
std::unique_ptr<pibench::collective::MpiCalls> library_here() {
  for (const char* const name : {"libmpi.so.40", "libmpich.so.12", "libmpi.so.12"}) {
    try {
      return open_mpi(name);
    } catch (const std::runtime_error&) {
      continue;
    }
  }
  return nullptr;
}

Alone begin_and_end() {
  const auto mpi = library_here();
  if (!mpi) return Alone::no_library;
  try {
    mpi->begin();
  } catch (const std::runtime_error&) {
    return Alone::no_job;
  }
  mpi->end();
  return Alone::as_meant;
}

Alone give_up() {
  using Message = std::array<std::uint64_t, 4>;
  const auto mpi = library_here();
  if (!mpi) return Alone::no_library;
  mpi->begin();
  Wait impatient(false, 1'000'000, false);
  Wait patient(false, Wait::kForever, false);
  const Message before{7, 7, 7, 7};
  const Message late{1, 2, 3, 4};
  const Message next{5, 6, 7, 8};
  Message mine = before;
  if (mpi->receive(mine.data(), sizeof mine, 0, Topic::text, impatient)) return Alone::arrived;
  mpi->send(late.data(), sizeof late, 0, Topic::text, patient);
  Message got{};
  const bool exchanged = mpi->exchange(next.data(), 0, got.data(), 0, sizeof next, Topic::text, patient);
  if (mine != before) return Alone::overwritten;
  mpi->end();
  return exchanged && got == next ? Alone::as_meant : Alone::next_is_wrong;
}

// How a process ended that does this and nothing else, silently: what an MPI library prints where it finds no
// network is no matter of this.
int end_of(Alone (*act)()) {
  constexpr unsigned kHangsSeconds = 100;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kHangsSeconds);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    _exit(static_cast<int>(act()));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

bool is(int status, Alone end) { return WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(end); }

std::string text_of(int status) {
  if (!WIFEXITED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

void check_giving_up(Checks& checks) {
  if (kSanitized) {
    Checks::inform("messages that are given up are not checked under this sanitizer");
    return;
  }
  // Where a library does not begin without a launcher, or ends the process then, that is no matter of this.
  // Where it does, no crash and no hang is the library's.
  const int alone = end_of(begin_and_end);
  if (!is(alone, Alone::as_meant)) {
    const std::string why = is(alone, Alone::no_library)
                                ? "there is no MPI library here"
                                : "alone, the MPI library here had " + text_of(alone);
    Checks::inform("messages that are given up are not checked: " + why);
    return;
  }
  const int gave_up = end_of(give_up);
  checks.that(!is(gave_up, Alone::arrived), "a message that nobody sends does not come");
  checks.that(!is(gave_up, Alone::overwritten),
              "one that comes after it was given up is not written to whoever gave up");
  checks.that(!is(gave_up, Alone::next_is_wrong), "and the next one comes as it is");
  checks.that(is(gave_up, Alone::as_meant), "a rank that gives messages up comes to its end",
              text_of(gave_up));
}

}  // namespace

int main() {
  Checks checks;
  check_clocks(checks);
  check_versions(checks);
  check_memory_hooks(checks);
  check_refusals(checks);
  check_memory_of_messages(checks);
  check_giving_up(checks);
  return checks.finish();
}
