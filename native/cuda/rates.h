// The ceilings of a device: what its arithmetic reaches in registers, and what reading its memory gives.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "elements.h"
#include "event_clock.h"
#include "session.h"

namespace pibench::cuda {

// Seconds of what `enqueue` puts on the stream, 0 where the device failed.
template <typename Enqueue>
double timed(EventClock& clock, Enqueue enqueue) {
  static_cast<void>(clock.group(1));
  Sample sample{clock.begin(), 0};
  enqueue();
  sample.exit = clock.end();
  return clock.collect({&sample, 1}) ? static_cast<double>(sample.exit - sample.entry) * 1e-9 : 0;
}

// The descriptor of the loop for a type on this device: of the engine named, or with "" of the most capable
// one. Null where there is none.
const kernels::cuda::Peak* peak_loop(Element element, unsigned capability, const std::string& engine);
const char* name_of(kernels::cuda::Engine engine);
// Nothing where none has the name.
std::optional<kernels::cuda::Engine> engine_named(const std::string& name);

// A loop on a device, and the sums that its blocks left.
class PeakLoop {
 public:
  // Throws what Session throws.
  PeakLoop(Session& session, const kernels::cuda::Peak& peak);
  void enqueue(std::uint32_t iterations) noexcept;
  // Operations of all blocks.
  [[nodiscard]] double operations(std::uint32_t iterations) const noexcept;
  // The sums, one of each block, as they stand after the last call.
  [[nodiscard]] std::vector<std::uint64_t> sums();
  void clear() noexcept;
  // Iterations with which a call takes about so long.
  std::uint32_t iterations_for(EventClock& clock, double seconds);

 private:
  Session& session_;
  const kernels::cuda::Peak& peak_;
  Kernel kernel_;
  Kernel pattern_;
  DeviceMemory memory_;
};

// What such a device has that may multiply faster than this loop, by its name: a more capable engine of which
// there is a loop too, and from 10.0 to 11.0 the instruction (tcgen05) by which the matrix units are reached
// at their full rate, of which mma has a part and which no kernel here has.
std::vector<std::string> unused_instructions(const kernels::cuda::Peak& peak, unsigned capability);

// Whether that is nothing.
bool is_ceiling(const kernels::cuda::Peak& peak, unsigned capability);

// The best rate of some short bursts, in operations per second. 0 where there is no loop for the type, or
// none that is a ceiling, where the device fails and where a block's sums are wrong.
double measure_peak(Session& session, EventClock& clock, Element element, std::string& engine);

// The best rate of reading `bytes` over and over, in bytes per second. 0 where the memory is not there, where
// a burst did not find all that lies in it, as a part of it is no ceiling, and where a pass takes less than
// some launches of nothing: that would be the time of a launch, and memory that small can be read faster.
double measure_read(Session& session, EventClock& clock, std::size_t bytes);

}  // namespace pibench::cuda
