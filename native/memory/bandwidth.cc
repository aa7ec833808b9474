#include "bandwidth.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "../../kernels/cpu/buffer.h"
#include "../../kernels/cpu/cache_sizes.h"
#include "../cache_flush.h"
#include "../measure/best_burst.h"
#include "../measure/clock.h"
#include "../measure/window.h"
#include "../threads/team.h"
#include "choice.h"
#include "portion.h"

namespace pibench::memory {
namespace {

constexpr std::size_t kLine = 64;

using kernels::memory::ReadPass;

class Reader {
 public:
  Reader(std::size_t bytes, bool cold, Team& team)
      : team_(team),
        pieces_(pieces_of(bytes / static_cast<std::size_t>(team.size()), cold)),
        piece_(std::max<std::size_t>(1, bytes / static_cast<std::size_t>(team.size()) / pieces_ / kLine) *
               kLine),
        portions_(static_cast<std::size_t>(team.size())),
        buffer_(portion_bytes() * portions_.size()) {
    for (Portion& portion : portions_) portion.expected.resize(pieces_);
    team_.run([](void* self, int member) { static_cast<Reader*>(self)->fill(member); }, this);
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return portion_bytes() * portions_.size(); }
  // Whose last piece is little of all: a member ends it after another one is through, when the bus is freer.
  [[nodiscard]] std::uint64_t fewest_passes() const noexcept { return (kPieces + pieces_ - 1) / pieces_; }

  // How long the members together take for so many passes of each over its portion, whoever makes how many of
  // them; nothing where a sum is wrong.
  std::optional<Nanoseconds> timed_passes(ReadPass read, std::uint64_t passes) {
    return time_together(team_, passes * pieces_, [&](int member, std::uint64_t first, std::uint64_t count) {
      const Portion& portion = portion_of(member);
      std::uint64_t found = 0;
      if (pieces_ == 1) {
        for (std::uint64_t pass = 0; pass < count; ++pass) found += read(portion.first, words());
        return found == portion.expected.front() * count;
      }
      std::uint64_t expected = 0;
      for (std::uint64_t unit = first; unit < first + count; ++unit) {
        const std::size_t piece = unit % pieces_;
        found += read(portion.first + piece * words(), words());
        expected += portion.expected[piece];
      }
      return found == expected;
    });
  }

  void evict() noexcept {
    team_.run(
        [](void* self, int member) {
          auto& reader = *static_cast<Reader*>(self);
          flush(reinterpret_cast<const std::byte*>(reader.portion_of(member).first), reader.portion_bytes());
        },
        this);
  }

 private:
  static constexpr std::size_t kPieces = 32;

  // A long pass is made in pieces, between which a member sees that another one is through with all of its
  // own; each is long beside the call that reads it, which from memory takes longer.
  static std::size_t pieces_of(std::size_t portion, bool cold) noexcept {
    const std::size_t least = std::size_t{1} << (cold ? 15U : 20U);
    return std::clamp<std::size_t>(portion / least, 1, kPieces);
  }

  Portion& portion_of(int member) noexcept { return portions_[static_cast<std::size_t>(member)]; }
  [[nodiscard]] std::size_t portion_bytes() const noexcept { return piece_ * pieces_; }
  // Of a piece.
  [[nodiscard]] std::size_t words() const noexcept { return piece_ / sizeof(double); }

  void fill(int member) noexcept {
    const std::uint64_t begin = static_cast<std::uint64_t>(member) * words() * pieces_;
    portion_of(member).fill(reinterpret_cast<double*>(buffer_.data()) + begin, words(), begin);
  }

  Team& team_;
  std::size_t pieces_;
  std::size_t piece_;  // bytes
  std::vector<Portion> portions_;
  kernels::Buffer buffer_;
};

// Bytes per second of the fastest burst; 0 where a sum was wrong.
double best_rate(Reader& reader, bool cold, ReadPass read) {
  constexpr std::uint64_t kMostPasses = std::numeric_limits<int>::max();
  // Of a cold cache the first pass is the only one.
  const std::uint64_t first = cold ? 1 : reader.fewest_passes();
  const BurstPlan plan{.first = first, .most = cold ? 1 : kMostPasses, .bursts = 8};
  const auto best = best_burst(plan, [&](std::uint64_t passes) {
    if (cold) reader.evict();
    return reader.timed_passes(read, passes);
  });
  if (!best) return 0;
  return static_cast<double>(reader.bytes()) * static_cast<double>(best->count) /
         (static_cast<double>(best->time) * 1e-9);
}

// Throws std::bad_alloc.
Bandwidth read_bursts(std::size_t bytes, bool cold, Team& team, std::span<const ReadPass> reads) {
  const int caches = std::min(kernels::last_caches(), team.size());
  const std::size_t part = part_to_read(bytes, kernels::cache_sizes(), caches, team.size());
  if (part == 0) return {};
  Reader reader(part, cold, team);
  double best = 0;
  for (const ReadPass read : reads) {
    const double rate = best_rate(reader, cold, read);
    if (rate == 0) return {};
    best = std::max(best, rate);
  }
  return {best, static_cast<double>(reader.bytes())};
}

std::vector<ReadPass> reads_here() {
  std::vector<ReadPass> reads;
  for (const Choice& choice : passes_wanted({kernels::memory::Operation::read, std::nullopt, "", 0}))
    reads.push_back(choice.kernels->read);
  return reads;
}

}  // namespace

std::size_t part_to_read(std::size_t bytes, const kernels::CacheSizes& caches, int last_caches,
                         int cores) noexcept {
  constexpr std::size_t kLeast = std::size_t{256} << 20U;
  // MOST_READ of src/indicators/matmul.ts: memory for it is counted.
  constexpr std::size_t kMostOfAll = std::size_t{1} << 31U;
  const std::size_t of_last = static_cast<std::size_t>(caches.l3) * static_cast<std::size_t>(last_caches);
  // The last need not repeat what the others hold, which of many cores may be more.
  const std::size_t of_all =
      of_last + static_cast<std::size_t>(caches.l1 + caches.l2) * static_cast<std::size_t>(cores);
  // Four times a cache keeps next to nothing of itself in it; of half as much, a cache that replaces what was
  // read longest ago does not either.
  const std::size_t part = std::min(std::max({kLeast, 4 * of_last, 2 * of_all}), kMostOfAll);
  if (bytes <= part) return bytes;
  return part >= 2 * of_all ? part : 0;
}

Bandwidth measure_read(std::size_t bytes, bool cold, Team& team) {
  return measure_read(bytes, cold, team, reads_here());
}

Bandwidth measure_read(std::size_t bytes, bool cold, Team& team, std::span<const ReadPass> reads) {
  try {
    return read_bursts(bytes, cold, team, reads);
  } catch (const std::bad_alloc&) {
    // What was measured before must not be lost for want of its ceiling.
    return {};
  }
}

}  // namespace pibench::memory
