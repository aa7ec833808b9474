#include "bandwidth.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../../kernels/cpu/buffer.h"
#include "../../kernels/cpu/cache_sizes.h"
#include "../../kernels/cpu/memory/dispatch.h"
#include "../cache_flush.h"
#include "../measure/clock.h"
#include "../threads/team.h"

namespace pibench::memory {
namespace {

constexpr std::size_t kLine = 64;

// One member's part, on lines of its own.
struct Share {
  const double* first;
  std::size_t count;
};

class Reader {
 public:
  Reader(std::size_t bytes, Team& team)
      : team_(team),
        members_(static_cast<std::size_t>(team.size())),
        step_(std::max<std::size_t>(1, bytes / members_ / kLine) * kLine),
        buffer_(step_ * members_),
        read_(kernels::memory::kernels_named("").read),
        sums_(members_ * kLine / sizeof(std::uint64_t)) {
    team_.run(
        [](void* self, int member) {
          auto& reader = *static_cast<Reader*>(self);
          std::byte* first = reader.buffer_.data() + static_cast<std::size_t>(member) * reader.step_;
          std::fill_n(reinterpret_cast<double*>(first), reader.step_ / sizeof(double), 1.0);
        },
        this);
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return step_ * members_; }

  Nanoseconds timed_passes(int passes) noexcept {
    passes_ = passes;
    const Nanoseconds begin = now();
    team_.run(
        [](void* self, int member) {
          auto& reader = *static_cast<Reader*>(self);
          const Share share = reader.share_of(member);
          std::uint64_t sum = 0;
          for (int pass = 0; pass < reader.passes_; ++pass) sum += reader.read_(share.first, share.count);
          // Kept, so that nobody may leave the reading out.
          reader.sums_[static_cast<std::size_t>(member) * (kLine / sizeof(std::uint64_t))] = sum;
        },
        this);
    return now() - begin;
  }

  void evict() noexcept {
    team_.run(
        [](void* self, int member) {
          const Share share = static_cast<Reader*>(self)->share_of(member);
          flush(reinterpret_cast<const std::byte*>(share.first), share.count * sizeof(double));
        },
        this);
  }

 private:
  [[nodiscard]] Share share_of(int member) const noexcept {
    const std::byte* first = buffer_.data() + static_cast<std::size_t>(member) * step_;
    return {reinterpret_cast<const double*>(first), step_ / sizeof(double)};
  }

  Team& team_;
  std::size_t members_;
  std::size_t step_;
  kernels::Buffer buffer_;
  kernels::memory::ReadPass read_;
  std::vector<std::uint64_t> sums_;
  int passes_ = 1;
};

}  // namespace

Bandwidth measure_read(std::size_t bytes, bool cold, Team& team) {
  constexpr int kBursts = 8;
  constexpr Nanoseconds kLeast = 1'000'000;
  // Four times the last cache keeps next to nothing of itself in it.
  const auto most = static_cast<std::size_t>(4 * kernels::cache_sizes().l3);
  Reader reader(std::min(bytes, std::max<std::size_t>(most, kLine)), team);

  int passes = 1;
  while (!cold && reader.timed_passes(passes) < kLeast) passes *= 2;
  double best = 0;
  for (int i = 0; i < kBursts; ++i) {
    if (cold) reader.evict();
    const auto seconds = static_cast<double>(reader.timed_passes(passes)) * 1e-9;
    best = std::max(best, static_cast<double>(reader.bytes()) * passes / seconds);
  }
  return {best, static_cast<double>(reader.bytes())};
}

}  // namespace pibench::memory
