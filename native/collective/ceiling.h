// How fast memory lets a collective be: passes of every rank over memory of its own, beside one another, that
// load and store in the proportion of the collective, over as many bytes as it moves.
#pragma once

#include "../measure/workload.h"
#include "transport.h"

namespace pibench::collective {

// With the algorithm that was measured; nothing where it is not known what that moves.
Ceilings measure_ceiling(Transport& transport, std::uint32_t algorithm);

}  // namespace pibench::collective
