// How a rank waits for another: it spins, then offers its CPU, at once where there are more ranks than CPUs,
// because whom it waits for may need this very one. A wait that takes too long, or that another rank gave up,
// ends without.
#pragma once

#include <sched.h>

#include <functional>

#include "../../threads/pause.h"
#include "../../threads/preemption.h"
#include "board.h"

namespace pibench::collective {

class Waiter {
 public:
  // `patience`: the longest wait. `look`: called some hundred times a second while waiting, by a rank that
  // watches over others.
  Waiter(Board& board, int rank, bool crowded, Nanoseconds patience, std::function<void()> look)
      : board_(board), rank_(rank), spins_(crowded ? 8 : 4000), patience_(patience), look_(std::move(look)) {}

  // Until done(), or until it makes no sense to wait any longer for that rank.
  template <typename Done>
  void until(const Done& done, int whom) noexcept {
    if (done()) return;
    const Nanoseconds begin = watching_ ? now() : 0;
    wait(done, whom);
    if (watching_) waited_ += now() - begin;
  }

  void watch(bool on) noexcept {
    watching_ = on;
    waited_ = 0;
  }
  [[nodiscard]] Nanoseconds waited() const noexcept { return waited_; }
  // While it forgives, a rank that has no CPU while it waits has not lost it, as long as whom it waits for
  // has not come either. What tripped its wire before a wait it does not forgive: that may be why others
  // wait.
  void forgive(bool on) noexcept { forgives_ = on; }
  [[nodiscard]] bool abandoned() const noexcept {
    return board_.loss.load(std::memory_order_acquire) != Loss::none;
  }
  // The first reason stays.
  void abandon(Loss why, int whom) noexcept {
    int nobody = -1;
    if (!board_.lost.compare_exchange_strong(nobody, whom, std::memory_order_acq_rel)) return;
    board_.waiting.store(rank_, std::memory_order_relaxed);
    board_.loss.store(why, std::memory_order_release);
  }

 private:
  template <typename Done>
  void wait(const Done& done, int whom) noexcept {
    // A pause takes up to 140 cycles, in which what is waited for may have come: so several looks for each.
    constexpr int kLooks = 16;
    const bool forgives = forgives_ && !PreemptionWire::tripped();
    for (int i = 0; i < spins_; ++i) {
      for (int look = 0; look < kLooks; ++look) {
        if (done()) return;
      }
      pause_cpu();
    }
    constexpr Nanoseconds kLookEvery = 5'000'000;
    PreemptionWire::OfThread wire = PreemptionWire::of_thread();
    const Nanoseconds begin = now();
    for (Nanoseconds next = begin + kLookEvery; !(forgives ? wire.found(done) : done()) && !abandoned();) {
      sched_yield();
      const Nanoseconds at = now();
      if (at < next) continue;
      next = at + kLookEvery;
      if (look_) look_();
      if (at - begin > patience_) abandon(Loss::late, whom);
    }
  }

  Board& board_;
  int rank_;
  int spins_;
  Nanoseconds patience_;
  std::function<void()> look_;
  bool watching_ = false;
  bool forgives_ = false;
  Nanoseconds waited_ = 0;
};

}  // namespace pibench::collective
