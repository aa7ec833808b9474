// What of a job says how its product is to be computed.
#pragma once

#include "../workloads.h"
#include "matmul_workload.h"

namespace pibench::matmul {

// Throws std::invalid_argument.
Parameters parameters_from(const WorkloadParameters& p);

}  // namespace pibench::matmul
