// When a call began and ended. The host clock today; CUDA events implement the same two functions.
#pragma once

#include "clock.h"

namespace pibench {

class HostTimer {
 public:
  [[nodiscard]] Nanoseconds begin() noexcept { return now(); }
  [[nodiscard]] Nanoseconds end() noexcept { return now(); }
};

}  // namespace pibench
