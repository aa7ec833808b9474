// What is measured: one call of an indicator on a stack and a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clock.h"

namespace pibench {

class DeviceClock;
class Team;
enum class FaultKind : std::uint8_t;

// When what is measured of a repetition began and ended, and whether a measuring thread lost its CPU
// meanwhile.
struct Timed {
  Nanoseconds entry, exit;
  bool disturbed;
};

// Of a workload that several ranks execute together.
struct RankTimes {
  std::size_t ranks = 0;
  // Of each repetition and rank, repetition by repetition, on one clock.
  std::vector<Nanoseconds> entries, exits;
  std::uint64_t late = 0;  // repetitions made again because a rank came too late for their common moment
  // Of one repetition, in seconds, observed beside the timed ones: what each rank did not spend waiting for
  // others, and how long the slowest took then. Empty and 0 where that is not known.
  std::vector<double> useful;
  double runtime = 0;
};

// Of a workload that makes calls of its parts beside the one that is timed: how long such a part took in each
// repetition.
struct PartTimes {
  std::string name;  // also of its array in the samples' file
  std::vector<Nanoseconds> times;
};

// From one moment to another.
struct Interval {
  Nanoseconds begin, end;
};

// Of a workload beside whose calls other threads read memory on purpose: how much, from when its repetitions
// began until the last of them had ended.
struct Traffic {
  std::size_t threads = 0;
  double bytes = 0;
  Interval window{};
  std::string by;  // the instruction set that reads
  // When one of them may have been off its CPU in that time: less was read then beside a repetition.
  std::vector<Interval> absences;
};

struct Verification {
  bool passed = false;
  std::string method;         // how it was compared: "reference" (every element), "freivalds"
  std::string tolerance;      // how the limit follows from type and shape, in words
  double worst_error = 0;     // largest error as a multiple of the limit; 1 is the limit; infinite for NaN
  std::uint64_t checked = 0;  // elements (reference) or rows (freivalds) that were compared
  std::uint64_t wrong = 0;    // of these, how many were beyond the limit
  std::string first_wrong;    // where the first of them is and what stood there; empty when there is none
};

// Of the output of all repetitions and of that of one more call, after the output was poisoned anew. What one
// repetition leaves out stands there from another; of one call everything is its own.
Verification with_one_call(const Verification& repetitions, const Verification& one);

// Where a result stands and how long one of its elements is.
struct Output {
  std::span<std::byte> bytes;
  std::size_t element;
};

// Of what moves data between ranks: passes of each rank over memory of its own, that load and store in the
// same proportion, and so many bytes in all as one call moves. 0: not known.
struct Moving {
  double bytes_per_second = 0;
  double bytes = 0;
  std::string by;  // "copy, streaming stores"
};

// Of its arithmetic peak, what share a call reached in looks at the two in turns; no turns: not asked for, or
// not known.
struct InTurns {
  double share = 0;
  std::uint64_t turns = 0;
};

// What bounds a call on this machine, with the threads that execute it, measured beside it.
struct Ceilings {
  double operations_per_second = 0;  // in registers only; 0: not known
  std::string instruction_set;       // that reaches it
  double bytes_per_second = 0;       // reading so much memory over and over; 0: not known
  double bytes = 0;
  Moving moving = {};
  InTurns in_turns = {};
  // What the device has for the data type that may be faster than the best loop in registers and is not used
  // by it, so that this is no ceiling; of who was told which loop to take, than that one. Nothing: not told.
  std::optional<std::vector<std::string>> unused_instructions = {};
};

// What a library that executes the calls says of itself, and what was seen of its threads.
struct LibraryReport {
  std::string version;  // empty: it does not say
  std::string chose;    // a core or an instruction set, in its own words; empty: it does not say
  std::string binding;  // of its threads: "each" to a CPU of its own, "together" to those of the case, "none"
};

class Workload {
 public:
  virtual ~Workload() = default;

  // Allocates, touches by the member that will use it, fills with seeded data, poisons the output.
  // Throws on failure.
  virtual void prepare() = 0;

  // One call; where there is a device_clock() it only enqueues it. Inside the timed region: no allocation,
  // and no system call beside those by which several threads wait for each other.
  virtual void run() noexcept = 0;

  // Returns when the calls that were made have ended, where run() only enqueues them: for who has no
  // device_clock() because it times several things at once.
  virtual void finish() noexcept {}

  // Several calls, back to back: what one repetition times.
  virtual void run_calls(std::uint64_t calls) noexcept {
    for (std::uint64_t call = 0; call < calls; ++call) run();
  }

  // Whether it does other things in a repetition than what is measured, and times that itself.
  [[nodiscard]] virtual bool times_itself() const { return false; }
  // What is measured of the calls that were just made; asked only where it times itself, because it is all of
  // them elsewhere. Nothing where they could not be finished: failure() says why.
  virtual std::optional<Timed> measured(const Timed& whole) noexcept { return whole; }
  [[nodiscard]] virtual std::string failure() const { return {}; }

  // Whether each call enqueues the same on the device, so that a group of them may be enqueued as it was
  // before without run().
  [[nodiscard]] virtual bool calls_alike() const { return false; }

  // Where every call must be timed by itself, however short it is.
  [[nodiscard]] virtual bool times_each_call() const { return false; }
  // Calls that have to run into each other in a repetition, however long they are.
  [[nodiscard]] virtual std::uint64_t least_calls() const { return 1; }

  // Repetitions begin, as many as this at most.
  virtual void begin_samples(std::uint64_t) {}
  // The last of them has ended just now.
  virtual void samples_taken() noexcept {}
  // They are over, and what is looked at around them has been: other calls may follow.
  virtual void end_samples() {}
  // After that; nothing where no other threads read.
  [[nodiscard]] virtual std::optional<Traffic> traffic() const { return std::nullopt; }
  // Null where there are no ranks.
  [[nodiscard]] virtual const RankTimes* rank_times() const { return nullptr; }
  [[nodiscard]] virtual std::span<const PartTimes> parts() const { return {}; }

  // Makes the next call go wrong, where the kind of fault is one of its own.
  virtual void inject(FaultKind) noexcept {}

  // For fault injection: what `run_again` repeats is so large a share of a call's work, exactly. After
  // `prepare`. Throws where the work cannot be divided so.
  virtual void prepare_again(double share);
  virtual void run_again() noexcept {}

  // Brings the operands out of the caches. Outside the timed region.
  virtual void evict() noexcept = 0;

  // Overwrites the output with a value that no right result has.
  virtual void poison() noexcept = 0;

  // Compares the output with a reference: what the calls since it was poisoned left there.
  virtual Verification verify() = 0;
  // Gives what a call reads other values in the same place, and prepares anew what was prepared of them: what
  // somebody kept of the calls before is then wrong. What cannot do that stays as it is. May throw.
  virtual void renew() {}
  // Whether that is not all of it, because one of these may have relied on what another left: `verify` also
  // makes a call of its own, and looks at what that one does.
  [[nodiscard]] virtual bool verifies_one_call() const { return false; }

  // Measures them, after the repetitions, in some tens of milliseconds; `cold` as the repetitions were.
  // Nothing where they mean nothing.
  virtual Ceilings ceilings(bool cold) {
    static_cast<void>(cold);
    return {};
  }

  // After `ceilings`: how fast their arithmetic is at this moment, in a burst of about so long, in operations
  // per second. 0: its sums are wrong. Nothing: it cannot be looked at between calls.
  virtual std::optional<double> glance_at_peak(Nanoseconds about) {
    static_cast<void>(about);
    return std::nullopt;
  }

  // The output, for fault injection, and for who computes it outside the addon.
  virtual Output output() noexcept = 0;

  // What a call reads, once it is prepared, in the indicator's order; nothing where no one else can read it.
  virtual std::vector<std::span<const std::byte>> inputs() noexcept { return {}; }

  // The memory of the host that calls work on, once it is prepared and touched; nothing where what its pages
  // are tells nothing.
  [[nodiscard]] virtual std::vector<std::span<const std::byte>> arrays() const { return {}; }

  // What executes a call, as the stack tells once the workload is prepared, and a library once it was called:
  // the instruction set of our kernel, a library's chosen path.
  [[nodiscard]] virtual std::string implementation() const = 0;

  // Of the library that executes it; nothing where our own kernels do.
  [[nodiscard]] virtual std::optional<LibraryReport> library() const { return std::nullopt; }

  // Finds the threads that a library made, once it has been called.
  virtual void find_library_threads() {}
  // The same, and binds them.
  virtual void bind_library_threads() {}

  // Kernel ids of the threads that execute it.
  [[nodiscard]] virtual std::vector<int> thread_ids();

  // Whether a repetition in which any of these threads lost its CPU is known; of a library's only the
  // caller's.
  [[nodiscard]] virtual bool every_thread_is_watched() const { return true; }

  // What times the calls where a device executes them; null: the loop reads the host's clock.
  virtual DeviceClock* device_clock() noexcept { return nullptr; }
  // What times them where there is none, measured: the host's, or another by which it times itself. Throws
  // std::runtime_error where the host's stands still; what fails on a device failure() tells.
  virtual NamedClock timing_clock() { return host_clock(); }

  // Whether the clock rates and the power of what executes it have come to rest under its load: the automatic
  // warm-up waits for that too.
  virtual bool settled() { return true; }

  // What a device did between two moments, its clock and what was seen of it, and what its counters count
  // since the launch began, as JSON; empty: no device. At the end, after verify.
  virtual std::string device_report(Nanoseconds begin, Nanoseconds end) {
    static_cast<void>(begin);
    static_cast<void>(end);
    return {};
  }

  // Of a launch that failed: what its devices' counters count since it began, in the shape of device_report;
  // empty: no device. An error may be the hardware's, and then this is what tells.
  virtual std::string fault_report() { return {}; }

  // The threads that fill and check, and, where our own kernels execute it, compute.
  virtual Team& team() noexcept = 0;
};

}  // namespace pibench
