// How the rows of a block are cut into strips for the micro-kernel.
#pragma once

#include <algorithm>
#include <cstdint>

#include "partition.h"

namespace pibench::kernels {

// Cuts rows into strips of near-equal height, at most `most`, rather than whole ones and a rest: a low strip
// has too few independent sums to fill the pipelines. They are cut at multiples of `multiple`, and the last
// ones are the higher, so that of at least so many rows none has fewer. Without a division for each.
class Strips {
 public:
  Strips(std::int64_t rows, std::int64_t most, std::int64_t multiple) noexcept
      : rows_(rows), multiple_(multiple) {
    const std::int64_t units = ceil_div(rows, multiple);
    count_ = ceil_div(rows, most);
    units_ = units / count_;
    lower_ = count_ - units % count_;
    settle();
  }
  [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  [[nodiscard]] bool done() const noexcept { return row_ >= rows_; }
  [[nodiscard]] std::int64_t row() const noexcept { return row_; }
  [[nodiscard]] std::int64_t height() const noexcept { return height_; }
  void next() noexcept { skip(1); }
  // How many follow each other, from this one on, of its height, where they are cut at any row.
  [[nodiscard]] std::int64_t alike() const noexcept {
    return lower_ >= 0 ? lower_ + 1 : (rows_ - row_) / height_;
  }
  // Beyond so many of these.
  void skip(std::int64_t count) noexcept {
    row_ += count * height_;
    lower_ -= count - 1;
    settle();
  }

 private:
  void settle() noexcept {
    const std::int64_t units = units_ + (lower_-- > 0 ? 0 : 1);
    height_ = std::min(units * multiple_, rows_ - row_);
  }

  std::int64_t rows_, multiple_;
  std::int64_t count_ = 0;
  std::int64_t units_ = 0, lower_ = 0;  // the first `lower_` strips have so many units, the others one more
  std::int64_t row_ = 0, height_ = 0;
};

}  // namespace pibench::kernels
