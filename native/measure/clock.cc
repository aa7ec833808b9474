// Measures the clock that measures everything else.
#include "clock.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace pibench {
namespace {

// Differences that are one number of steps, as rounding left them.
struct Cluster {
  Nanoseconds first, last;
  double sum;
  double count;
  [[nodiscard]] double centre() const { return sum / count; }
};

std::vector<Cluster> clusters_of(std::vector<Nanoseconds> differences) {
  constexpr Nanoseconds kRounding = 2;
  // What is seldom was an interruption.
  constexpr std::size_t kSeldom = 2000;
  std::ranges::sort(differences);
  const std::size_t least = std::max<std::size_t>(3, differences.size() / kSeldom);
  std::vector<Cluster> clusters;
  for (auto at = differences.begin(); at != differences.end();) {
    const auto end = std::upper_bound(at, differences.end(), *at);
    const auto count = static_cast<double>(end - at);
    const Nanoseconds value = *at;
    at = end;
    if (count < static_cast<double>(least)) continue;
    if (clusters.empty() || value - clusters.back().last > kRounding)
      clusters.push_back({value, value, 0, 0});
    Cluster& cluster = clusters.back();
    cluster.last = value;
    cluster.sum += static_cast<double>(value) * count;
    cluster.count += count;
  }
  return clusters;
}

// Whether so much lies beside the largest cluster that it is no slow way of reading: of two clusters alone
// the one might be just that.
bool is_evidence(const std::vector<Cluster>& clusters) {
  if (clusters.size() < 2) return false;
  double all = 0;
  double largest = 0;
  for (const Cluster& cluster : clusters) {
    all += cluster.count;
    largest = std::max(largest, cluster.count);
  }
  return all - largest >= (clusters.size() == 2 ? 0.05 : 0.01) * all;
}

// Of readings that are taken as fast as they can be kept.
std::vector<Nanoseconds> differences_of_readings() {
  constexpr std::size_t kReadings = 20'000;
  std::vector<Nanoseconds> readings(kReadings);
  for (Nanoseconds& reading : readings) reading = now();
  std::adjacent_difference(readings.begin(), readings.end(), readings.begin());
  readings.erase(readings.begin());
  return readings;
}

// So many movements of a clock are looked at: one alone may be of several steps, while the reader had no CPU.
constexpr int kMovements = 5;

// Of a clock that hardly moved in thousands of readings, as one that counts a timer's interrupts: the least
// that it goes when it moves. Linux has a hundred of them a second or more, so the bound holds more than
// kMovements, however fast a reading is.
Nanoseconds awaited_step() {
  constexpr int kMostReadings = 20'000'000;
  std::optional<Nanoseconds> least;
  Nanoseconds previous = now();
  int movements = 0;
  for (int i = 0; i < kMostReadings && movements < kMovements; ++i) {
    const Nanoseconds next = now();
    if (next == previous) continue;
    least = std::min(least.value_or(next - previous), next - previous);
    previous = next;
    ++movements;
  }
  if (least) return *least;
  throw std::runtime_error("this machine's clock (CLOCK_MONOTONIC) stands still: nothing can be timed by it");
}

}  // namespace

double step_between(std::vector<Nanoseconds> differences) {
  constexpr Nanoseconds kWidest = 2;
  constexpr double kSmallest = 4;
  constexpr double kOff = 0.1;
  const std::vector<Cluster> clusters = clusters_of(std::move(differences));
  if (!is_evidence(clusters)) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < clusters.size(); ++i)
    least = std::min(least, clusters[i].centre() - clusters[i - 1].centre());
  if (least < kSmallest) return 0;
  // The step that fits all of them best, each as many times as it has steps.
  double centres = 0;
  double squares = 0;
  for (const Cluster& cluster : clusters) {
    const double steps = std::round(cluster.centre() / least);
    if (cluster.last - cluster.first > kWidest || std::abs(cluster.centre() - steps * least) > kOff * least)
      return 0;
    centres += steps * cluster.centre();
    squares += steps * steps;
  }
  return centres / squares;
}

ClockQuality measure_clock() {
  constexpr int kBlocks = 51;
  constexpr int kReadings = 1000;
  std::array<double, kBlocks> cost{};
  Nanoseconds least = std::numeric_limits<Nanoseconds>::max();
  int movements = 0;
  for (double& block : cost) {
    const Nanoseconds begin = now();
    Nanoseconds previous = begin;
    for (int i = 0; i < kReadings; ++i) {
      const Nanoseconds next = now();
      if (next > previous) {
        least = std::min(least, next - previous);
        ++movements;
      }
      previous = next;
    }
    block = static_cast<double>(previous - begin) / kReadings;
  }
  std::nth_element(cost.begin(), cost.begin() + kBlocks / 2, cost.end());
  const auto step = static_cast<double>(movements < kMovements ? std::min(least, awaited_step()) : least);

  // Where a reading takes longer than the clock's step, the smallest difference is the reading and not the
  // step: of those what they are multiples of, or else what the system declares.
  timespec declared{};
  clock_getres(CLOCK_MONOTONIC, &declared);
  const double declared_ns =
      static_cast<double>(declared.tv_sec) * 1e9 + static_cast<double>(declared.tv_nsec);
  const bool tick_hidden = step <= 2 * cost[kBlocks / 2];
  const double resolution_ns =
      std::max(declared_ns, tick_hidden ? step_between(differences_of_readings()) : step);
  return {cost[kBlocks / 2] * 1e-9, resolution_ns * 1e-9};
}

NamedClock host_clock() { return {"monotonic", measure_clock()}; }

}  // namespace pibench
