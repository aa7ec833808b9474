// When a call began and ended. The host clock today; CUDA events implement the same two functions.
#pragma once

#include "clock.h"

namespace pibench {

class HostTimer {
 public:
  [[nodiscard]] static Nanoseconds begin() noexcept { return now(); }
  [[nodiscard]] static Nanoseconds end() noexcept { return now(); }
};

}  // namespace pibench
