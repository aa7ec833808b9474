#include "nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>

namespace pibench::nvml {
namespace {

using Return = int;  // nvmlReturn_t
constexpr Return kSuccess = 0;
constexpr Return kNotFound = 6;
constexpr Return kInsufficientSize = 7;
constexpr const char* kLibrary = "libnvidia-ml.so.1";

// nvmlPciInfo_t, nvmlFieldValue_t, nvmlMemory_t, nvmlProcessInfo_t (of _v3), nvmlEventData_t (of _v2) and
// nvmlEccSramErrorStatus_t (of its version 1).
struct RawPci {
  std::array<char, 16> legacy_bus_id;
  unsigned domain, bus, device, device_id, subsystem_id;
  std::array<char, 32> bus_id;
};
struct RawField {
  unsigned field, scope;
  long long timestamp, latency;
  int value_type;
  Return status;
  union {
    double real;
    unsigned number;
    unsigned long long long_number;
  } value;
};
struct RawMemory {
  unsigned long long total, free, used;
};
struct RawMemoryApart {  // nvmlMemory_v2_t
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct RawProcess {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};
struct RawEvent {
  DeviceHandle* device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};

struct RawSramErrors {
  unsigned version;
  std::array<unsigned long long, 11> counts;
  unsigned threshold_exceeded;
};

template <typename... Values>
using Get = Return(DeviceHandle*, Values...);

// The library, opened once and kept to the end of the process.
class Library {
 public:
  static const Library& get() {
    static const Library library;
    return library;
  }
  [[nodiscard]] bool loaded() const noexcept { return ready_; }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  [[nodiscard]] std::string words_for(Return code) const {
    auto* text = reinterpret_cast<const char* (*)(Return)>(dlsym(handle_, "nvmlErrorString"));
    return text != nullptr ? text(code) : "error " + std::to_string(code);
  }

  template <typename Function>
  [[nodiscard]] Function* find(const char* name) const noexcept {
    return ready_ ? reinterpret_cast<Function*>(dlsym(handle_, name)) : nullptr;
  }

 private:
  Library() : handle_(dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
      problem_ = dlerror();
      return;
    }
    auto* init = reinterpret_cast<Return (*)()>(dlsym(handle_, "nvmlInit_v2"));
    if (init == nullptr) {
      problem_ = std::string(kLibrary) + " has no nvmlInit_v2";
      return;
    }
    const Return code = init();
    if (code != kSuccess) {
      problem_ = "nvmlInit_v2: " + words_for(code);
      return;
    }
    ready_ = true;
  }
  void* handle_;
  bool ready_ = false;
  std::string problem_;
};

// What a function gives of a device; nothing where it is missing or fails.
template <typename Value, typename... Arguments>
std::optional<Value> ask(const char* name, DeviceHandle* device, Arguments... arguments) {
  auto* function = Library::get().find<Get<Arguments..., Value*>>(name);
  Value value{};
  if (function == nullptr || function(device, arguments..., &value) != kSuccess) return std::nullopt;
  return value;
}

template <typename Value>
std::optional<Pair> ask_pair(const char* name, DeviceHandle* device) {
  auto* function = Library::get().find<Get<Value*, Value*>>(name);
  Value first{};
  Value second{};
  if (function == nullptr || function(device, &first, &second) != kSuccess) return std::nullopt;
  return Pair{first, second};
}

std::optional<std::vector<Process>> listed(DeviceHandle* device, const char* name) {
  constexpr unsigned kMost = 256;
  auto* function = Library::get().find<Get<unsigned*, RawProcess*>>(name);
  if (function == nullptr) return std::nullopt;
  std::vector<RawProcess> raw(kMost);
  unsigned count = kMost;
  Return code = function(device, &count, raw.data());
  // Nothing is filled in where there are more than fit.
  if (code == kInsufficientSize) {
    raw.resize(std::max<std::size_t>(count, kMost));
    count = static_cast<unsigned>(raw.size());
    code = function(device, &count, raw.data());
  }
  if (code != kSuccess) return std::nullopt;
  std::vector<Process> processes;
  constexpr unsigned long long kNotAvailable = ~0ULL;  // NVML_VALUE_NOT_AVAILABLE
  for (unsigned i = 0; i < count && i < raw.size(); ++i) {
    const unsigned long long bytes = raw[i].bytes;
    processes.push_back({raw[i].pid, bytes == kNotAvailable ? std::nullopt : std::optional(bytes), false});
  }
  return processes;
}

std::optional<double> scaled(std::optional<unsigned> value, double factor) {
  if (!value) return std::nullopt;
  return *value * factor;
}

constexpr double kMega = 1e6;
constexpr double kMilli = 1e-3;
constexpr unsigned kSmClock = 1;
constexpr unsigned kMemoryClock = 2;
constexpr unsigned kMostLinks = 36;
// nvmlMemoryErrorType_t and nvmlEccCounterType_t.
constexpr unsigned kCorrected = 0;
constexpr unsigned kUncorrected = 1;
constexpr unsigned kVolatile = 0;
constexpr unsigned kAggregate = 1;

// NVML_STRUCT_VERSION.
template <typename Raw>
constexpr unsigned struct_version(unsigned version) {
  return sizeof(Raw) | version << 24U;
}

}  // namespace

std::optional<Device> Device::find(const std::string& pci_bus_id, std::string& why) {
  const Library& library = Library::get();
  if (!library.loaded()) {
    why = library.problem();
    return std::nullopt;
  }
  auto* by_bus = library.find<Return(const char*, DeviceHandle**)>("nvmlDeviceGetHandleByPciBusId_v2");
  if (by_bus == nullptr) {
    why = std::string(kLibrary) + " has no nvmlDeviceGetHandleByPciBusId_v2";
    return std::nullopt;
  }
  DeviceHandle* handle = nullptr;
  const Return code = by_bus(pci_bus_id.c_str(), &handle);
  if (code == kSuccess) return Device(handle);
  why = code == kNotFound ? "NVML knows no device " + pci_bus_id
                          : "NVML does not tell of " + pci_bus_id + ": " + library.words_for(code);
  return std::nullopt;
}

std::optional<std::string> Device::driver_version() {
  auto* function = Library::get().find<Return(char*, unsigned)>("nvmlSystemGetDriverVersion");
  std::array<char, 80> text{};
  if (function == nullptr || function(text.data(), text.size()) != kSuccess) return std::nullopt;
  return text.data();
}
std::optional<std::string> Device::vbios() const {
  auto* function = Library::get().find<Get<char*, unsigned>>("nvmlDeviceGetVbiosVersion");
  std::array<char, 64> text{};
  if (function == nullptr || function(handle_, text.data(), text.size()) != kSuccess) return std::nullopt;
  return text.data();
}
std::optional<PciInfo> Device::pci() const {
  const auto raw = ask<RawPci>("nvmlDeviceGetPciInfo_v3", handle_);
  if (!raw) return std::nullopt;
  return PciInfo{raw->device_id, raw->subsystem_id};
}
// Of this moment where NVML tells: on GPUs later than the A100 the older call's figure is a mean over one
// second.
std::optional<double> Device::power_watts() const {
  constexpr unsigned kInstantPower = 186;
  if (const auto instant = field(kInstantPower)) return *instant * kMilli;
  return scaled(ask<unsigned>("nvmlDeviceGetPowerUsage", handle_), kMilli);
}
std::optional<double> Device::power_limit_watts() const {
  return scaled(ask<unsigned>("nvmlDeviceGetPowerManagementLimit", handle_), kMilli);
}
std::optional<double> Device::default_power_limit_watts() const {
  return scaled(ask<unsigned>("nvmlDeviceGetPowerManagementDefaultLimit", handle_), kMilli);
}
std::optional<double> Device::enforced_power_limit_watts() const {
  return scaled(ask<unsigned>("nvmlDeviceGetEnforcedPowerLimit", handle_), kMilli);
}
std::optional<double> Device::energy_joules() const {
  const auto millijoules = ask<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption", handle_);
  if (!millijoules) return std::nullopt;
  return static_cast<double>(*millijoules) * kMilli;
}
std::optional<double> Device::sm_hertz() const {
  return scaled(ask<unsigned>("nvmlDeviceGetClockInfo", handle_, kSmClock), kMega);
}
std::optional<double> Device::memory_hertz() const {
  return scaled(ask<unsigned>("nvmlDeviceGetClockInfo", handle_, kMemoryClock), kMega);
}
std::optional<double> Device::most_sm_hertz() const {
  return scaled(ask<unsigned>("nvmlDeviceGetMaxClockInfo", handle_, kSmClock), kMega);
}
std::optional<double> Device::most_memory_hertz() const {
  return scaled(ask<unsigned>("nvmlDeviceGetMaxClockInfo", handle_, kMemoryClock), kMega);
}
std::optional<double> Device::temperature() const {
  constexpr unsigned kGpu = 0;
  return scaled(ask<unsigned>("nvmlDeviceGetTemperature", handle_, kGpu), 1);
}
std::optional<double> Device::memory_temperature() const {
  constexpr unsigned kMemoryTemperature = 82;
  return field(kMemoryTemperature);
}
// A field whose value is a whole number of 32 bits.
std::optional<double> Device::field(unsigned id) const {
  auto* function = Library::get().find<Get<int, RawField*>>("nvmlDeviceGetFieldValues");
  RawField raw{};
  raw.field = id;
  if (function == nullptr || function(handle_, 1, &raw) != kSuccess || raw.status != kSuccess)
    return std::nullopt;
  return raw.value.number;
}
std::optional<double> Device::slowdown_temperature() const {
  constexpr unsigned kSlowdown = 1;
  return scaled(ask<unsigned>("nvmlDeviceGetTemperatureThreshold", handle_, kSlowdown), 1);
}
std::optional<std::uint64_t> Device::throttle_reasons() const {
  auto reasons = ask<unsigned long long>("nvmlDeviceGetCurrentClocksEventReasons", handle_);
  if (!reasons) reasons = ask<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons", handle_);
  return reasons;
}
std::optional<Pair> Device::ecc_mode() const { return ask_pair<unsigned>("nvmlDeviceGetEccMode", handle_); }
std::optional<Pair> Device::mig_mode() const { return ask_pair<unsigned>("nvmlDeviceGetMigMode", handle_); }
std::optional<bool> Device::persistence() const {
  const auto mode = ask<unsigned>("nvmlDeviceGetPersistenceMode", handle_);
  if (!mode) return std::nullopt;
  return *mode != 0;
}
std::optional<std::uint64_t> Device::ecc_corrected() const {
  return ask<unsigned long long>("nvmlDeviceGetTotalEccErrors", handle_, kCorrected, kVolatile);
}
std::optional<std::uint64_t> Device::ecc_uncorrected() const {
  return ask<unsigned long long>("nvmlDeviceGetTotalEccErrors", handle_, kUncorrected, kVolatile);
}
MemoryErrors Device::ecc_errors_ever() const {
  return {ask<unsigned long long>("nvmlDeviceGetTotalEccErrors", handle_, kCorrected, kAggregate),
          ask<unsigned long long>("nvmlDeviceGetTotalEccErrors", handle_, kUncorrected, kAggregate)};
}
std::optional<bool> Device::retirement_pending() const {
  const auto pending = ask<unsigned>("nvmlDeviceGetRetiredPagesPendingStatus", handle_);
  if (!pending) return std::nullopt;
  return *pending != 0;
}
std::optional<bool> Device::sram_threshold_exceeded() const {
  auto* function = Library::get().find<Get<RawSramErrors*>>("nvmlDeviceGetSramEccErrorStatus");
  RawSramErrors raw{};
  raw.version = struct_version<RawSramErrors>(1);
  if (function == nullptr || function(handle_, &raw) != kSuccess) return std::nullopt;
  return raw.threshold_exceeded != 0;
}
std::optional<unsigned> Device::recovery_action() const {
  constexpr unsigned kRecoveryAction = 230;
  const auto action = field(kRecoveryAction);
  if (!action) return std::nullopt;
  return static_cast<unsigned>(*action);
}
std::optional<RemappedRows> Device::remapped_rows() const {
  auto* function =
      Library::get().find<Get<unsigned*, unsigned*, unsigned*, unsigned*>>("nvmlDeviceGetRemappedRows");
  unsigned corrected = 0;
  unsigned uncorrected = 0;
  unsigned pending = 0;
  unsigned failed = 0;
  if (function == nullptr || function(handle_, &corrected, &uncorrected, &pending, &failed) != kSuccess)
    return std::nullopt;
  return RemappedRows{corrected, uncorrected, pending != 0, failed != 0};
}
std::optional<std::uint64_t> Device::free_bytes() const {
  const auto memory = ask<RawMemory>("nvmlDeviceGetMemoryInfo", handle_);
  if (!memory) return std::nullopt;
  return memory->free;
}
std::optional<std::uint64_t> Device::bytes_in_use() const {
  auto* function = Library::get().find<Get<RawMemoryApart*>>("nvmlDeviceGetMemoryInfo_v2");
  RawMemoryApart raw{};
  raw.version = struct_version<RawMemoryApart>(2);
  if (function == nullptr || function(handle_, &raw) != kSuccess) return std::nullopt;
  // `used` counts what is reserved with some drivers, by NVML's own words; the others are not in doubt.
  const unsigned long long elsewhere = raw.reserved + raw.free;
  return raw.total > elsewhere ? raw.total - elsewhere : 0;
}
std::optional<unsigned> Device::pcie_generation() const {
  return ask<unsigned>("nvmlDeviceGetCurrPcieLinkGeneration", handle_);
}
std::optional<unsigned> Device::most_pcie_generation() const {
  return ask<unsigned>("nvmlDeviceGetMaxPcieLinkGeneration", handle_);
}
std::optional<unsigned> Device::pcie_width() const {
  return ask<unsigned>("nvmlDeviceGetCurrPcieLinkWidth", handle_);
}
std::optional<unsigned> Device::most_pcie_width() const {
  return ask<unsigned>("nvmlDeviceGetMaxPcieLinkWidth", handle_);
}
std::optional<unsigned> Device::pcie_replays() const {
  return ask<unsigned>("nvmlDeviceGetPcieReplayCounter", handle_);
}
std::optional<Pair> Device::nvlinks() const {
  Pair links;
  for (unsigned link = 0; link < kMostLinks; ++link) {
    const auto state = ask<unsigned>("nvmlDeviceGetNvLinkState", handle_, link);
    if (!state) continue;
    ++links.second;
    if (*state != 0) ++links.first;
  }
  if (links.second == 0) return std::nullopt;
  return links;
}
std::optional<LinkErrors> Device::nvlink_errors() const {
  // nvmlNvLinkErrorCounter_t.
  constexpr unsigned kReplay = 0;
  constexpr unsigned kRecovery = 1;
  constexpr unsigned kCrcFlit = 2;
  constexpr unsigned kCrcData = 3;
  LinkErrors errors;
  bool known = false;
  const auto add = [&](std::uint64_t& sum, unsigned link, unsigned counter) {
    const auto value = ask<unsigned long long>("nvmlDeviceGetNvLinkErrorCounter", handle_, link, counter);
    if (!value) return;
    known = true;
    sum += *value;
  };
  for (unsigned link = 0; link < kMostLinks; ++link) {
    if (!ask<unsigned>("nvmlDeviceGetNvLinkState", handle_, link)) continue;
    add(errors.replays, link, kReplay);
    add(errors.recoveries, link, kRecovery);
    add(errors.checksums, link, kCrcFlit);
    add(errors.checksums, link, kCrcData);
  }
  if (!known) return std::nullopt;
  return errors;
}

std::optional<bool> Device::linked_to(const Device& other) const {
  constexpr int kOverNvlink = 2;  // nvmlGpuP2PCapsIndex_t
  constexpr int kOk = 0;          // nvmlGpuP2PStatus_t
  const auto status = ask<int>("nvmlDeviceGetP2PStatus", handle_, other.handle_, kOverNvlink);
  if (!status) return std::nullopt;
  return *status == kOk;
}

std::optional<std::vector<Process>> Device::processes() const {
  return listed(handle_, "nvmlDeviceGetComputeRunningProcesses_v3");
}
std::optional<std::vector<Process>> Device::drawing_processes() const {
  return listed(handle_, "nvmlDeviceGetGraphicsRunningProcesses_v3");
}

bool Device::watch_xids() {
  constexpr unsigned long long kXid = 8;
  auto* create = Library::get().find<Return(void**)>("nvmlEventSetCreate");
  auto* enlist = Library::get().find<Get<unsigned long long, void*>>("nvmlDeviceRegisterEvents");
  void* set = nullptr;
  if (create == nullptr || enlist == nullptr || create(&set) != kSuccess) return false;
  if (enlist(handle_, kXid, set) == kSuccess) {
    event_set_ = set;
    return true;
  }
  if (auto* free = Library::get().find<Return(void*)>("nvmlEventSetFree")) free(set);
  return false;
}

std::optional<std::vector<unsigned long long>> Device::xids(std::chrono::milliseconds patience) {
  auto* wait = Library::get().find<Return(void*, RawEvent*, unsigned)>("nvmlEventSetWait_v2");
  if (event_set_ == nullptr || wait == nullptr) return std::nullopt;
  constexpr int kMost = 64;
  std::vector<unsigned long long> xids;
  RawEvent event{};
  auto milliseconds = static_cast<unsigned>(patience.count());
  for (int i = 0; i < kMost && wait(event_set_, &event, milliseconds) == kSuccess; ++i) {
    xids.push_back(event.data);
    milliseconds = 0;
  }
  return xids;
}

}  // namespace pibench::nvml
