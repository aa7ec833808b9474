#include "workload.h"

#include <stdexcept>

#include "../threads/team.h"

namespace pibench {

std::vector<int> Workload::thread_ids() { return team().thread_ids(); }

void Workload::prepare_again(double share) {
  static_cast<void>(share);
  throw std::invalid_argument("this workload cannot repeat a share of its work");
}

}  // namespace pibench
