// What is measured: one call of an indicator on a stack and a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace pibench {

class Team;

struct Verification {
  bool passed = false;
  std::string method;         // how it was compared: "reference" (every element), "freivalds"
  std::string tolerance;      // how the limit follows from type and shape, in words
  double worst_error = 0;     // largest error as a multiple of the limit; 1 is the limit; infinite for NaN
  std::uint64_t checked = 0;  // elements (reference) or rows (freivalds) that were compared
  std::uint64_t wrong = 0;    // of these, how many were beyond the limit
  std::string first_wrong;    // where the first of them is and what stood there; empty when there is none
};

// Where a result stands and how long one of its elements is.
struct Output {
  std::span<std::byte> bytes;
  std::size_t element;
};

// What bounds a call on this machine, with the threads that execute it, measured beside it.
struct Ceilings {
  double operations_per_second = 0;  // in registers only; 0: not known
  std::string instruction_set;       // that reaches it
  double bytes_per_second = 0;       // reading so much memory over and over; 0: not known
  double bytes = 0;
};

class Workload {
 public:
  virtual ~Workload() = default;

  // Allocates, touches by the member that will use it, fills with seeded data, poisons the output.
  // Throws on failure.
  virtual void prepare() = 0;

  // One call. Inside the timed region: no allocation, no system call.
  virtual void run() noexcept = 0;

  // Brings the operands out of the caches. Outside the timed region.
  virtual void evict() noexcept = 0;

  // Overwrites the output with a value that no right result has.
  virtual void poison() noexcept = 0;

  // Compares the output of the last call with a reference.
  virtual Verification verify() = 0;

  // Measures them, after the repetitions, in some tens of milliseconds; `cold` as the repetitions were.
  // Nothing where they mean nothing.
  virtual Ceilings ceilings(bool cold) {
    static_cast<void>(cold);
    return {};
  }

  // The output, for fault injection.
  virtual Output output() noexcept = 0;

  // What executes a call, as the stack tells once the workload is prepared: the instruction set of our
  // kernel, a library's chosen path.
  [[nodiscard]] virtual std::string implementation() const = 0;

  // The threads that execute it.
  virtual Team& team() noexcept = 0;
};

}  // namespace pibench
