// The clock that the calling thread's CPU really runs at.
#pragma once

namespace pibench {

// Hertz, from a chain of dependent instructions of a known latency. Takes about half a millisecond.
//
// x86-64: 64-bit multiplies, each of which takes three cycles on every core of the last fifteen years. A
// chain of additions would not do: recent cores fold immediate additions at rename and run it faster than the
// clock.
//
// arm64: exclusive-ors of two registers, one cycle each in the optimization guides of Arm's own cores; the
// latency of multiplies differs from core to core. Not yet confirmed on hardware: where the latency were
// another, the result would be wrong by that factor, and its changes over time still right.
//
// 0 on other architectures.
double effective_frequency() noexcept;

}  // namespace pibench
