// A libnvidia-ml.so.1 for tests, never shipped: a device whose clocks, power and troubles a test sets
// (settings.h).
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "settings.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using pibench::fake::setting;
using Device = void*;

int give(unsigned* value, const char* name, long otherwise) {
  const long known = setting(name, otherwise);
  *value = static_cast<unsigned>(known);
  return known < 0 ? 3 : 0;  // NVML_ERROR_NOT_SUPPORTED
}

// How often it was asked: a counter that grows while it is watched.
long asked() {
  static long count = 0;
  return ++count;
}

struct Pci {
  char legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
struct Memory {
  unsigned long long total, free, used;
};
struct Event {
  Device device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};
struct Process {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};

}  // namespace

EXPORTED int nvmlInit_v2() { return static_cast<int>(setting("nvml-init", 0)); }
EXPORTED const char* nvmlErrorString(int) { return "as the fake library was told"; }
EXPORTED int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  std::snprintf(text, length, "580.fake");
  return 0;
}
EXPORTED int nvmlDeviceGetHandleByPciBusId_v2(const char*, Device* device) {
  static char handle;
  *device = &handle;
  return 0;
}
EXPORTED int nvmlDeviceGetVbiosVersion(Device, char* text, unsigned length) {
  std::snprintf(text, length, "96.fake");
  return 0;
}
EXPORTED int nvmlDeviceGetPciInfo_v3(Device, Pci* pci) {
  std::memset(pci, 0, sizeof *pci);
  pci->device_id = 0xfa4e10de;
  pci->subsystem_id = 0x16c110de;
  return 0;
}
EXPORTED int nvmlDeviceGetPowerUsage(Device, unsigned* milliwatts) {
  return give(milliwatts, "milliwatts", 300'000);
}
// Fields: `instant-milliwatts` is 186. Others are not supported.
struct Field {
  unsigned field, scope;
  long long timestamp, latency;
  int value_type, status;
  union {
    double real;
    unsigned number;
  } value;
};
EXPORTED int nvmlDeviceGetFieldValues(Device, int count, Field* fields) {
  for (int i = 0; i < count; ++i) {
    fields[i].status = fields[i].field == 186 ? give(&fields[i].value.number, "instant-milliwatts", -1) : 3;
  }
  return 0;
}
EXPORTED int nvmlDeviceGetPowerManagementLimit(Device, unsigned* mw) {
  return give(mw, "power-limit", 700'000);
}
EXPORTED int nvmlDeviceGetPowerManagementDefaultLimit(Device, unsigned* mw) {
  return give(mw, "default-limit", 700'000);
}
EXPORTED int nvmlDeviceGetEnforcedPowerLimit(Device, unsigned* mw) {
  return give(mw, "power-limit", 700'000);
}
EXPORTED int nvmlDeviceGetTotalEnergyConsumption(Device, unsigned long long* millijoules) {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  *millijoules = static_cast<unsigned long long>(duration_cast<milliseconds>(now).count()) * 300;
  return 0;
}
EXPORTED int nvmlDeviceGetClockInfo(Device, unsigned type, unsigned* mhz) {
  if (type == 2) return give(mhz, "memory-mhz", 3201);
  // A clock that does not come to rest.
  const long swing = setting("clock-swings", 0);
  const int status = give(mhz, "sm-mhz", 1980);
  if (swing > 0 && asked() % 2 == 0) *mhz -= static_cast<unsigned>(swing);
  return status;
}
EXPORTED int nvmlDeviceGetMaxClockInfo(Device, unsigned type, unsigned* mhz) {
  *mhz = type == 2 ? 3201 : 1980;
  return 0;
}
EXPORTED int nvmlDeviceGetTemperature(Device, unsigned, unsigned* celsius) {
  return give(celsius, "celsius", 55);
}
EXPORTED int nvmlDeviceGetTemperatureThreshold(Device, unsigned, unsigned* celsius) {
  *celsius = 90;
  return 0;
}
EXPORTED int nvmlDeviceGetCurrentClocksThrottleReasons(Device, unsigned long long* reasons) {
  const long known = setting("reasons", 0);
  *reasons = static_cast<unsigned long long>(known);
  return known < 0 ? 3 : 0;
}
EXPORTED int nvmlDeviceGetEccMode(Device, unsigned* current, unsigned* pending) {
  *current = *pending = 1;
  return 0;
}
EXPORTED int nvmlDeviceGetMigMode(Device, unsigned* current, unsigned* pending) {
  *pending = 0;
  return give(current, "mig", 0);
}
EXPORTED int nvmlDeviceGetPersistenceMode(Device, unsigned* mode) {
  *mode = 1;
  return 0;
}
EXPORTED int nvmlDeviceGetTotalEccErrors(Device, unsigned type, unsigned, unsigned long long* errors) {
  // Read once before and once after: what a test sets is the difference.
  static long reads[2] = {0, 0};
  const long each = setting(type == 0 ? "ecc-corrected" : "ecc-uncorrected", 0);
  *errors =
      static_cast<unsigned long long>(each) * static_cast<unsigned long long>(reads[type == 0 ? 0 : 1]++);
  return 0;
}
EXPORTED int nvmlDeviceGetRemappedRows(Device, unsigned* corrected, unsigned* uncorrected, unsigned* pending,
                                       unsigned* failed) {
  // As of errors: what a test sets comes between two readings.
  static unsigned reads = 0;
  const unsigned earlier = reads++;
  *corrected = static_cast<unsigned>(setting("rows-corrected", 0)) * earlier;
  *uncorrected = static_cast<unsigned>(setting("rows-uncorrected", 0)) * earlier;
  *failed = setting("remap-failed", 0) != 0 || (earlier > 0 && setting("remap-fails", 0) != 0) ? 1 : 0;
  const int status = give(pending, "remap-pending", 0);
  if (earlier > 0 && setting("remap-waits", 0) != 0) *pending = 1;
  return status;
}
EXPORTED int nvmlDeviceGetMemoryInfo(Device, Memory* memory) {
  const long free = setting("free-mib", -1);
  if (free < 0) return 3;
  *memory = {0, static_cast<unsigned long long>(free) << 20U, 0};
  return 0;
}
EXPORTED int nvmlDeviceGetCurrPcieLinkGeneration(Device, unsigned* value) {
  return give(value, "pcie-generation", 5);
}
EXPORTED int nvmlDeviceGetMaxPcieLinkGeneration(Device, unsigned* value) {
  return give(value, "most-pcie-generation", 5);
}
EXPORTED int nvmlDeviceGetCurrPcieLinkWidth(Device, unsigned* value) { return give(value, "pcie-width", 16); }
EXPORTED int nvmlDeviceGetMaxPcieLinkWidth(Device, unsigned* value) {
  return give(value, "most-pcie-width", 16);
}
EXPORTED int nvmlDeviceGetPcieReplayCounter(Device, unsigned* value) {
  static unsigned reads = 0;
  *value = static_cast<unsigned>(setting("pcie-replays", 0)) * reads++;
  return 0;
}
EXPORTED int nvmlDeviceGetNvLinkState(Device, unsigned link, unsigned* active) {
  if (link >= 4) return 2;
  *active = link < static_cast<unsigned>(setting("nvlinks-up", 4)) ? 1 : 0;
  return 0;
}
// Whether NVLinks connect two devices: NVML_P2P_STATUS_OK, or not supported.
EXPORTED int nvmlDeviceGetP2PStatus(Device, Device, int, int* status) {
  const long linked = setting("linked", 1);
  *status = linked > 0 ? 0 : 3;
  return linked < 0 ? 3 : 0;
}
EXPORTED int nvmlDeviceGetNvLinkErrorCounter(Device, unsigned link, unsigned counter,
                                             unsigned long long* value) {
  static unsigned reads[4][4] = {};
  const long each = setting(counter == 0   ? "nvlink-replays"
                            : counter == 1 ? "nvlink-recoveries"
                                           : "nvlink-checksums",
                            0);
  if (link >= 4 || counter >= 4 || each < 0) return 3;
  // Of one link; of one of the two kinds of checksums.
  const bool counted = link == 1 && counter != 2;
  *value = counted ? static_cast<unsigned long long>(each) * reads[link][counter]++ : 0;
  return 0;
}
// Reports of faults: one, where `xid` says which; nothing can be watched where it does not.
EXPORTED int nvmlEventSetCreate(void** set) {
  static char events;
  *set = &events;
  return 0;
}
EXPORTED int nvmlEventSetFree(void*) { return 0; }
EXPORTED int nvmlDeviceRegisterEvents(Device, unsigned long long, void*) {
  return setting("xid", -1) < 0 ? 3 : 0;
}
EXPORTED int nvmlEventSetWait_v2(void*, Event* event, unsigned) {
  static bool told = false;
  if (told || setting("xid", 0) == 0) return 10;  // NVML_ERROR_TIMEOUT
  told = true;
  *event = {nullptr, 8, static_cast<unsigned long long>(setting("xid", 0)), 0, 0};
  return 0;
}
EXPORTED int nvmlDeviceGetComputeRunningProcesses_v3(Device, unsigned* count, Process* processes) {
  // Those of others, who were there before.
  const auto others = static_cast<unsigned>(setting("others", 0));
  // NVML_VALUE_NOT_AVAILABLE where it does not tell how much memory they have.
  const auto bytes = setting("others-hidden", 0) != 0 ? ~0ULL : 1ULL << 30U;
  // And who asks, where it has a context: the driver beside this library knows.
  const unsigned all = others + (std::getenv("FAKE_CUDA_CONTEXT") == nullptr ? 0 : 1);
  const bool fit = all <= *count;
  for (unsigned i = 0; fit && i < others; ++i) processes[i] = {4000 + i, bytes, 0, 0};
  if (fit && all > others) processes[others] = {static_cast<unsigned>(getpid()), bytes, 0, 0};
  *count = all;
  return fit ? 0 : 7;  // NVML_ERROR_INSUFFICIENT_SIZE
}
