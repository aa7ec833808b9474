// A verification's work in shares, which may be done at once: each whole rows, or whole products of a batch,
// so that the numbers are the same however many shares there are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "../measure/workload.h"

namespace pibench::matmul {

// What shares out: calls `part(first, end)` for ranges that make up [0, count), and returns when all are
// done. `each` is how many elements there are in one of the count. This one is for who may start no threads,
// as beside those that are measured.
struct AllInOne {
  void operator()(std::int64_t count, std::int64_t /*each*/, const auto& part) const {
    part(std::int64_t{0}, count);
  }
};

// Adds what was found in a later share.
inline void append(Verification& all, const Verification& later) {
  if (all.wrong == 0) all.first_wrong = later.first_wrong;
  all.passed = all.passed && later.passed;
  all.method = later.method;
  all.tolerance = later.tolerance;
  all.worst_error = std::max(all.worst_error, later.worst_error);
  all.checked += later.checked;
  all.wrong += later.wrong;
}

// What `verify(first, end)` finds in all shares, in the order of the shares.
Verification verify_shares(std::int64_t count, std::int64_t each, const auto& share, const auto& verify) {
  std::mutex mutex;
  std::map<std::int64_t, Verification> found;
  share(count, each, [&](std::int64_t first, std::int64_t end) {
    if (first == end && first > 0) return;  // more threads than there is work for
    Verification one = verify(first, end);
    const std::scoped_lock lock(mutex);
    found.emplace(first, std::move(one));
  });
  Verification all;
  all.passed = !found.empty();
  for (const auto& [first, one] : found) append(all, one);
  return all;
}

}  // namespace pibench::matmul
