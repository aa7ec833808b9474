// Collectives over memory that ranks share, as checks ask for them.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../native/collective/collective_workload.h"
#include "../../native/collective/shm/shm_transport.h"
#include "check.h"

namespace pibench::test {

// A process that the thread sanitizer watches cannot be forked from one of its threads.
inline constexpr bool kProcesses = !kThreadSanitizer;

// How long ranks wait for each other, in seconds: against what hangs only, on whatever machine.
inline constexpr double kPatience = 120;

inline constexpr std::array kOperations{"all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce",
                                        "gather",     "scatter",    "all-to-all",     "send-recv", "barrier"};
inline constexpr std::array kElements{"float32", "float64", "bfloat16", "int8",    "uint8",      "int32",
                                      "uint32",  "int64",   "uint64",   "float16", "float8_e4m3"};
inline constexpr std::array kRedops{"sum", "prod", "min", "max", "avg"};

struct Way {
  std::string algorithm;
  bool processes = false;
  collective::Sync sync = collective::Sync::barrier;
  bool fresh = true;
  std::vector<int> cpus = {};  // one for each rank, or empty: not bound
  double patience = kPatience;
  decltype(collective::Parameters::make_executor) make_executor = {};
};

inline std::unique_ptr<Workload> workload_of(const collective::Problem& problem, const Way& way) {
  const collective::Parameters parameters{
      {problem, way.sync, way.fresh, 7}, way.algorithm, way.make_executor};
  const collective::ShmParameters shm{problem, way.processes, way.cpus, "",
                                      static_cast<Nanoseconds>(way.patience * 1e9)};
  return collective::make_workload(parameters, [shm] { return collective::make_shm_transport(shm); });
}

inline collective::Problem problem_of(std::size_t operation, std::size_t element, std::size_t redop,
                                      int ranks, std::size_t count, bool in_place) {
  collective::Problem p;
  p.operation = collective::operation_named(kOperations[operation]);
  p.element = collective::element_named(kElements[element]);
  p.redop = collective::redop_named(kRedops[redop]);
  p.ranks = ranks;
  p.root = ranks - 1;
  p.count = p.operation == collective::Operation::barrier ? 0 : count;
  p.in_place = in_place;
  return p;
}

}  // namespace pibench::test
