// peak on a GPU: multiply-adds in registers (and, for matrix units, in shared memory) on every multiprocessor
// at once.
#pragma once

#include <memory>
#include <string>

#include "device_workload.h"
#include "elements.h"

namespace pibench::cuda {

struct PeakParameters {
  Place place;
  Element element;
  std::string engine;     // empty: the most capable
  double operations = 0;  // of one call, all multiprocessors together
};

// Throws std::invalid_argument where there is no such loop, or where a call cannot do exactly so many
// operations.
std::unique_ptr<Workload> make_peak_workload(const PeakParameters& parameters);

}  // namespace pibench::cuda
