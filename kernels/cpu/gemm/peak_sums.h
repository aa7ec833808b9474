// What a peak loop's sums must be at its end. Everything is in an unnamed namespace, as in avx512_tile.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace pibench::kernels {
namespace {

// Whether a sum that began at 0 and grew by `step` in each iteration tells that there were so many. Integers
// wrap around. A float is exact as far as its digits count; what more makes of it is up to how an instruction
// rounds between its products, so there it is only known to have come so far.
template <typename Sum>
constexpr bool counts(Sum sum, std::uint64_t iterations, std::uint32_t step) noexcept {
  const std::uint64_t total = iterations * step;
  if constexpr (std::is_integral_v<Sum>) {
    return static_cast<std::make_unsigned_t<Sum>>(sum) == static_cast<std::make_unsigned_t<Sum>>(total);
  } else {
    constexpr std::uint64_t kExact = std::uint64_t{1}
                                     << static_cast<unsigned>(std::numeric_limits<Sum>::digits);
    return total <= kExact ? sum == static_cast<Sum>(total) : sum >= static_cast<Sum>(kExact);
  }
}

template <typename Sum>
[[gnu::noinline]] bool all_count(const Sum* sums, std::size_t lanes, std::uint64_t iterations,
                                 std::uint32_t step) noexcept {
  bool right = true;
  for (std::size_t lane = 0; lane < lanes; ++lane) right = right && counts(sums[lane], iterations, step);
  return right;
}

// Whether all lanes of all chains do. Stored first and read in a function of its own: compared in place,
// lanes make the compiler keep chains in memory while the loop runs.
template <typename Sum, typename Vector, std::size_t chains>
[[gnu::always_inline]] inline bool all_count(const Vector (&sums)[chains], std::uint64_t iterations,
                                             std::uint32_t step) noexcept {
  constexpr std::size_t kLanes = sizeof(Vector) / sizeof(Sum);
  Sum lanes[chains * kLanes];
#pragma GCC unroll 24
  for (std::size_t chain = 0; chain < chains; ++chain) {
    const Vector sum = sums[chain];
    __builtin_memcpy(lanes + chain * kLanes, &sum, sizeof(sum));
  }
  return all_count(lanes, chains * kLanes, iterations, step);
}

}  // namespace
}  // namespace pibench::kernels
