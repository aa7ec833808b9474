#include "devices.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "../json.h"
#include "../nvml/monitor.h"
#include "../nvml/nvml.h"
#include "../nvml/presence.h"
#include "driver.h"

namespace pibench::cuda {
namespace {

// A part of a divided GPU has a UUID of its own, which everybody else writes so.
std::string uuid_text(const Uuid& uuid, bool divided) {
  std::string text = divided ? "MIG-" : "GPU-";
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned>(uuid.bytes[i]));
    text += digits.data();
  }
  return text;
}

std::string pci_text(std::uint32_t id) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%04x:%04x", id & 0xffffU, id >> 16U);
  return text.data();
}

std::string switched(const std::optional<nvml::Pair>& mode) {
  return mode ? (mode->first != 0 ? "true" : "false") : "null";
}

std::string links_text(const std::optional<nvml::Pair>& links) {
  return links ? json::Object().set("up", links->first).set("all", links->second).str() : "null";
}

std::string errors_text(const nvml::MemoryErrors& errors) {
  if (!errors.corrected && !errors.uncorrected) return "null";
  return json::Object().set("corrected", errors.corrected).set("uncorrected", errors.uncorrected).str();
}

bool is_divided(const std::optional<nvml::Device>& device) {
  if (!device) return false;
  const auto mode = device->mig_mode();
  return mode && mode->first != 0;
}

// NVML tells of the whole card, of which the driver may show a part: no more is free than that has.
std::optional<std::uint64_t> free_within(std::optional<std::uint64_t> free, std::uint64_t bytes) {
  if (free) free = std::min(*free, bytes);
  return free;
}

void add_nvml(json::Object& object, const std::optional<nvml::Device>& device, const std::string& why,
              std::size_t bytes) {
  if (!device) {
    object.set("nvmlProblem", why);
    return;
  }
  const auto pci = device->pci();
  const auto count = [](const auto& processes) {
    return processes ? std::optional(processes->size()) : std::nullopt;
  };
  object.add("nvmlProblem", "null")
      .set("driver", nvml::Device::driver_version())
      .set("vbios", device->vbios())
      .add("pciDevice", pci ? json::text(pci_text(pci->device_id)) : "null")
      .add("pciSubsystem", pci ? json::text(pci_text(pci->subsystem_id)) : "null")
      .set("powerLimitWatts", device->power_limit_watts())
      .set("enforcedPowerLimitWatts", device->enforced_power_limit_watts())
      .set("defaultPowerLimitWatts", device->default_power_limit_watts())
      .set("mostSmHertz", device->most_sm_hertz())
      .set("mostMemoryHertz", device->most_memory_hertz())
      .set("slowdownCelsius", device->slowdown_temperature())
      .set("freeBytes", free_within(device->free_bytes(), bytes))
      .add("remappedRows", nvml::json_of(device->remapped_rows()))
      .add("eccErrors", errors_text({device->ecc_corrected(), device->ecc_uncorrected()}))
      .add("eccErrorsEver", errors_text(device->ecc_errors_ever()))
      .set("retirementPending", device->retirement_pending())
      .set("sramThresholdExceeded", device->sram_threshold_exceeded())
      .set("recoveryAction", device->recovery_action())
      .set("persistence", device->persistence())
      .add("mig", switched(device->mig_mode()))
      .add("ecc", switched(device->ecc_mode()))
      .set("mostPcieGeneration", device->most_pcie_generation())
      .set("mostPcieWidth", device->most_pcie_width())
      .set("pcieGeneration", device->pcie_generation())
      .set("pcieWidth", device->pcie_width())
      .add("nvlinks", links_text(device->nvlinks()))
      .set("processes", count(device->processes()))
      .set("drawingProcesses", count(device->drawing_processes()))
      .set("bytesInUse", nvml::bytes_in_use(*device));
}

int attribute_of(DeviceOrdinal device, Attribute which) {
  int value = 0;
  check(cu().cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

std::string describe(int ordinal) {
  DeviceOrdinal device = 0;
  check(cu().cuDeviceGet(&device, ordinal), "cuDeviceGet");
  const auto attribute = [device](Attribute which) { return attribute_of(device, which); };
  std::array<char, 256> name{};
  check(cu().cuDeviceGetName(name.data(), static_cast<int>(name.size()), device), "cuDeviceGetName");
  Uuid uuid;
  check(cu().cuDeviceGetUuid_v2(&uuid, device), "cuDeviceGetUuid_v2");
  std::array<char, 32> bus_id{};
  check(cu().cuDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), device),
        "cuDeviceGetPCIBusId");
  std::size_t bytes = 0;
  check(cu().cuDeviceTotalMem_v2(&bytes, device), "cuDeviceTotalMem_v2");
  std::string why;
  const auto known = nvml::Device::find(bus_id.data(), why);
  json::Object object;
  object.set("ordinal", ordinal)
      .set("name", name.data())
      .set("uuid", uuid_text(uuid, is_divided(known)))
      .set("pciBusId", bus_id.data())
      .set("computeCapability", std::to_string(attribute(Attribute::compute_major)) + "." +
                                    std::to_string(attribute(Attribute::compute_minor)))
      .set("multiprocessors", attribute(Attribute::multiprocessors))
      .set("l2Bytes", attribute(Attribute::l2_bytes))
      .set("memoryBytes", bytes)
      .set("memoryBusBits", attribute(Attribute::memory_bus_bits))
      .set("asyncEngines", attribute(Attribute::async_engines));
  add_nvml(object, known, why, bytes);
  return object.str();
}

}  // namespace

int capability(int ordinal) {
  DeviceOrdinal device = 0;
  check(cu().cuDeviceGet(&device, ordinal), "cuDeviceGet");
  return 10 * attribute_of(device, Attribute::compute_major) + attribute_of(device, Attribute::compute_minor);
}

std::string describe_devices() {
  json::Object document;
  json::Array devices;
  try {
    const Driver& driver = Driver::get();
    int count = 0;
    check(cu().cuDeviceGetCount(&count), "cuDeviceGetCount");
    for (int ordinal = 0; ordinal < count; ++ordinal) devices.add(describe(ordinal));
    document.set("cuda", version_text(driver.version())).set("library", driver.path());
    if (count == 0)
      document.set("problem",
                   "the driver is here and shows no device: CUDA_VISIBLE_DEVICES or the container hides it");
    else
      document.add("problem", "null");
  } catch (const std::exception& error) {
    document.set("problem", error.what()).add("cuda", "null").add("library", "null");
    devices = {};
  }
  document.set("ownPidNamespace", nvml::own_pid_namespace());
  return document.add("devices", devices.str()).str();
}

}  // namespace pibench::cuda
