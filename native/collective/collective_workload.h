// A collective as a workload: several ranks, a transport between them, and the time of the slowest.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "../measure/workload.h"
#include "problem.h"
#include "rank_executor.h"
#include "transport.h"

namespace pibench::collective {

struct Parameters {
  RankSettings settings;
  std::string algorithm;  // of the transport; empty: the fastest of them here
  // What each rank does; nothing: make_rank_executor.
  std::function<std::unique_ptr<Executor>(const RankSettings&, Port&)> make_executor = {};
};

// "barrier", "window", "none". Throws std::invalid_argument for another name.
Sync sync_named(const std::string& name);

// Must be constructed on the thread that will call run(): it is rank 0. `make_transport` is called at once.
// Throws what it throws.
std::unique_ptr<Workload> make_workload(const Parameters& parameters,
                                        const std::function<std::unique_ptr<Transport>()>& make_transport);

// What a process does whose rank does not lead, until the measurement has ended. Throws what it throws, and
// what starting the rank throws.
void follow(const RankSettings& settings, const std::function<std::unique_ptr<Transport>()>& make_transport);

}  // namespace pibench::collective
