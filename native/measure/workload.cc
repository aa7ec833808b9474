#include "workload.h"

#include <algorithm>
#include <stdexcept>

#include "../threads/team.h"

namespace pibench {

Verification with_one_call(const Verification& repetitions, const Verification& one) {
  Verification both = repetitions;
  both.passed = repetitions.passed && one.passed;
  both.worst_error = std::max(repetitions.worst_error, one.worst_error);
  both.checked += one.checked;
  both.wrong += one.wrong;
  if (both.first_wrong.empty() && !one.first_wrong.empty())
    both.first_wrong = "of one call alone: " + one.first_wrong;
  return both;
}

std::vector<int> Workload::thread_ids() { return team().thread_ids(); }

void Workload::prepare_again(double share) {
  static_cast<void>(share);
  throw std::invalid_argument("this workload cannot repeat a share of its work");
}

}  // namespace pibench
