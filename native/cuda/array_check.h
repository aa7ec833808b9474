// Are the elements of an array what they must be, exactly?
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <span>
#include <sstream>

#include "../measure/workload.h"
#include "../memory/elements.h"
#include "host_threads.h"

namespace pibench::cuda {

// What reading `count` elements of a stream of the memory indicator's data must find.
inline std::uint64_t sum_of_words(std::uint64_t stream, std::size_t count) {
  std::atomic<std::uint64_t> sum{0};
  on_threads(count, [&](std::size_t first, std::size_t share) {
    sum += memory::sum_of_words(stream, first, share);
  });
  return sum;
}

// `expected(i)` is element i. Bit for bit, so that poison is not taken for anything.
template <typename Expected>
Verification check_array(std::span<const double> array, const char* what, Expected expected) {
  Verification verification;
  verification.method = "reference";
  verification.tolerance = "exact, every element";
  verification.checked = array.size();
  std::mutex mutex;
  std::size_t first_place = array.size();
  on_threads(array.size(), [&](std::size_t first, std::size_t count) {
    std::size_t wrong = 0;
    std::size_t place = array.size();
    for (std::size_t i = first; i < first + count; ++i) {
      if (std::bit_cast<std::uint64_t>(array[i]) == std::bit_cast<std::uint64_t>(expected(i))) continue;
      if (wrong++ == 0) place = i;
    }
    if (wrong == 0) return;
    const std::scoped_lock lock(mutex);
    verification.wrong += wrong;
    first_place = std::min(first_place, place);
  });
  if (first_place < array.size()) {
    std::ostringstream text;
    text.precision(17);
    text << what << "[" << first_place << "] is " << array[first_place] << ", expected "
         << expected(first_place);
    verification.first_wrong = text.str();
  }
  verification.passed = verification.wrong == 0 && verification.checked > 0;
  verification.worst_error = verification.passed ? 0 : 1;
  return verification;
}

}  // namespace pibench::cuda
