// A workload that does nothing: what the loop itself costs, for the benchmarks of pi-bench.
#pragma once

#include <memory>

#include "workload.h"

namespace pibench {

std::unique_ptr<Workload> make_idle_workload();

}  // namespace pibench
