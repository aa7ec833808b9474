// What the ranks write to each other: flags, lines and numbers, each written by one rank only, on cache lines
// of their own. It lies in memory that all of them share and holds no pointers.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../../measure/clock.h"
#include "../problem.h"

namespace pibench::collective {

inline constexpr int kMostRanks = 256;
inline constexpr int kBarrierRounds = 8;  // log2 of kMostRanks
// Payload and flag in one line: what arrives has arrived whole.
inline constexpr std::size_t kLinePayload = kLineBytes - sizeof(std::uint64_t);
// Past 8 KiB nobody would take them: everybody reads all that everybody gives.
inline constexpr std::size_t kMostLines = 148;
inline constexpr std::size_t kMostLinesPayload = kMostLines * kLinePayload;

struct alignas(kLineBytes) Flag {
  std::atomic<std::uint64_t> value{0};
};

struct alignas(kLineBytes) Line {
  std::array<std::byte, kLinePayload> payload;
  std::atomic<std::uint64_t> flag{0};
};

struct alignas(kLineBytes) Said {
  std::atomic<Nanoseconds> value{0};
  std::atomic<std::uint64_t> flag{0};
};

// One rank's. All but `arrived` is written by that rank alone; arrived[k] by the rank that is 2^k before it.
struct RankBoard {
  std::array<Flag, kBarrierRounds> arrived;
  // Twofold: a rank writes the second set while others may still read the first.
  std::array<std::array<Line, kMostLines>, 2> lines;
  std::array<Said, 2> said;
};

// Why the ranks stopped waiting.
enum class Loss : std::uint32_t { none, late, ended };

struct Board {
  alignas(kLineBytes) std::atomic<Loss> loss{Loss::none};
  std::atomic<int> lost{-1};     // the rank that others waited for
  std::atomic<int> waiting{-1};  // the rank that waited
};

}  // namespace pibench::collective
