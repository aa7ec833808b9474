#include "clock_fit.h"

#include <algorithm>
#include <cmath>

namespace pibench::collective {
namespace {

// What the quartzes of two hosts, and the services that keep them on time, differ by at most.
constexpr double kMostDrift = 1e-4;

}  // namespace

Nanoseconds ClockModel::of_rank_0(Nanoseconds own) const noexcept {
  return own + std::llround(offset + drift * static_cast<double>(own - anchor));
}

double ClockModel::uncertainty_after(Nanoseconds time) const noexcept {
  return uncertainty + drift_uncertainty * static_cast<double>(time);
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
  // The line does not have to be better than the worst of what it was made of: its ends may both be off by
  // that.
  double uncertainty = 0;
  for (const ClockAnchor& one : anchors) uncertainty = std::max(uncertainty, one.uncertainty);
  const auto span = static_cast<double>(last.at - anchors.front().at);
  const double of_drift = span > 0 ? 2 * uncertainty / span : kMostDrift;
  if (of_drift >= kMostDrift) return {last.at, last.offset, 0, last.uncertainty, kMostDrift};
  double both = 0;
  double square = 0;
  for (const ClockAnchor& one : anchors) {
    const double weight = 1 / std::max(1.0, one.uncertainty * one.uncertainty);
    const double time = static_cast<double>(one.at - last.at) - mean_time;
    both += weight * time * (one.offset - mean_offset);
    square += weight * time * time;
  }
  const double drift = both / square;
  return {last.at, mean_offset - drift * mean_time, drift, uncertainty, of_drift};
}

}  // namespace pibench::collective
