// How a rank waits for a message: it asks again and again, since a library makes progress only when it is
// asked; offers its CPU, at once where ranks share CPUs; and naps where nothing is being measured.
#pragma once

#include <sched.h>
#include <unistd.h>

#include <limits>

#include "../../measure/clock.h"
#include "../../threads/pause.h"

namespace pibench::collective {

class Wait {
 public:
  static constexpr Nanoseconds kForever = std::numeric_limits<Nanoseconds>::max();

  // `patience`: of each wait, the longest. `naps`: nobody minds when it is noticed a millisecond late.
  Wait(bool crowded, Nanoseconds patience, bool naps)
      : spins_(crowded ? 16 : 4000), patience_(patience), naps_(naps) {}

  void begin() noexcept {
    asked_ = 0;
    since_ = 0;
  }
  // Called when what is waited for has not come. False: it is no use to ask again.
  [[nodiscard]] bool again() noexcept {
    if (++asked_ <= spins_) {
      pause_cpu();
      return true;
    }
    sched_yield();
    const Nanoseconds at = now();
    if (since_ == 0) since_ = at;
    if (naps_ && at - since_ > kAwake) usleep(kNapMicroseconds);
    return at - since_ < patience_;
  }

 private:
  static constexpr Nanoseconds kAwake = 20'000'000;
  static constexpr unsigned kNapMicroseconds = 500;

  int spins_;
  Nanoseconds patience_;
  bool naps_;
  int asked_ = 0;
  Nanoseconds since_ = 0;
};

}  // namespace pibench::collective
