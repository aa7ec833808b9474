// Time that a check program sets itself, so that what depends on time can be checked to the nanosecond on any
// machine. Including this file replaces the C library's clock in the program; a team of several members,
// which spins for a time, must not be part of it.
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>

#include "../../native/measure/clock.h"

namespace pibench::test {

inline Nanoseconds fake_now = 1'000'000'000;

// Readings of the clock so far, and what happens during each.
inline std::uint64_t readings = 0;
inline std::function<void(std::uint64_t reading)> on_reading = [](std::uint64_t) {};

}  // namespace pibench::test

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the other names are reserved
extern "C" int clock_gettime(clockid_t /*clock*/, timespec* time) noexcept {
  pibench::test::on_reading(pibench::test::readings++);
  constexpr pibench::Nanoseconds kSecond = 1'000'000'000;
  *time = {pibench::test::fake_now / kSecond, pibench::test::fake_now % kSecond};
  return 0;
}
