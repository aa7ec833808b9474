// How the rows of a block are cut into strips for the micro-kernel, and in which order these are taken.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "partition.h"

namespace pibench::kernels {

// Strips of one height that follow each other: each begins `step` rows after the one before, or, where that
// is negative, before it.
struct StripRun {
  std::int64_t row, height, count, step;
};

// In which order strips are taken: from the first to the last, or the upper half like this and then from the
// last one back up.
//
// A stride prefetcher learns from the stores of tiles how far it is from a strip to the next, and runs on by
// some: beyond the last one into rows that another member of the team writes, which then misses lines that
// were its own. Where the last strips are taken from the end, what lies beyond those taken before is one's
// own.
enum class StripOrder : std::uint8_t { down, to_the_middle };

// Cuts rows into strips of near-equal height, at most `most`, rather than whole ones and a rest: a low strip
// has too few independent sums to fill the pipelines. They are cut at multiples of `multiple`, and the last
// ones are the higher, so that of at least so many rows none has fewer. What there is to iterate over are the
// runs of strips of one height.
class Strips {
 public:
  Strips(std::int64_t rows, std::int64_t most, std::int64_t multiple, StripOrder order) noexcept
      : rows_(rows), count_(ceil_div(rows, most)) {
    const std::int64_t units = ceil_div(rows, multiple);
    low_ = units / count_ * multiple;
    high_ = low_ + multiple;
    lower_ = count_ - units % count_;
    whole_ = row_of(count_) > rows ? count_ - 1 : count_;
    const std::int64_t half = order == StripOrder::down ? count_ : count_ / 2;
    add_down(half);
    if (half < count_) add_up(half);
  }
  [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  // Of the first.
  [[nodiscard]] std::int64_t height() const noexcept { return runs_[0].height; }
  [[nodiscard]] const StripRun* begin() const noexcept { return runs_.data(); }
  [[nodiscard]] const StripRun* end() const noexcept { return runs_.data() + runs_count_; }

  // Of two heights, of which one is in both halves, and of the last strip, where it is lower.
  static constexpr std::size_t kMostRuns = 4;

 private:
  // Where the i-th begins, if all are whole.
  [[nodiscard]] std::int64_t row_of(std::int64_t i) const noexcept {
    return i <= lower_ ? i * low_ : lower_ * low_ + (i - lower_) * high_;
  }
  void add(const StripRun& run) noexcept {
    if (run.count > 0) runs_.at(runs_count_++) = run;
  }

  // From the first one to before `end`.
  void add_down(std::int64_t end) noexcept {
    const std::int64_t whole = std::min(end, whole_);
    const std::int64_t low = std::min(lower_, whole);
    add({0, low_, low, low_});
    add({low * low_, high_, whole - low, high_});
    add_rest(end - whole);
  }

  // From the last one up to `first`.
  void add_up(std::int64_t first) noexcept {
    add_rest(count_ - whole_);
    const std::int64_t low = std::clamp(lower_, first, whole_);
    add({row_of(whole_ - 1), high_, whole_ - low, -high_});
    add({(low - 1) * low_, low_, low - first, -low_});
  }

  // The last one, where the rows end within it.
  void add_rest(std::int64_t count) noexcept { add({row_of(whole_), rows_ - row_of(whole_), count, 0}); }

  std::int64_t rows_, count_;
  std::int64_t whole_ = 0;                       // so many are as high as others
  std::int64_t low_ = 0, high_ = 0, lower_ = 0;  // the first `lower_` have so many rows, the others more
  std::array<StripRun, kMostRuns> runs_{};
  std::size_t runs_count_ = 0;
};

}  // namespace pibench::kernels
