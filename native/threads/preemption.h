// Knows, without a system call, whether the calling thread was taken off its CPU since it was last armed.
//
// Linux clears a thread's registered `rseq_cs` pointer whenever it preempts the thread, migrates it or
// delivers a signal to it outside of a restartable sequence (uapi/linux/rseq.h documents the clearing). A
// pointer to a sequence that never runs therefore works as a trip wire: set it, do the work, and see whether
// it is still there. Arming and reading are one store and one load of thread-local memory.
//
// It errs on one side only: the kernel may clear the pointer on other returns to user space too (seen now
// and then on an idle machine), so a trip means "perhaps disturbed", and no trip means "not disturbed". A
// sleep or a system call that blocks trips it as well.
#pragma once

#include <cstdint>

namespace pibench {

class PreemptionWire {
 public:
  // True where the C library registered rseq for this thread (glibc 2.35 and later, Linux 4.18 and later).
  static bool available() noexcept;
  // Sets the wire for the calling thread.
  static void arm() noexcept;
  // True when the wire was tripped since arm(). Does not set it again. False where it is not available.
  static bool tripped() noexcept;
  // Removes the wire: must be called before the library that holds this code is unloaded.
  static void disarm() noexcept;

  // The wire of the thread that asks for it, found once, for who looks at it between two readings of the
  // clock, or often.
  class OfThread {
   public:
    void arm() noexcept {
      if (wire_ != nullptr) *wire_ = armed_;
    }
    // True when it was tripped since it was set; sets it again then.
    bool rearm() noexcept {
      if (wire_ == nullptr || *wire_ != 0) return false;
      *wire_ = armed_;
      return true;
    }
    // For who waits for something and looks for it again and again: whether it is there. Until a look in vain
    // nobody missed this thread, so what tripped the wire before one is forgotten. Where it is there the wire
    // tells of the time since the look before.
    template <typename Look>
    bool found(const Look& look) noexcept {
      // Set before the look: it may come while this thread is away between the look and that.
      const bool was_tripped = rearm();
      if (!look()) return false;
      if (was_tripped) *wire_ = 0;
      return true;
    }

   private:
    friend class PreemptionWire;
    volatile std::uint64_t* wire_ = nullptr;  // null: not available; volatile: the kernel writes it
    std::uint64_t armed_ = 0;
  };
  static OfThread of_thread() noexcept;
};

}  // namespace pibench
