// Watches a GPU while an inspection measures on it: a thread that asks NVML for clocks, power, temperature
// and throttle reasons some fifty times a second, who is on it twice a second, and counters before and after.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../json.h"
#include "../measure/clock.h"
#include "nvml.h"
#include "presence.h"

namespace pibench::nvml {

struct Reading {
  Nanoseconds at = 0;
  double sm_hertz = 0, memory_hertz = 0, watts = 0, celsius = 0;  // 0: not known
  std::uint64_t reasons = 0;
  bool reasons_known = false;
  double memory_celsius = 0;
};

// Whether readings have come to rest: clocks within one step of each other, power without a slope. Needs half
// a second of readings; true where neither is known.
bool at_rest(const std::vector<Reading>& readings);

// As an object of JSON; `null` for nothing.
[[nodiscard]] std::string json_of(const std::optional<RemappedRows>& rows);

// The readings of a launch, however long it is: evenly spaced from the first on. When there is room for no
// more every second one goes, and from then on every second one comes.
class Readings {
 public:
  explicit Readings(std::size_t most) : most_(most) {}
  void add(const Reading& reading);
  [[nodiscard]] const std::vector<Reading>& kept() const noexcept { return kept_; }

 private:
  std::size_t most_;
  std::size_t every_ = 1, since_ = 0;
  std::vector<Reading> kept_;
};

class Monitor {
 public:
  // Begins to watch; best before the process has anything on the device, so that other processes can be told
  // from it.
  explicit Monitor(const std::string& pci_bus_id);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  [[nodiscard]] bool settled();
  // What was seen between two moments, as JSON; `null` members where NVML does not tell.
  [[nodiscard]] std::string report(Nanoseconds begin, Nanoseconds end);
  // Of a launch that failed: errors alone, with some patience for reports of faults, which come later than
  // the call that failed.
  [[nodiscard]] std::string faults();
  // Nothing where NVML does not tell of both.
  [[nodiscard]] std::optional<bool> linked_to(const Monitor& other) const;

 private:
  struct Counters {
    std::optional<std::uint64_t> ecc_corrected, ecc_uncorrected;
    std::optional<RemappedRows> remapped_rows;
    std::optional<unsigned> pcie_replays;
    std::optional<LinkErrors> nvlink_errors;
    std::optional<double> energy;
    std::optional<double> power_limit, enforced_power_limit;
  };
  [[nodiscard]] Counters count() const;
  // Of errors, since the launch began.
  using Xids = std::optional<std::vector<unsigned long long>>;
  void add_errors(json::Object& report, const Counters& after, const Xids& xids) const;
  void watch();

  std::string why_not_;
  std::optional<Device> device_;
  Counters before_;
  Presence presence_;
  bool watches_xids_ = false;
  bool reads_memory_heat_ = false;  // of memory that tells it
  std::mutex mutex_;
  Readings readings_;
  std::optional<unsigned> most_pcie_generation_, most_pcie_width_;  // seen under load
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace pibench::nvml
