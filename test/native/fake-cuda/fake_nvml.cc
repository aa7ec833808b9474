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
struct MemoryApart {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct SramErrors {
  unsigned version;
  unsigned long long counts[11];
  unsigned threshold_exceeded;
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
  return static_cast<int>(setting("handle", 0));
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
// Fields: `memory-celsius` is 82, `instant-milliwatts` 186, `recovery-action` 230. Others are not supported.
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
    unsigned* value = &fields[i].value.number;
    switch (fields[i].field) {
      case 82:
        fields[i].status = give(value, "memory-celsius", -1);
        // By a degree each time.
        if (setting("memory-warms", 0) != 0) *value += static_cast<unsigned>(asked());
        break;
      case 186:
        fields[i].status = give(value, "instant-milliwatts", -1);
        break;
      case 230:
        fields[i].status = give(value, "recovery-action", -1);
        break;
      default:
        fields[i].status = 3;
    }
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
  // What another limiter leaves, where a test says so; and from the second time on, where it moves.
  static bool earlier = false;
  const bool moves = earlier && setting("limit-moves", 0) != 0;
  earlier = true;
  return give(mw, moves ? "limit-moves" : "enforced-limit", setting("power-limit", 700'000));
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
EXPORTED int nvmlDeviceGetTotalEccErrors(Device, unsigned type, unsigned aggregate,
                                         unsigned long long* errors) {
  // Those that stand, since the driver was loaded or in all its life.
  const auto standing =
      static_cast<unsigned long long>(setting(type == 0 ? "standing-corrected" : "standing-uncorrected", 0));
  if (aggregate != 0) {
    *errors = standing + static_cast<unsigned long long>(setting("ever-uncorrected", 0));
    return 0;
  }
  // Read once before and once after: what a test sets is the difference.
  static long reads[2] = {0, 0};
  const long each = setting(type == 0 ? "ecc-corrected" : "ecc-uncorrected", 0);
  *errors = standing + static_cast<unsigned long long>(each) *
                           static_cast<unsigned long long>(reads[type == 0 ? 0 : 1]++);
  return 0;
}
EXPORTED int nvmlDeviceGetRetiredPagesPendingStatus(Device, unsigned* pending) {
  return give(pending, "retirement-pending", -1);
}
EXPORTED int nvmlDeviceGetSramEccErrorStatus(Device, SramErrors* errors) {
  if (errors->version != (sizeof *errors | 1U << 24U)) return 25;  // NVML_ERROR_ARGUMENT_VERSION_MISMATCH
  return give(&errors->threshold_exceeded, "sram-exceeded", 0);
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
// What somebody has is `used-mib`, beside what the driver keeps for itself.
EXPORTED int nvmlDeviceGetMemoryInfo_v2(Device, MemoryApart* memory) {
  const long mib = setting("used-mib", setting("others", 0) * 1024 + setting("drawing", 0) * 4);
  if (mib < 0) return 3;
  if (memory->version != (sizeof *memory | 2U << 24U)) return 25;  // NVML_ERROR_ARGUMENT_VERSION_MISMATCH
  const unsigned long long used = static_cast<unsigned long long>(mib) << 20U;
  constexpr unsigned long long kReserved = 500ULL << 20U;
  constexpr unsigned long long kFree = 1ULL << 30U;
  *memory = {memory->version, kReserved + kFree + used, kReserved, kFree, used + kReserved};
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
  // One that is there the second time only.
  static unsigned looks = 0;
  const unsigned passing = ++looks == 2 && setting("passing", 0) != 0 ? 1 : 0;
  // And who asks, where it has a context: the driver beside this library knows. Or it has another number
  // here.
  const bool shown = std::getenv("FAKE_CUDA_CONTEXT") != nullptr && setting("own-hidden", 0) == 0;
  const unsigned all = others + passing + (shown ? 1 : 0);
  const bool fit = all <= *count;
  for (unsigned i = 0; fit && i < others; ++i) processes[i] = {4000 + i, bytes, 0, 0};
  if (fit && passing > 0) processes[others] = {5000, bytes, 0, 0};
  if (fit && shown) processes[all - 1] = {static_cast<unsigned>(setting("own-pid", getpid())), bytes, 0, 0};
  *count = all;
  return fit ? 0 : 7;  // NVML_ERROR_INSUFFICIENT_SIZE
}
EXPORTED int nvmlDeviceGetGraphicsRunningProcesses_v3(Device, unsigned* count, Process* processes) {
  const long drawing = setting("drawing", 0);
  if (drawing < 0) return 3;
  for (unsigned i = 0; i < static_cast<unsigned>(drawing); ++i) processes[i] = {6000 + i, 4ULL << 20U, 0, 0};
  *count = static_cast<unsigned>(drawing);
  return 0;
}
