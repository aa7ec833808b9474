#include "workload.h"

#include "../threads/team.h"

namespace pibench {

std::vector<int> Workload::thread_ids() { return team().thread_ids(); }

}  // namespace pibench
