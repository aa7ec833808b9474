// The clock that the calling thread's CPU really runs at.
#pragma once

namespace pibench {

// Hertz, from a chain of dependent 64-bit multiplies, each of which takes three cycles on every x86-64 core
// of the last fifteen years; 0 on other architectures, where the latency differs from core to core. Takes
// about half a millisecond. A chain of additions would not do: recent cores fold immediate additions at
// rename and run it faster than the clock.
double effective_frequency() noexcept;

}  // namespace pibench
