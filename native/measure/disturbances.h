// Which repetitions were disturbed: whether a measuring thread was taken off its CPU between the two readings
// of the clock that they lie between.
#pragma once

#include <cstdint>

#include "../threads/preemption.h"
#include "../threads/team.h"

namespace pibench {

// Where a repetition begins with the reading that ended the one before, what happens while the clock is read
// may lie on either side of that moment, and counts for both.
class Disturbances {
 public:
  // For the calling thread and the other members.
  explicit Disturbances(const Team& team) noexcept
      : team_(team), has_others_(team.size() > 1), wire_(PreemptionWire::of_thread()) {}

  // Before the first reading of a repetition that has one of its own.
  void begin() noexcept {
    static_cast<void>(others_disturbed());
    about_reading_ = false;
    wire_.arm();
  }

  // Before the reading that ends a repetition and begins the next: what happened until now is this one's.
  void before_shared_reading() noexcept { inside_ = wire_.rearm(); }

  // After the reading that ends a repetition: whether it was disturbed.
  [[nodiscard]] bool after_reading() noexcept {
    const bool about_first = about_reading_;
    about_reading_ = wire_.rearm();
    const bool others = others_disturbed();
    return about_first || inside_ || about_reading_ || others;
  }

 private:
  // Since it was last asked. Other members end their runs before the clock is read, and rest then.
  bool others_disturbed() noexcept {
    if (!has_others_) return false;
    const std::uint64_t before = seen_;
    seen_ = team_.disturbances();
    return seen_ != before;
  }

  const Team& team_;
  const bool has_others_;
  PreemptionWire::OfThread wire_;
  std::uint64_t seen_ = 0;
  bool inside_ = false;
  bool about_reading_ = false;
};

}  // namespace pibench
