#include "device_workload.h"

#include <array>
#include <exception>

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

DeviceWorkload::DeviceWorkload(const Place& place)
    : monitor_(pci_bus_id(place.ordinal)), session_(place.ordinal, place.kernels), clock_(session_) {}

Output DeviceWorkload::output() noexcept {
  try {
    return fetched_output();
  } catch (const std::exception& error) {
    session_.fail(error.what());
    return {{}, 1};
  }
}

std::string DeviceWorkload::device_report(Nanoseconds begin, Nanoseconds end) {
  return json::Object()
      .add("clock", json::Object()
                        .set("groups", agreement_.groups)
                        .set("samples", agreement_.samples)
                        .set("deviceSeconds", agreement_.device_seconds)
                        .set("hostSeconds", agreement_.host_seconds)
                        .set("enqueueSeconds", agreement_.enqueue_seconds)
                        .str())
      .add("nvml", monitor_.report(begin, end))
      .str();
}

}  // namespace pibench::cuda
