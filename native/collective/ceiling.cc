#include "ceiling.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "../measure/best_burst.h"

namespace pibench::collective {
namespace {

// More is past every cache, and takes long to write once.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;

// What the ranks did together with one order of passes. No time: it was not done, or not rightly.
struct Burst {
  double bytes = 0;
  Nanoseconds time = 0;  // of the slowest
};

Burst burst_of(Transport& transport, const Order& order) {
  if (!transport.perform(order)) return {};
  Burst burst;
  for (const Report& report : transport.reports()) {
    // It had no memory: what the others reach without it is no ceiling of all.
    if (report.checked == 0) return {};
    // Passes that were not made would count as fast ones.
    if (report.calls != order.calls) return {};
    burst.bytes += static_cast<double>(report.checked) * static_cast<double>(order.calls);
    burst.time = std::max(burst.time, report.exit - report.entry);
  }
  return burst;
}

// The best of several bursts: what disturbs one is no ceiling. Bytes per second; 0: not known.
double rate_of(Transport& transport, Order order) {
  const BurstPlan plan{.first = order.calls, .most = 1'000'000, .bursts = 8};
  double bytes = 0;
  const auto best = best_burst(plan, [&](std::uint64_t calls) -> std::optional<Nanoseconds> {
    order.calls = calls;
    const Burst burst = burst_of(transport, order);
    bytes = burst.bytes;
    return burst.time > 0 ? std::optional(burst.time) : std::nullopt;
  });
  return best ? bytes / (static_cast<double>(best->time) * 1e-9) : 0;
}

}  // namespace

Ceilings measure_ceiling(Transport& transport, std::uint32_t algorithm) {
  transport.port().choose(algorithm);
  const Port::Moved moved = transport.port().moved();
  Ceilings ceilings;
  if (moved.loads <= 0 || moved.stores <= 0) return ceilings;
  // Whole in every operation: one input, or those of all ranks, for what is stored.
  const auto loads = static_cast<std::uint32_t>(std::max(1LL, std::llround(moved.loads / moved.stores)));
  ceilings.moving.bytes = moved.loads + moved.stores;
  for (std::uint32_t stores = 0; stores < 2; ++stores) {
    Order order;
    order.task = Task::ceiling;
    order.algorithm = 2 * (loads - 1) + stores;
    order.iteration = std::min(kMostBytes, static_cast<std::uint64_t>(ceilings.moving.bytes));
    const double rate = rate_of(transport, order);
    if (rate <= ceilings.moving.bytes_per_second) continue;
    ceilings.moving.bytes_per_second = rate;
    const char* const pass = loads == 1 ? "copy" : loads == 2 ? "add" : "add and read";
    ceilings.moving.by = std::string(pass) + (stores == 0 ? ", plain stores" : ", streaming stores");
  }
  return ceilings;
}

}  // namespace pibench::collective
