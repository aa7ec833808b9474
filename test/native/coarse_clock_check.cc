// A clock whose step is longer than all that is read of it at first. Time is the check's own.
#include <cmath>
#include <stdexcept>
#include <string>

#include "../../native/measure/clock.h"
#include "check.h"
#include "fake_clock.h"

namespace {

using pibench::test::Checks;

// As a kernel without a finer clock has it that counts a hundred interrupts a second. The reader is kept from
// its CPU for three of them at first.
void check_interrupts(Checks& check, std::uint64_t first) {
  static constexpr std::uint64_t kReadingsOfStep = 200'000;
  static constexpr pibench::Nanoseconds kStep = 10'000'000;
  static std::uint64_t late = 0;
  late = first;
  pibench::test::on_reading = [](std::uint64_t reading) {
    if (reading == late) pibench::test::fake_now += 4 * kStep;
    if (reading > late && reading % kReadingsOfStep == kReadingsOfStep - 1) pibench::test::fake_now += kStep;
  };
  const double resolution = pibench::measure_clock().resolution_seconds;
  check.that(std::abs(resolution / 0.01 - 1) < 1e-9,
             "a clock that seldom moves has the step in which it does", std::to_string(resolution));
}

void check_standstill(Checks& check) {
  pibench::test::on_reading = [](std::uint64_t) {};
  check.throws<std::runtime_error>([] { static_cast<void>(pibench::measure_clock()); },
                                   "one that never moves is none, and nobody waits for it for ever");
}

}  // namespace

int main() {
  Checks check;
  check_interrupts(check, 199'999);
  check_interrupts(check, pibench::test::readings + 1000);
  check_standstill(check);
  return check.finish();
}
