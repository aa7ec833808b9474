// What of the MPI transport needs no MPI: the clocks of hosts, what libraries say of themselves, and where
// libc is to be left alone. The library's calls are checked by running them (test/e2e/mpi.test.ts).
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../native/collective/mpi/calls.h"
#include "../../native/collective/mpi/clock_fit.h"
#include "../../native/collective/mpi/memory_hooks.h"
#include "../../native/random.h"
#include "check.h"

namespace {

namespace fs = std::filesystem;
using pibench::Nanoseconds;
using pibench::collective::anchor_of;
using pibench::collective::ClockAnchor;
using pibench::collective::ClockModel;
using pibench::collective::fit_clock;
using pibench::collective::open_mpi;
using pibench::collective::registers_memory;
using pibench::collective::short_version;
using pibench::collective::spare_libc;
using pibench::test::Checks;

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

}  // namespace

int main() {
  Checks checks;
  check_clocks(checks);
  check_versions(checks);
  check_memory_hooks(checks);
  check_refusals(checks);
  return checks.finish();
}
