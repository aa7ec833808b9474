// NVML, the management library of the NVIDIA driver, opened at run time: what the GPU is and how it is doing.
// Own declarations of what is used of its documented interface. Every function may be missing and every value
// unknown: that is null, never a guess.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pibench::nvml {

struct DeviceHandle;

struct PciInfo {
  std::uint32_t device_id = 0;     // vendor in the low half
  std::uint32_t subsystem_id = 0;  // the same
};

struct Pair {
  unsigned long long first = 0, second = 0;
};

// Rows of memory that were replaced by spare ones, after corrected and after uncorrected errors; whether some
// wait for a reset to be replaced, and whether any could not be.
struct RemappedRows {
  unsigned corrected = 0, uncorrected = 0;
  bool pending = false, failed = false;
};

// Of its memory, all kinds of it together.
struct MemoryErrors {
  std::optional<std::uint64_t> corrected, uncorrected;
};

// Of all links of a device together: packets that were sent again, links that had to be brought up again, and
// checksums that were wrong, of flow control and of data.
struct LinkErrors {
  std::uint64_t replays = 0, recoveries = 0, checksums = 0;
};

struct Process {
  unsigned pid;
  std::optional<unsigned long long> bytes;  // nothing where the driver keeps it to itself
  bool only_draws = false;
};

// One device. Values are asked anew with each call.
class Device {
 public:
  // By the driver's PCI bus id (0000:17:00.0). Nothing where NVML or the device is not to be had; `why` then
  // says what was missing.
  static std::optional<Device> find(const std::string& pci_bus_id, std::string& why);

  // Of the whole machine.
  [[nodiscard]] static std::optional<std::string> driver_version();
  [[nodiscard]] std::optional<std::string> vbios() const;
  [[nodiscard]] std::optional<PciInfo> pci() const;
  [[nodiscard]] std::optional<double> power_watts() const;
  // As it is set, as it was set by the factory, and the least of all limiters that hold: those out of band
  // (of the board, of the server) stand in neither of the first two.
  [[nodiscard]] std::optional<double> power_limit_watts() const;
  [[nodiscard]] std::optional<double> default_power_limit_watts() const;
  [[nodiscard]] std::optional<double> enforced_power_limit_watts() const;
  [[nodiscard]] std::optional<double> energy_joules() const;
  [[nodiscard]] std::optional<double> sm_hertz() const;
  [[nodiscard]] std::optional<double> memory_hertz() const;
  [[nodiscard]] std::optional<double> most_sm_hertz() const;
  [[nodiscard]] std::optional<double> most_memory_hertz() const;
  [[nodiscard]] std::optional<double> temperature() const;
  [[nodiscard]] std::optional<double> memory_temperature() const;
  [[nodiscard]] std::optional<double> slowdown_temperature() const;
  [[nodiscard]] std::optional<std::uint64_t> throttle_reasons() const;
  // Current and pending.
  [[nodiscard]] std::optional<Pair> ecc_mode() const;
  [[nodiscard]] std::optional<Pair> mig_mode() const;
  [[nodiscard]] std::optional<bool> persistence() const;
  // Since the driver was loaded.
  [[nodiscard]] std::optional<std::uint64_t> ecc_corrected() const;
  [[nodiscard]] std::optional<std::uint64_t> ecc_uncorrected() const;
  // In all its life.
  [[nodiscard]] MemoryErrors ecc_errors_ever() const;
  [[nodiscard]] std::optional<RemappedRows> remapped_rows() const;
  // Whether pages of memory wait to be taken out of use: of devices that replace no rows.
  [[nodiscard]] std::optional<bool> retirement_pending() const;
  // Whether the caches and the like had more errors than NVIDIA lets stand (its policy for returns).
  [[nodiscard]] std::optional<bool> sram_threshold_exceeded() const;
  // What the driver asks for after an error (nvmlDeviceGpuRecoveryAction_t); 0: nothing.
  [[nodiscard]] std::optional<unsigned> recovery_action() const;
  // Bytes of memory that nobody has.
  [[nodiscard]] std::optional<std::uint64_t> free_bytes() const;
  // Of memory that somebody has, what driver and firmware keep for themselves left out.
  [[nodiscard]] std::optional<std::uint64_t> bytes_in_use() const;
  [[nodiscard]] std::optional<unsigned> pcie_generation() const;
  [[nodiscard]] std::optional<unsigned> most_pcie_generation() const;
  [[nodiscard]] std::optional<unsigned> pcie_width() const;
  [[nodiscard]] std::optional<unsigned> most_pcie_width() const;
  [[nodiscard]] std::optional<unsigned> pcie_replays() const;
  // Links that are up, of those that the device has.
  [[nodiscard]] std::optional<Pair> nvlinks() const;
  // Nothing where it has no links, or counts for none of them.
  [[nodiscard]] std::optional<LinkErrors> nvlink_errors() const;
  // Whether NVLinks connect it with another device, directly or by a switch.
  [[nodiscard]] std::optional<bool> linked_to(const Device& other) const;
  // Of compute, as the driver sees them; a container may hide others' or give other ids.
  [[nodiscard]] std::optional<std::vector<Process>> processes() const;
  // The same of those that draw, some of which compute as well.
  [[nodiscard]] std::optional<std::vector<Process>> drawing_processes() const;

  // Begins to collect XID errors, the driver's reports of faults; false where it cannot.
  bool watch_xids();
  // Those that came since, the first of them within `patience`; null where nobody watched.
  [[nodiscard]] std::optional<std::vector<unsigned long long>> xids(std::chrono::milliseconds patience = {});

 private:
  explicit Device(DeviceHandle* handle) : handle_(handle) {}
  [[nodiscard]] std::optional<double> field(unsigned id) const;

  DeviceHandle* handle_;
  void* event_set_ = nullptr;
};

}  // namespace pibench::nvml
