#include "monitor.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "../json.h"

namespace pibench::nvml {
namespace {

constexpr auto kEvery = std::chrono::milliseconds(20);
// Half an hour of readings; of a longer launch they are farther apart.
constexpr std::size_t kMostReadings = 90'000;
// A report of a fault is with NVML some time after the call that the fault made fail.
constexpr auto kFaultPatience = std::chrono::milliseconds(500);
// Readings between two looks at who is on the device: half a second.
constexpr std::size_t kReadingsPerLook = 25;
constexpr std::size_t kMostInReport = 500;
constexpr Nanoseconds kRest = 500'000'000;

template <typename Get>
double spread(const std::vector<Reading>& readings, std::size_t first, Get get) {
  double low = get(readings[first]);
  double high = low;
  for (std::size_t i = first; i < readings.size(); ++i) {
    low = std::min(low, get(readings[i]));
    high = std::max(high, get(readings[i]));
  }
  return high - low;
}

double mean_watts(const std::vector<Reading>& readings, std::size_t first, std::size_t end) {
  double sum = 0;
  for (std::size_t i = first; i < end; ++i) sum += readings[i].watts;
  return sum / static_cast<double>(end - first);
}

std::string pair(const std::optional<Pair>& value, const char* first, const char* second) {
  if (!value) return "null";
  return json::Object().set(first, value->first).set(second, value->second).str();
}

// Least, median and largest of what the readings know.
template <typename Get>
std::string range(const std::vector<Reading>& readings, Get get) {
  std::vector<double> values;
  for (const Reading& reading : readings) {
    if (get(reading) > 0) values.push_back(get(reading));
  }
  if (values.empty()) return "null";
  std::ranges::sort(values);
  return json::Object()
      .set("least", values.front())
      .set("median", values[values.size() / 2])
      .set("most", values.back())
      .str();
}

// Of a counter; nothing where one of the two is not known.
template <typename Number>
std::optional<double> grown(const std::optional<Number>& from, const std::optional<Number>& to) {
  if (!from || !to) return std::nullopt;
  return static_cast<double>(*to) - static_cast<double>(*from);
}

std::string grown_errors(const std::optional<LinkErrors>& from, const std::optional<LinkErrors>& to) {
  if (!from || !to) return "null";
  const auto of = [&](std::uint64_t LinkErrors::*counter) {
    return grown(std::optional((*from).*counter), std::optional((*to).*counter));
  };
  return json::Object()
      .set("replays", of(&LinkErrors::replays))
      .set("recoveries", of(&LinkErrors::recoveries))
      .set("checksums", of(&LinkErrors::checksums))
      .str();
}

}  // namespace

bool at_rest(const std::vector<Reading>& readings) {
  constexpr double kClockSteps = 32e6;  // clocks go in steps of 15 MHz
  constexpr double kPowerShare = 0.02;
  if (readings.empty() || readings.back().at - readings.front().at < kRest) return false;
  std::size_t first = readings.size() - 1;
  while (first > 0 && readings.back().at - readings[first - 1].at <= kRest) --first;
  const std::size_t third = (readings.size() - first) / 3;
  if (third == 0) return false;
  if (spread(readings, first, [](const Reading& r) { return r.sm_hertz; }) > kClockSteps) return false;
  const double begin = mean_watts(readings, first, first + third);
  const double end = mean_watts(readings, readings.size() - third, readings.size());
  return std::abs(end - begin) <= kPowerShare * std::max(begin, end);
}

std::string json_of(const std::optional<RemappedRows>& rows) {
  if (!rows) return "null";
  return json::Object()
      .set("corrected", rows->corrected)
      .set("uncorrected", rows->uncorrected)
      .set("pending", rows->pending)
      .set("failed", rows->failed)
      .str();
}

void Readings::add(const Reading& reading) {
  if (++since_ < every_) return;
  since_ = 0;
  if (kept_.size() == most_) {
    for (std::size_t i = 0; 2 * i < kept_.size(); ++i) kept_[i] = kept_[2 * i];
    kept_.resize((kept_.size() + 1) / 2);
    every_ *= 2;
  }
  kept_.push_back(reading);
}

Monitor::Monitor(const std::string& pci_bus_id)
    : device_(Device::find(pci_bus_id, why_not_)), readings_(kMostReadings) {
  if (!device_) return;
  before_ = count();
  presence_.look(*device_);
  watches_xids_ = device_->watch_xids();
  reads_memory_heat_ = device_->memory_temperature().has_value();
  thread_ = std::thread([this] { watch(); });
}

Monitor::~Monitor() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

Monitor::Counters Monitor::count() const {
  return {device_->ecc_corrected(),     device_->ecc_uncorrected(),
          device_->remapped_rows(),     device_->pcie_replays(),
          device_->nvlink_errors(),     device_->energy_joules(),
          device_->power_limit_watts(), device_->enforced_power_limit_watts()};
}

void Monitor::watch() {
  for (std::size_t i = 0; !stop_.load(std::memory_order_relaxed); ++i) {
    if (i % kReadingsPerLook == 0) presence_.look(*device_);
    const auto reasons = device_->throttle_reasons();
    const Reading reading{now(),
                          device_->sm_hertz().value_or(0),
                          device_->memory_hertz().value_or(0),
                          device_->power_watts().value_or(0),
                          device_->temperature().value_or(0),
                          reasons.value_or(0),
                          reasons.has_value(),
                          reads_memory_heat_ ? device_->memory_temperature().value_or(0) : 0};
    const auto generation = device_->pcie_generation();
    const auto width = device_->pcie_width();
    {
      const std::scoped_lock lock(mutex_);
      readings_.add(reading);
      if (generation) most_pcie_generation_ = std::max(*generation, most_pcie_generation_.value_or(0));
      if (width) most_pcie_width_ = std::max(*width, most_pcie_width_.value_or(0));
    }
    std::this_thread::sleep_for(kEvery);
  }
}

bool Monitor::settled() {
  if (!device_) return true;
  const std::scoped_lock lock(mutex_);
  return at_rest(readings_.kept());
}

std::string Monitor::report(Nanoseconds begin, Nanoseconds end) {
  if (!device_) return json::Object().set("problem", why_not_).str();
  std::vector<Reading> inside;
  json::Object pcie;
  {
    const std::scoped_lock lock(mutex_);
    std::ranges::copy_if(readings_.kept(), std::back_inserter(inside),
                         [&](const Reading& r) { return r.at >= begin && r.at <= end; });
    pcie.set("generation", most_pcie_generation_).set("width", most_pcie_width_);
  }
  pcie.set("mostGeneration", device_->most_pcie_generation()).set("mostWidth", device_->most_pcie_width());
  const Counters after = count();

  std::size_t known = 0;
  for (const Reading& reading : inside) known += reading.reasons_known ? 1 : 0;
  json::Object reasons;
  for (std::uint64_t bit = 1; bit != 0 && known > 0; bit <<= 1U) {
    std::size_t with = 0;
    for (const Reading& reading : inside) with += (reading.reasons & bit) != 0 ? 1 : 0;
    if (with > 0) reasons.set(std::to_string(bit), static_cast<double>(with) / static_cast<double>(known));
  }
  json::Array series;
  const std::size_t step = inside.size() / kMostInReport + 1;
  for (std::size_t i = 0; i < inside.size(); i += step) {
    const Reading& r = inside[i];
    series.add(json::Array()
                   .add(json::number(static_cast<double>(r.at - begin) * 1e-9))
                   .add(json::number(r.sm_hertz))
                   .add(json::number(r.memory_hertz))
                   .add(json::number(r.watts))
                   .add(json::number(r.celsius))
                   .add(std::to_string(r.reasons))
                   .add(json::number(r.memory_celsius))
                   .str());
  }
  json::Object report;
  report.add("problem", "null")
      .set("readings", inside.size())
      .add("reasons", known > 0 ? reasons.str() : "null")
      .add("smHertz", range(inside, [](const Reading& r) { return r.sm_hertz; }))
      .add("memoryHertz", range(inside, [](const Reading& r) { return r.memory_hertz; }))
      .add("watts", range(inside, [](const Reading& r) { return r.watts; }))
      .add("celsius", range(inside, [](const Reading& r) { return r.celsius; }))
      .set("memoryCelsius", device_->memory_temperature())
      .add("memoryCelsiusRange", range(inside, [](const Reading& r) { return r.memory_celsius; }))
      .set("slowdownCelsius", device_->slowdown_temperature())
      .set("mostSmHertz", device_->most_sm_hertz())
      .set("powerLimitWattsBefore", before_.power_limit)
      .set("powerLimitWatts", after.power_limit)
      .set("defaultPowerLimitWatts", device_->default_power_limit_watts())
      .set("enforcedPowerLimitWattsBefore", before_.enforced_power_limit)
      .set("enforcedPowerLimitWatts", after.enforced_power_limit);
  // Since the launch began: the counters are of whole numbers, and errors outside the repetitions count too.
  report.set("joules", grown(before_.energy, after.energy))
      .add("pcie", pcie.str())
      .add("nvlinks", pair(device_->nvlinks(), "up", "all"));
  presence_.look(*device_);
  presence_.add_to(report);
  add_errors(report, after, watches_xids_ ? device_->xids() : std::nullopt);
  report.add("series", series.str());
  return report.str();
}

std::string Monitor::faults() {
  if (!device_) return json::Object().set("problem", why_not_).str();
  json::Object report;
  report.add("problem", "null");
  // What the counters say once the reports have come.
  const auto xids = watches_xids_ ? device_->xids(kFaultPatience) : std::nullopt;
  add_errors(report, count(), xids);
  return report.str();
}

std::optional<bool> Monitor::linked_to(const Monitor& other) const {
  return device_ && other.device_ ? device_->linked_to(*other.device_) : std::nullopt;
}

void Monitor::add_errors(json::Object& report, const Counters& after, const Xids& xids) const {
  report.set("eccCorrected", grown(before_.ecc_corrected, after.ecc_corrected))
      .set("eccUncorrected", grown(before_.ecc_uncorrected, after.ecc_uncorrected))
      .add("remappedRowsBefore", json_of(before_.remapped_rows))
      .add("remappedRows", json_of(after.remapped_rows))
      .set("pcieReplays", grown(before_.pcie_replays, after.pcie_replays))
      .add("nvlinkErrors", grown_errors(before_.nvlink_errors, after.nvlink_errors));
  if (!xids) {
    report.add("xids", "null");
    return;
  }
  json::Array list;
  for (const unsigned long long xid : *xids) list.add(std::to_string(xid));
  report.add("xids", list.str());
}

}  // namespace pibench::nvml
