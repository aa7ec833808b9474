#include "device_workload.h"

#include <array>
#include <exception>
#include <optional>

#include "../json.h"
#include "devices.h"

namespace pibench::cuda {

std::string pci_bus_id(int ordinal) {
  const Driver& driver = Driver::get();
  const DeviceOrdinal device = device_at(ordinal);
  std::array<char, 32> id{};
  driver.check(driver.functions().cuDeviceGetPCIBusId(id.data(), static_cast<int>(id.size()), device),
               "cuDeviceGetPCIBusId");
  return id.data();
}

namespace {

std::vector<std::unique_ptr<nvml::Monitor>> monitors(const std::vector<int>& ordinals) {
  std::vector<std::unique_ptr<nvml::Monitor>> all;
  all.reserve(ordinals.size());
  for (const int ordinal : ordinals) all.push_back(std::make_unique<nvml::Monitor>(pci_bus_id(ordinal)));
  return all;
}

std::string clock_report(const ClockAgreement& agreement) {
  return json::Object()
      .set("groups", agreement.groups)
      .set("graphGroups", agreement.graph_groups)
      .set("samples", agreement.samples)
      .set("deviceSeconds", agreement.device_seconds)
      .set("hostSeconds", agreement.host_seconds)
      .set("enqueueSeconds", agreement.enqueue_seconds)
      .set("makingSeconds", agreement.making_seconds)
      .set("betweenSeconds", agreement.between_seconds)
      .str();
}

}  // namespace

DeviceWorkload::DeviceWorkload(const Place& place, const std::vector<int>& others)
    : monitor_(pci_bus_id(place.ordinal)),
      others_(monitors(others)),
      session_(place.ordinal, place.kernels),
      clock_(session_) {}

Output DeviceWorkload::output() noexcept {
  try {
    return fetched_output();
  } catch (const std::exception& error) {
    session_.fail(error.what());
    return {{}, 1};
  }
}

std::string DeviceWorkload::device_report(Nanoseconds begin, Nanoseconds end) {
  json::Object report;
  report.add("clock", device_clock() == nullptr ? "null" : clock_report(agreement_))
      .add("nvml", monitor_.report(begin, end));
  add_to_report(report);
  if (others_.empty()) return report.str();
  json::Array others;
  json::Array linked;
  for (const auto& other : others_) {
    others.add(other->report(begin, end));
    const std::optional<bool> is = monitor_.linked_to(*other);
    linked.add(!is ? "null" : *is ? "true" : "false");
  }
  return report.add("others", others.str()).add("linked", linked.str()).str();
}

std::string DeviceWorkload::fault_report() {
  json::Array others;
  for (const auto& other : others_) others.add(other->faults());
  return json::Object().add("nvml", monitor_.faults()).add("others", others.str()).str();
}

}  // namespace pibench::cuda
