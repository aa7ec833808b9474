// What stands in an output at the moment when its call returns: to verify all of it takes so long that
// threads which still write would be done.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "workload.h"

namespace pibench {

class Glimpse {
 public:
  // Some elements spread over the output, or all of a small one: read in microseconds.
  explicit Glimpse(const Output& output) : element_(output.element) {
    if (output.bytes.empty()) return;
    const std::size_t count = output.bytes.size() / element_;
    // Odd: in rows of a power of two it is not the same column each time.
    step_ = std::max<std::size_t>(1, count / kMost) | 1;
    seen_.reserve((count / step_ + 1) * element_);
    for (std::size_t i = 0; i < count; i += step_) {
      const std::byte* const first = output.bytes.data() + i * element_;
      seen_.insert(seen_.end(), first, first + element_);
    }
  }

  // What is another now makes the verification fail.
  void compare(const Output& now, Verification& verification) const {
    for (std::size_t place = 0; place * element_ < seen_.size(); ++place) {
      const std::size_t i = place * step_;
      if (std::memcmp(seen_.data() + place * element_, now.bytes.data() + i * element_, element_) == 0)
        continue;
      if (verification.wrong++ == 0)
        verification.first_wrong =
            "element " + std::to_string(i) + " was written only after the call had returned";
    }
    verification.passed = verification.passed && verification.wrong == 0;
    if (!verification.passed) verification.worst_error = std::numeric_limits<double>::infinity();
  }

 private:
  static constexpr std::size_t kMost = 4096;
  std::size_t element_, step_ = 1;
  std::vector<std::byte> seen_;
};

}  // namespace pibench
