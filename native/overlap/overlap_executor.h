// What a rank does that computes, too: its own part of the collective, a computation beside it, or that
// alone.
#pragma once

#include <functional>
#include <memory>

#include "../collective/rank_executor.h"
#include "../measure/workload.h"

namespace pibench::overlap {

// What a rank tells of its computation once there is one.
using Tell =
    std::function<void(int rank, const std::string& implementation, const std::vector<int>& thread_ids)>;

// Beside the orders of a rank's own executor it knows Task::beside, compute and check_computed.
// `make_computation` is called in a new thread, which will make its calls. Throws what that throws.
std::unique_ptr<collective::Executor> make_overlap_executor(
    const collective::RankSettings& settings, collective::Port& port,
    const std::function<std::unique_ptr<Workload>(int rank)>& make_computation, const Tell& tell);

}  // namespace pibench::overlap
