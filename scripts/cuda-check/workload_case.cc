// Every workload on a GPU as an inspection uses it: repetitions that are verified together, poison that no
// verification takes for a result, one more call that is verified by itself.
#include <cstring>
#include <memory>
#include <vector>

#include "../../kernels/cuda/contract.h"
#include "../../native/cuda/launch_workload.h"
#include "../../native/cuda/matmul_workload.h"
#include "../../native/cuda/memory_workload.h"
#include "../../native/cuda/peak_workload.h"
#include "../../native/cuda/rates.h"
#include "cases.h"

namespace pibench::cuda_check {
namespace {

using namespace pibench::cuda;

constexpr std::uint64_t kSeed = 7;

void check(const std::string& name, const std::unique_ptr<Workload>& workload, Report& report,
           bool leaves_something = true) {
  const auto verified = [&](int calls) {
    workload->poison();
    for (int call = 0; call < calls; ++call) {
      workload->evict();
      workload->run();
    }
    workload->finish();
    return workload->verify();
  };
  const auto right = [&](int calls) {
    const Verification verification = verified(calls);
    report.that(verification.passed,
                name + ", after " + std::to_string(calls) + " calls: " + verification.first_wrong);
  };
  workload->prepare();
  right(3);
  right(1);
  if (leaves_something) report.that(!verified(0).passed, name + ": poison is taken for a result");
  right(1);
}

void check_products(const Place& place, Report& report) {
  // Held meanwhile: to leave the device and come back takes longer than what is checked there.
  const Session session(place.ordinal, place.kernels);
  for (const NamedElement& one : kElements) {
    for (const bool cold : {false, true}) {
      MatmulParameters parameters;
      parameters.place = place;
      parameters.problem = {64, 48, 96, 2, one.element};
      parameters.seed = kSeed;
      parameters.cold = cold;
      check(std::string("matmul of ") + one.name + (cold ? ", cold" : ""), make_matmul_workload(parameters),
            report);
    }
  }
}

// What the first block of a loop leaves after so many iterations.
std::uint64_t first_sum(Session& session, const kernels::cuda::Peak& peak, std::uint32_t iterations) {
  const unsigned blocks = session.multiprocessors() * peak.blocks_per_multiprocessor;
  const std::vector<std::uint64_t> nothing(blocks);
  const DeviceMemory sums(blocks * sizeof(std::uint64_t));
  sums.upload(nothing.data());
  const Kernel kernel = session.kernel(peak.module, peak.symbol, blocks, peak.threads, peak.shared_bytes);
  session.launch(kernel, kernels::cuda::PeakArguments{pointer<std::uint64_t>(sums.address()), iterations, 0});
  session.synchronize();
  std::vector<std::uint64_t> found(blocks);
  sums.download(found.data());
  return found.front();
}

void check_peaks(const Place& place, Report& report) {
  Session session(place.ordinal, place.kernels);
  for (const auto& peak : kernels::cuda::kPeaks) {
    if (!runs_on(peak.target, session.capability())) continue;
    constexpr std::uint32_t kIterations = 96;
    PeakParameters parameters;
    parameters.place = place;
    parameters.element = peak.element;
    parameters.engine = cuda::name_of(peak.engine);
    parameters.operations =
        peak.operations * peak.blocks_per_multiprocessor * session.multiprocessors() * kIterations;
    const auto workload = make_peak_workload(parameters);
    check(peak.symbol, workload, report);
    // It has made one call, and its own verification knows only that all calls are alike.
    std::uint64_t left = 0;
    const Output output = workload->output();
    if (output.bytes.size() == sizeof left) std::memcpy(&left, output.bytes.data(), sizeof left);
    report.that(left != 0 && left == first_sum(session, peak, kIterations),
                std::string(peak.symbol) + ": a call makes other iterations than its operations are of");
  }
}

void check_memory(const Place& place, Report& report) {
  constexpr std::uint64_t kElements = 100'000;
  const Session session(place.ordinal, place.kernels);
  for (const auto& pass : kernels::cuda::kMemories) {
    if (!runs_on(pass.target, session.capability())) continue;
    check(pass.symbol, make_pass_workload({place, pass.operation, pass.variant, kElements, kSeed}), report);
  }
  for (const char* copy : {"device-copy", "host-to-device", "device-to-host", "both-ways"}) {
    for (const bool pinned : {true, false}) {
      if (copy_named(copy) == Copy::both_ways && !pinned) continue;
      check(std::string("copy ") + copy + (pinned ? ", pinned" : ", pageable"),
            make_copy_workload({place, copy_named(copy), pinned, 0, kElements, kSeed}), report);
    }
  }
}

// What an empty kernel leaves is nothing: its verification launches others.
void check_launches(const Place& place, Report& report) {
  const Session session(place.ordinal, place.kernels);
  for (const char* mode : {"latency", "throughput", "streams", "graph"})
    check(std::string("launches, ") + mode, make_launch_workload({place, launch_mode_named(mode), 20, 2}),
          report, false);
}

struct Case {
  const char* name;
  void (*run)(const Place&, Report&);
};

constexpr Case kCases[] = {{"workload_matmul", check_products},
                           {"workload_peak", check_peaks},
                           {"workload_memory", check_memory},
                           {"workload_kernel_launch", check_launches}};

}  // namespace

std::vector<std::string> workload_cases() {
  std::vector<std::string> names;
  for (const Case& one : kCases) names.emplace_back(one.name);
  return names;
}

bool run_workload_case(const std::string& name, const Setting& setting, Report& report) {
  for (const Case& one : kCases) {
    if (name != one.name) continue;
    one.run({setting.ordinal, setting.kernels}, report);
    return true;
  }
  return false;
}

}  // namespace pibench::cuda_check
