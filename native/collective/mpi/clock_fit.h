// Between hosts: what a rank's clock has to be given so that it is that of rank 0. Pure.
#pragma once

#include <span>
#include <vector>

#include "../../measure/clock.h"

namespace pibench::collective {

// One comparison with rank 0's clock: at `at` of the rank's own clock, rank 0's was `offset` ahead, and the
// truth is nowhere further than `uncertainty` from that, which is half of the message's way there and back.
struct ClockAnchor {
  Nanoseconds at = 0;
  double offset = 0;
  double uncertainty = 0;
};

// rank 0's clock = own + offset + drift * (own - anchor)
struct ClockModel {
  Nanoseconds anchor = 0;
  double offset = 0;
  double drift = 0;
  double uncertainty = 0;        // at the anchor, nanoseconds
  double drift_uncertainty = 0;  // nanoseconds a nanosecond from there on

  [[nodiscard]] Nanoseconds of_rank_0(Nanoseconds own) const noexcept;
  // So long after the anchor.
  [[nodiscard]] double uncertainty_after(Nanoseconds time) const noexcept;
};

// A message that went out at `sent` and whose answer came at `came`, both on rank 0's clock; in between the
// rank read `there` on its own.
ClockAnchor anchor_of(Nanoseconds sent, Nanoseconds there, Nanoseconds came) noexcept;

// A line through the anchors, each weighing by its certainty; only an offset where they lie too close
// together to tell a drift better than what quartzes keep to. Anchored at the last of them, of which there
// must be one.
ClockModel fit_clock(std::span<const ClockAnchor> anchors) noexcept;

}  // namespace pibench::collective
