// Seeded data for workloads.
#pragma once

#include <cstdint>

namespace pibench {

// A counter-based generator (Steele, Lea & Flood 2014, SplitMix64): element i of a stream depends on nothing
// but the stream and i, so any member of a team can fill any part.
inline std::uint64_t draw(std::uint64_t stream, std::uint64_t i) noexcept {
  std::uint64_t z = stream + (i + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace pibench
