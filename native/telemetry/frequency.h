// The clock that the calling thread's CPU really runs at.
#pragma once

#include <span>

#include "../measure/clock.h"

namespace pibench {

// How long a chain of dependent instructions took, and in how many cycles a core executes it at least.
struct ChainTime {
  double least_cycles;
  Nanoseconds took;
};

// Hertz: the highest that one of the chains shows. A core that needs more than a chain's least cycles, or is
// kept from it by its other hyperthread, makes that chain read low, and nothing makes one read high. 0 where
// none took any time.
double clock_of(std::span<const ChainTime> chains) noexcept;

// Hertz, from chains of dependent instructions. Takes about half a millisecond.
//
// x86-64: two chains. Additions and exclusive-ors of two registers in turn take one cycle each on every core
// of the published tables (Agner Fog's, uops.info); recent cores fold moves and additions of constants at
// rename, and run those faster than the clock, but nothing that needs the values of two registers. 64-bit
// multiplies take three cycles or more. On Intel's Core and AMD's Zen they take three, and are the steadier
// of the two, as they leave the units of additions to the core's other hyperthread. On others, as AMD's
// Bulldozer and Jaguar and Intel's Atoms, they take four to six and longer, and the first chain decides.
//
// arm64: exclusive-ors of two registers, one cycle each in the optimization guides of Arm's own cores; the
// latency of multiplies differs from core to core. Not yet confirmed on hardware: where the latency were
// another, the result would be wrong by that factor, and its changes over time still right.
//
// 0 on other architectures.
double effective_frequency() noexcept;

}  // namespace pibench
