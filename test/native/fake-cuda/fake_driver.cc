// A libcuda.so.1 for tests, never shipped: a device that is this CPU, with streams that are threads. It has
// what pi-bench asks of a driver and nothing else, checks what it is given, and goes wrong where a test tells
// it to (settings.h). Its device calls itself a fake, so that no record made with it can be taken for one of
// a GPU.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../../kernels/cuda/contract.h"
#include "../../../native/cuda/driver_types.h"
#include "fake_kernels.h"
#include "settings.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using namespace pibench::cuda;
using pibench::fake::setting;

using Task = std::function<void()>;

// The first error that a device had, which every later call then has too.
std::atomic<Result> sticky{result::kSuccess};
std::atomic<long> launches{0};
std::atomic<long> allocated{0};
std::mutex allocations_mutex;
std::map<Address, std::size_t> allocations;

// Devices that this process sees, as the real driver reads CUDA_VISIBLE_DEVICES: the first that is not there
// ends the list.
std::vector<int> visible() {
  const auto all = static_cast<int>(setting("devices", 1));
  std::vector<int> devices;
  const char* const chosen = std::getenv("CUDA_VISIBLE_DEVICES");
  if (chosen == nullptr) {
    for (int device = 0; device < all; ++device) devices.push_back(device);
    return devices;
  }
  std::istringstream list(chosen);
  for (std::string entry; std::getline(list, entry, ',');) {
    char* end = nullptr;
    const long device = std::strtol(entry.c_str(), &end, 10);
    if (end == entry.c_str() || device < 0 || device >= all) break;
    devices.push_back(static_cast<int>(device));
  }
  return devices;
}
long count() { return static_cast<long>(visible().size()); }
long memory() { return setting("memory", 1L << 30); }
// That another process has.
long taken() { return setting("taken", 0); }

// As the real driver reads it: every launch waits until its kernel has ended.
bool launches_block() {
  const char* const asked = std::getenv("CUDA_LAUNCH_BLOCKING");
  return asked != nullptr && std::string(asked) != "0" && *asked != '\0';
}

// What a test wants to happen at the `n`-th launch of a kernel.
void maybe_break() {
  const long n = ++launches;
  if (n == setting("launch-fails", 0)) sticky = result::kLaunchFailed;
  if (n == setting("ecc-fails", 0)) sticky = result::kEccUncorrectable;
  if (n == setting("lost", 0)) sticky = result::kUnknown;
  while (n == setting("hangs", 0)) std::this_thread::sleep_for(std::chrono::seconds(1));
}

// As a driver that sets up how it copies when it is first asked to, and waits for the device then.
bool first_copy_waits() {
  static std::atomic<bool> first{setting("first-copy-waits", 0) != 0};
  return first.exchange(false);
}

// When an event is recorded, on a clock that goes in steps of so many nanoseconds.
std::chrono::steady_clock::time_point moment_of_event() {
  const auto now = std::chrono::steady_clock::now();
  return now - now.time_since_epoch() % std::chrono::nanoseconds(setting("event-step", 1));
}

}  // namespace

namespace {
struct Event {
  std::mutex mutex;
  std::condition_variable happened;
  std::chrono::steady_clock::time_point at;
  long asked = 0, done = 0;
};
}  // namespace

// As with the driver itself, an event may be destroyed before it has happened: what streams have still to do
// with it keeps it.
struct pibench::cuda::EventHandle {
  std::shared_ptr<Event> event = std::make_shared<Event>();
};

struct pibench::cuda::GraphHandle {
  std::vector<Task> tasks;
};
struct pibench::cuda::GraphExecHandle {
  std::vector<Task> tasks;
};

struct pibench::cuda::StreamHandle {
  StreamHandle() : worker([this] { work(); }) {}
  ~StreamHandle() {
    put(nullptr);
    worker.join();
  }
  StreamHandle(const StreamHandle&) = delete;
  StreamHandle& operator=(const StreamHandle&) = delete;

  void put(Task task) {
    if (capturing && task != nullptr) {
      captured.push_back(std::move(task));
      return;
    }
    std::unique_lock lock(mutex);
    // As a driver's: who fills it waits, also for what only he could let begin.
    changed.wait(lock, [&] { return put_count - done_count < kPlaces || sticky != result::kSuccess; });
    tasks.push(std::move(task));
    ++put_count;
    changed.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    const long until = put_count;
    changed.wait(lock, [&] { return done_count >= until; });
  }
  void work() {
    for (;;) {
      Task task;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return !tasks.empty(); });
        task = std::move(tasks.front());
        tasks.pop();
      }
      const bool last = task == nullptr;
      if (!last && sticky == result::kSuccess) task();
      const std::scoped_lock lock(mutex);
      ++done_count;
      changed.notify_all();
      if (last) return;
    }
  }

  static constexpr long kPlaces = 1024;
  bool capturing = false;
  std::vector<Task> captured;
  std::mutex mutex;
  std::condition_variable changed;
  std::queue<Task> tasks;
  long put_count = 0, done_count = 0;
  std::thread worker;
};

struct pibench::cuda::FunctionHandle {
  explicit FunctionHandle(std::string name) : symbol(std::move(name)) {}
  std::string symbol;
  unsigned most_shared = 48U * 1024U;  // until an attribute says more
};
struct pibench::cuda::ModuleHandle {
  std::vector<std::unique_ptr<FunctionHandle>> functions;
};
struct pibench::cuda::ContextHandle {
  explicit ContextHandle(int ordinal) : device(ordinal) {}
  int device;
};

namespace {

bool inside(Address address, std::size_t bytes) {
  const std::scoped_lock lock(allocations_mutex);
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin()) return false;
  --next;
  return address + bytes <= next->first + next->second;
}

// For the `until`-th record of an event, or an error of the device.
void wait_for(Event& event, long until) {
  std::unique_lock lock(event.mutex);
  while (event.done < until && sticky == result::kSuccess)
    event.happened.wait_for(lock, std::chrono::milliseconds(5));
}

Result enqueue(StreamHandle* stream, Task task) {
  if (sticky != result::kSuccess) return sticky;
  if (stream == nullptr) return result::kInvalidValue;
  stream->put(std::move(task));
  return result::kSuccess;
}

Result copy_now(void* to, const void* from, std::size_t bytes) {
  if (sticky != result::kSuccess) return sticky;
  std::memcpy(to, from, bytes);
  return result::kSuccess;
}

}  // namespace

EXPORTED Result cuInit(unsigned) {
  return static_cast<Result>(setting("init", count() == 0 ? result::kNoDevice : 0));
}
EXPORTED Result cuDriverGetVersion(int* version) {
  *version = static_cast<int>(setting("version", 13000));
  return result::kSuccess;
}
EXPORTED Result cuGetErrorName(Result code, const char** name) {
  static const std::map<Result, const char*> names{
      {result::kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {result::kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {result::kStubLibrary, "CUDA_ERROR_STUB_LIBRARY"},
      {result::kNoDevice, "CUDA_ERROR_NO_DEVICE"},
      {result::kNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {result::kEccUncorrectable, "CUDA_ERROR_ECC_UNCORRECTABLE"},
      {result::kNotFound, "CUDA_ERROR_NOT_FOUND"},
      {result::kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {result::kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
      {result::kSystemDriverMismatch, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
      {result::kUnknown, "CUDA_ERROR_UNKNOWN"}};
  const auto found = names.find(code);
  *name = found == names.end() ? nullptr : found->second;
  return found == names.end() ? result::kInvalidValue : result::kSuccess;
}
EXPORTED Result cuGetErrorString(Result, const char** text) {
  *text = "as the fake driver was told";
  return result::kSuccess;
}
EXPORTED Result cuDeviceGetCount(int* devices) {
  *devices = static_cast<int>(count());
  return result::kSuccess;
}
EXPORTED Result cuDeviceGet(DeviceOrdinal* device, int ordinal) {
  const std::vector<int> devices = visible();
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= devices.size()) return result::kInvalidDevice;
  *device = devices[static_cast<std::size_t>(ordinal)];
  return result::kSuccess;
}
EXPORTED Result cuDeviceGetName(char* name, int length, DeviceOrdinal device) {
  std::snprintf(name, static_cast<std::size_t>(length), "FAKE GPU %d of a test (no hardware)", device);
  return result::kSuccess;
}
EXPORTED Result cuDeviceGetUuid_v2(Uuid* uuid, DeviceOrdinal device) {
  std::memcpy(uuid->bytes.data(), "FAKE-GPU-OF-TEST", uuid->bytes.size());
  uuid->bytes.back() = static_cast<unsigned char>('0' + device);
  return result::kSuccess;
}
EXPORTED Result cuDeviceGetPCIBusId(char* id, int length, DeviceOrdinal device) {
  std::snprintf(id, static_cast<std::size_t>(length), "0000:0%d:00.0", device);
  return result::kSuccess;
}
EXPORTED Result cuDeviceTotalMem_v2(std::size_t* bytes, DeviceOrdinal) {
  *bytes = static_cast<std::size_t>(memory());
  return result::kSuccess;
}
EXPORTED Result cuDeviceGetAttribute(int* value, Attribute attribute, DeviceOrdinal) {
  const auto capability = static_cast<int>(setting("capability", 90));
  static const std::map<Attribute, int> values{{Attribute::multiprocessors, pibench::fake::kMultiprocessors},
                                               {Attribute::l2_bytes, 1 << 18},
                                               {Attribute::memory_bus_bits, 64},
                                               {Attribute::memory_clock_kilohertz, 1'000'000},
                                               {Attribute::clock_kilohertz, 1'000'000},
                                               {Attribute::async_engines, 1},
                                               {Attribute::threads_per_multiprocessor, 2048}};
  if (attribute == Attribute::compute_major)
    *value = capability / 10;
  else if (attribute == Attribute::compute_minor)
    *value = capability % 10;
  else
    *value = values.contains(attribute) ? values.at(attribute) : 0;
  return result::kSuccess;
}
EXPORTED Result cuDeviceCanAccessPeer(int* can, DeviceOrdinal, DeviceOrdinal) {
  *can = static_cast<int>(setting("peer", 1));
  return result::kSuccess;
}
EXPORTED Result cuDevicePrimaryCtxRetain(ContextHandle** context, DeviceOrdinal device) {
  static std::map<int, std::unique_ptr<ContextHandle>> contexts;
  auto& known = contexts[device];
  if (known == nullptr) known = std::make_unique<ContextHandle>(device);
  *context = known.get();
  // For the NVML beside this library, which lists who has one.
  setenv("FAKE_CUDA_CONTEXT", "1", 1);
  return sticky;
}
EXPORTED Result cuDevicePrimaryCtxRelease_v2(DeviceOrdinal) { return sticky; }
EXPORTED Result cuCtxSetCurrent(ContextHandle*) { return sticky; }
EXPORTED Result cuCtxSynchronize() { return sticky; }
EXPORTED Result cuCtxEnablePeerAccess(ContextHandle*, unsigned) { return sticky; }
EXPORTED Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *total = static_cast<std::size_t>(memory());
  *free = *total - static_cast<std::size_t>(allocated.load() + taken());
  return sticky;
}
EXPORTED Result cuMemAlloc_v2(Address* address, std::size_t bytes) {
  if (sticky != result::kSuccess) return sticky;
  if (bytes == 0) return result::kInvalidValue;
  static std::atomic<long> made{0};
  if (++made > setting("most-allocations", 1L << 30)) return result::kOutOfMemory;
  if (allocated + taken() + static_cast<long>(bytes) > memory()) return result::kOutOfMemory;
  allocated += static_cast<long>(bytes);
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(memory, 0xa5, bytes);
  *address = reinterpret_cast<Address>(memory);
  const std::scoped_lock lock(allocations_mutex);
  allocations[*address] = bytes;
  return result::kSuccess;
}
EXPORTED Result cuMemFree_v2(Address address) {
  const std::scoped_lock lock(allocations_mutex);
  const auto known = allocations.find(address);
  if (known == allocations.end()) return result::kInvalidValue;
  allocated -= static_cast<long>(known->second);
  allocations.erase(known);
  std::free(pibench::fake::pointer<void>(address));
  return sticky;
}
EXPORTED Result cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  if (static_cast<long>(bytes) > setting("most-pinned", 1L << 40)) return result::kOutOfMemory;
  *memory = std::calloc(1, bytes);
  return *memory == nullptr ? result::kOutOfMemory : sticky.load();
}
EXPORTED Result cuMemHostGetDevicePointer_v2(Address* address, void* memory, unsigned) {
  *address = reinterpret_cast<Address>(memory);
  return sticky;
}
EXPORTED Result cuMemFreeHost(void* memory) {
  std::free(memory);
  return sticky;
}
EXPORTED Result cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  if (!inside(to, bytes)) return result::kInvalidValue;
  return copy_now(pibench::fake::pointer<void>(to), from, bytes);
}
// Of this thread: what a library does on a stream of its own, which ends when somebody waits for all of them.
thread_local std::vector<Task> beside;

EXPORTED Result cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
  if (!inside(from, bytes)) return result::kInvalidValue;
  for (const Task& task : std::exchange(beside, {})) task();
  return copy_now(to, pibench::fake::pointer<const void>(from), bytes);
}
EXPORTED Result cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, StreamHandle* s) {
  if (!inside(to, bytes)) return result::kInvalidValue;
  return enqueue(s, [=] { std::memcpy(pibench::fake::pointer<void>(to), from, bytes); });
}
EXPORTED Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, StreamHandle* s) {
  if (!inside(from, bytes)) return result::kInvalidValue;
  return enqueue(s, [=] { std::memcpy(to, pibench::fake::pointer<const void>(from), bytes); });
}
EXPORTED Result cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, StreamHandle* s) {
  if (!inside(to, bytes) || !inside(from, bytes)) return result::kInvalidValue;
  if (first_copy_waits()) s->wait();
  return enqueue(s, [=] {
    std::memcpy(pibench::fake::pointer<void>(to), pibench::fake::pointer<const void>(from), bytes);
  });
}
EXPORTED Result cuMemcpyPeerAsync(Address to, ContextHandle*, Address from, ContextHandle*, std::size_t bytes,
                                  StreamHandle* s) {
  // A driver that brings it by way of the host may only return when what is before it on the stream has
  // ended.
  if (setting("peer-copies-wait", 0) != 0) s->wait();
  return cuMemcpyDtoDAsync_v2(to, from, bytes, s);
}
EXPORTED Result cuMemsetD8Async(Address to, unsigned char value, std::size_t bytes, StreamHandle* s) {
  if (!inside(to, bytes)) return result::kInvalidValue;
  return enqueue(s, [=] { std::memset(pibench::fake::pointer<void>(to), value, bytes); });
}
EXPORTED Result cuModuleLoadData(ModuleHandle** module, const void*) {
  if (setting("old-image", 0) != 0) return result::kNoBinaryForGpu;
  if (sticky != result::kSuccess) return sticky;
  *module = new ModuleHandle;
  return result::kSuccess;
}
EXPORTED Result cuModuleUnload(ModuleHandle* module) {
  delete module;
  return sticky;
}
EXPORTED Result cuModuleGetFunction(FunctionHandle** function, ModuleHandle* module, const char* name) {
  module->functions.push_back(std::make_unique<FunctionHandle>(name));
  *function = module->functions.back().get();
  return setting("no-kernels", 0) != 0 ? result::kNotFound : sticky.load();
}
EXPORTED Result cuFuncGetAttribute(int* value, FunctionAttribute, FunctionHandle*) {
  *value = 32;
  return sticky;
}
EXPORTED Result cuFuncSetAttribute(FunctionHandle* function, FunctionAttribute attribute, int value) {
  if (attribute == FunctionAttribute::max_dynamic_shared_bytes)
    function->most_shared = static_cast<unsigned>(value);
  return sticky;
}
EXPORTED Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, FunctionHandle*, int, std::size_t) {
  *blocks = 2;
  return sticky;
}
EXPORTED Result cuLaunchKernel(FunctionHandle* function, unsigned x, unsigned y, unsigned z, unsigned threads,
                               unsigned threads_y, unsigned threads_z, unsigned shared_bytes, StreamHandle* s,
                               void** parameters, void**) {
  const bool flat = y == 1 && z == 1 && threads_y == 1 && threads_z == 1;
  if (x == 0 || threads == 0 || !flat || shared_bytes > function->most_shared) return result::kInvalidValue;
  auto call = pibench::fake::kernel_call(function->symbol, parameters[0], {x, threads, shared_bytes});
  if (!call) return result::kNotFound;
  const Result code = enqueue(s, [body = std::move(*call)] {
    maybe_break();
    if (sticky == result::kSuccess) body();
  });
  if (code == result::kSuccess && launches_block() && !s->capturing) s->wait();
  return code;
}
EXPORTED Result cuStreamCreate(StreamHandle** stream, unsigned) {
  *stream = new StreamHandle;
  return sticky;
}
EXPORTED Result cuStreamDestroy_v2(StreamHandle* stream) {
  delete stream;
  return sticky;
}
EXPORTED Result cuStreamSynchronize(StreamHandle* stream) {
  stream->wait();
  return sticky;
}
EXPORTED Result cuStreamQuery(StreamHandle* stream) {
  const std::scoped_lock lock(stream->mutex);
  return sticky != result::kSuccess                ? sticky.load()
         : stream->done_count >= stream->put_count ? result::kSuccess
                                                   : result::kNotReady;
}
// For the fake NCCL, which works off its calls in the order of a stream.
EXPORTED Result fakeEnqueue(StreamHandle* stream, std::function<void()>* task) {
  return enqueue(stream, std::move(*task));
}
EXPORTED Result fakeEnqueueBeside(std::function<void()>* task) {
  beside.push_back(std::move(*task));
  return sticky;
}
EXPORTED Result cuEventCreate(EventHandle** event, unsigned) {
  *event = new EventHandle;
  return sticky;
}
EXPORTED Result cuEventDestroy_v2(EventHandle* event) {
  delete event;
  return sticky;
}
EXPORTED Result cuEventRecord(EventHandle* handle, StreamHandle* s) {
  // It would be a mark between commands of the graph, which no later call can ask for.
  if (s->capturing) return result::kInvalidValue;
  const std::shared_ptr<Event> event = handle->event;
  {
    const std::scoped_lock lock(event->mutex);
    ++event->asked;
  }
  return enqueue(s, [event] {
    const std::scoped_lock lock(event->mutex);
    event->at = moment_of_event();
    ++event->done;
    event->happened.notify_all();
  });
}
// As a node of the graph that is being captured: each of its launches records it.
EXPORTED Result cuEventRecordWithFlags(EventHandle* handle, StreamHandle* s, unsigned flags) {
  if (!s->capturing) return cuEventRecord(handle, s);
  if (flags != kRecordExternal) return result::kInvalidValue;
  return enqueue(s, [event = handle->event] {
    const std::scoped_lock lock(event->mutex);
    event->at = moment_of_event();
  });
}
EXPORTED Result cuEventSynchronize(EventHandle* handle) {
  const std::shared_ptr<Event> event = handle->event;
  std::unique_lock lock(event->mutex);
  const long until = event->asked;
  lock.unlock();
  wait_for(*event, until);
  return sticky;
}
EXPORTED Result cuEventElapsedTime(float* milliseconds, EventHandle* begin, EventHandle* end) {
  if (sticky != result::kSuccess) return sticky;
  *milliseconds = std::chrono::duration<float, std::milli>(end->event->at - begin->event->at).count();
  return result::kSuccess;
}
// What was recorded when it is called, not what may be recorded until it is executed.
EXPORTED Result cuStreamWaitEvent(StreamHandle* s, EventHandle* handle, unsigned) {
  const std::shared_ptr<Event> event = handle->event;
  std::unique_lock lock(event->mutex);
  const long until = event->asked;
  lock.unlock();
  return enqueue(s, [event, until] { wait_for(*event, until); });
}
EXPORTED Result cuStreamBeginCapture_v2(StreamHandle* s, unsigned) {
  s->capturing = true;
  s->captured.clear();
  return sticky;
}
EXPORTED Result cuStreamEndCapture(StreamHandle* s, GraphHandle** graph) {
  s->capturing = false;
  *graph = new GraphHandle{std::move(s->captured)};
  return sticky;
}
EXPORTED Result cuGraphInstantiateWithFlags(GraphExecHandle** exec, GraphHandle* graph, unsigned long long) {
  *exec = new GraphExecHandle{graph->tasks};
  return sticky;
}
EXPORTED Result cuGraphUpload(GraphExecHandle*, StreamHandle*) { return sticky; }
EXPORTED Result cuGraphLaunch(GraphExecHandle* exec, StreamHandle* s) {
  return enqueue(s, [tasks = exec->tasks] {
    for (const Task& task : tasks) task();
  });
}
EXPORTED Result cuGraphExecDestroy(GraphExecHandle* exec) {
  delete exec;
  return sticky;
}
EXPORTED Result cuGraphDestroy(GraphHandle* graph) {
  delete graph;
  return sticky;
}

namespace {

Result encode_tiled(TensorMap* map, MapType, std::uint32_t rank, void* address, const std::uint64_t* sizes,
                    const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t*,
                    int interleave, int swizzle, int promotion, int fill) {
  constexpr std::uint64_t kAlignment = 16;
  const bool sound = rank == 3 && reinterpret_cast<std::uint64_t>(address) % kAlignment == 0 &&
                     strides[0] % kAlignment == 0 && strides[1] % kAlignment == 0 && box[0] <= 256 &&
                     box[1] <= 256 && interleave == kNotInterleaved && swizzle == kSwizzle128 &&
                     promotion == kPromote256 && fill == kNoFill;
  if (!sound) return result::kInvalidValue;
  const pibench::fake::RememberedTensor tensor{
      reinterpret_cast<std::uint64_t>(address), sizes[0], sizes[1], sizes[2], strides[0], box[0], box[1]};
  static_assert(sizeof tensor <= sizeof map->opaque);
  std::memcpy(map->opaque.data(), &tensor, sizeof tensor);
  return result::kSuccess;
}

}  // namespace

EXPORTED Result cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t,
                                    int* status) {
  *function = nullptr;
  *status = 1;
  if (std::strcmp(symbol, "cuTensorMapEncodeTiled") != 0 || setting("version", 13000) < version)
    return result::kNotFound;
  *function = reinterpret_cast<void*>(encode_tiled);
  *status = 0;
  return result::kSuccess;
}
