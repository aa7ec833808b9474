#include "clock_fit.h"

#include <algorithm>
#include <cmath>

namespace pibench::collective {
namespace {

// Over less than this, the uncertainty of offsets is larger than any drift of a quartz.
constexpr Nanoseconds kLeastSpan = 20'000'000;

}  // namespace

Nanoseconds ClockModel::of_rank_0(Nanoseconds own) const noexcept {
  return own + std::llround(offset + drift * static_cast<double>(own - anchor));
}

ClockAnchor anchor_of(Nanoseconds sent, Nanoseconds there, Nanoseconds came) noexcept {
  const double half = static_cast<double>(came - sent) / 2;
  return {there, static_cast<double>(sent - there) + half, half};
}

ClockModel fit_clock(std::span<const ClockAnchor> anchors) noexcept {
  const ClockAnchor& last = anchors.back();
  double weights = 0;
  double times = 0;
  double offsets = 0;
  for (const ClockAnchor& one : anchors) {
    const double weight = 1 / std::max(1.0, one.uncertainty * one.uncertainty);
    weights += weight;
    times += weight * static_cast<double>(one.at - last.at);
    offsets += weight * one.offset;
  }
  const double mean_time = times / weights;
  const double mean_offset = offsets / weights;
  if (last.at - anchors.front().at < kLeastSpan) {
    const ClockAnchor& best = *std::ranges::min_element(anchors, {}, &ClockAnchor::uncertainty);
    return {last.at, best.offset, 0, best.uncertainty};
  }
  double both = 0;
  double square = 0;
  for (const ClockAnchor& one : anchors) {
    const double weight = 1 / std::max(1.0, one.uncertainty * one.uncertainty);
    const double time = static_cast<double>(one.at - last.at) - mean_time;
    both += weight * time * (one.offset - mean_offset);
    square += weight * time * time;
  }
  const double drift = both / square;
  // The line does not have to be better than the worst of what it was made of.
  double uncertainty = 0;
  for (const ClockAnchor& one : anchors) uncertainty = std::max(uncertainty, one.uncertainty);
  return {last.at, mean_offset - drift * mean_time, drift, uncertainty};
}

}  // namespace pibench::collective
