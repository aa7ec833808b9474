// One sample: when it began and ended, on the host's clock.
#pragma once

#include "clock.h"

namespace pibench {

struct Sample {
  Nanoseconds entry, exit;
};

}  // namespace pibench
