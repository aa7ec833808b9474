// Time that a check program sets itself, so that what depends on time can be checked to the nanosecond on any
// machine. Including this file replaces the clock for pi-bench's own code in the program; hidden, so that the C++
// library, and with it the team's waits, keep the real one.
#pragma once

#include <ctime>

#include "../../native/measure/clock.h"

namespace pibench::test {

inline Nanoseconds fake_now = 1'000'000'000;

}  // namespace pibench::test

// A name of the C library, with its signature.
extern "C" __attribute__((visibility("hidden"))) int clock_gettime(clockid_t /*clock*/,
                                                                   timespec* time) noexcept {
  constexpr pibench::Nanoseconds kSecond = 1'000'000'000;
  *time = {pibench::test::fake_now / kSecond, pibench::test::fake_now % kSecond};
  return 0;
}
