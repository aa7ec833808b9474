// A libnccl.so.2 for tests, never shipped: it computes on the memory of the fake driver, in the order of its
// streams, and a call ends when every rank, a thread or a process, has made it, as NCCL's does. It goes wrong
// where a test tells it to: `nccl-init=N` refuses communicators with code N, `nccl-wrong=1` alters one
// element, `nccl-absent=R` lets a rank's calls never be made, `nccl-fails=1` refuses every call, and with
// `nccl-beside=1` calls are not on the stream that they are given, with `nccl-scribbles=1` they leave another
// input. It is `nccl-version=22105`, and from 22400 on reduces float8_e4m3 where the driver's devices do.
#include <dlfcn.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../../../native/cuda/driver_types.h"
#include "fake_nccl_calls.h"
#include "fake_nccl_processes.h"
#include "settings.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using namespace pibench::fake;
using pibench::cuda::StreamHandle;
using Result = int;

constexpr Result kSystemError = 2;
constexpr Result kInvalidArgument = 4;

// Calls that belong together: the n-th of each rank.
struct Round {
  std::vector<const Call*> calls;
  int arrived = 0, left = 0;
  bool done = false;
};

struct Clique {
  explicit Clique(int count) : ranks(count) {}
  int ranks;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<long, Round> rounds;
  bool aborted = false;
};

}  // namespace

struct Communicator {
  std::shared_ptr<Clique> clique;            // of threads of this process
  std::shared_ptr<ProcessClique> processes;  // or of processes
  int rank;
  long calls = 0;
};

namespace {

// Of this thread: sends and receives that belong together, of one communicator.
thread_local int depth = 0;
thread_local std::vector<Transfer> grouped;
thread_local Communicator* group_of = nullptr;
thread_local StreamHandle* group_stream = nullptr;

void take_part(Clique& clique, int rank, long number, const Call& call) {
  std::unique_lock lock(clique.mutex);
  Round& round = clique.rounds[number];
  round.calls.resize(static_cast<std::size_t>(clique.ranks));
  round.calls[static_cast<std::size_t>(rank)] = &call;
  if (++round.arrived == clique.ranks) {
    compute(round.calls);
    round.done = true;
    clique.changed.notify_all();
  }
  clique.changed.wait(lock, [&] { return round.done || clique.aborted; });
  if (++round.left == clique.ranks) clique.rounds.erase(number);
}

int nccl_version() { return static_cast<int>(setting("nccl-version", 22105)); }

bool knows(const Call& call) {
  if (call.type == kFloat8) return nccl_version() >= 22400 && setting("capability", 90) >= 90;
  return call.type >= 0 && call.type < kTypes;
}

Result enqueue(Communicator* of, StreamHandle* stream, Call call) {
  if (of == nullptr || stream == nullptr || !knows(call)) return kInvalidArgument;
  if (setting("nccl-fails", 0) != 0) return kSystemError;
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  static auto* const put =
      reinterpret_cast<int (*)(StreamHandle*, std::function<void()>*)>(dlsym(driver, "fakeEnqueue"));
  static auto* const put_beside =
      reinterpret_cast<int (*)(std::function<void()>*)>(dlsym(driver, "fakeEnqueueBeside"));
  std::function<void()> task = [clique = of->clique, processes = of->processes, rank = of->rank,
                                number = of->calls++, call = std::move(call)] {
    if (rank == setting("nccl-absent", -1)) return;
    if (processes) processes->take_part(number, call);
    if (clique) take_part(*clique, rank, number, call);
  };
  return (setting("nccl-beside", 0) == 0 ? put(stream, &task) : put_beside(&task)) == 0 ? 0 : 1;
}

Call simple(Kind kind, const void* send, void* receive, std::size_t count, int type, int op, int root) {
  return {kind, static_cast<const std::byte*>(send), static_cast<std::byte*>(receive), count, type, op, root,
          {}};
}

Result transfer(bool is_send, void* at, std::size_t count, int type, int peer, Communicator* of,
                StreamHandle* stream) {
  if (depth == 0) return kInvalidArgument;  // the fake's: nobody here sends alone
  grouped.push_back({is_send, static_cast<std::byte*>(at), count * kBytes[type], peer});
  group_of = of;
  group_stream = stream;
  return 0;
}

}  // namespace

EXPORTED Result ncclGetVersion(int* version) {
  *version = nccl_version();
  return 0;
}
EXPORTED const char* ncclGetErrorString(Result code) {
  return code == kSystemError ? "as the fake NCCL was told" : "invalid argument (fake NCCL)";
}
EXPORTED Result ncclCommInitAll(Communicator** all, int count, const int*) {
  if (const long code = setting("nccl-init", 0); code != 0) return static_cast<Result>(code);
  if (count > setting("devices", 1)) return kInvalidArgument;
  const auto clique = std::make_shared<Clique>(count);
  for (int rank = 0; rank < count; ++rank) all[rank] = new Communicator{clique, nullptr, rank};
  return 0;
}
EXPORTED Result ncclGetUniqueId(FakeId* id) {
  if (const long code = setting("nccl-init", 0); code != 0) return static_cast<Result>(code);
  *id = ProcessClique::found();
  return 0;
}
EXPORTED Result ncclCommInitRank(Communicator** one, int count, FakeId id, int rank) {
  auto processes = std::make_shared<ProcessClique>(id, count, rank);
  if (!processes->all_joined()) return kSystemError;
  *one = new Communicator{nullptr, std::move(processes), rank};
  return 0;
}
EXPORTED Result ncclCommDestroy(Communicator* one) {
  delete one;
  return 0;
}
EXPORTED Result ncclCommAbort(Communicator* one) {
  if (one->processes) one->processes->abort();
  if (!one->clique) return 0;
  const std::scoped_lock lock(one->clique->mutex);
  one->clique->aborted = true;
  one->clique->changed.notify_all();
  return 0;
}
EXPORTED Result ncclCommGetAsyncError(Communicator*, Result* error) {
  *error = 0;
  return 0;
}
EXPORTED Result ncclGroupStart() {
  ++depth;
  return 0;
}
EXPORTED Result ncclGroupEnd() {
  if (--depth > 0 || group_of == nullptr) return 0;
  Call call = simple(Kind::exchange, nullptr, nullptr, 0, 0, 0, 0);
  call.transfers = std::move(grouped);
  grouped = {};
  return enqueue(std::exchange(group_of, nullptr), group_stream, std::move(call));
}
EXPORTED Result ncclAllReduce(const void* send, void* receive, std::size_t count, int type, int op,
                              Communicator* of, StreamHandle* stream) {
  return enqueue(of, stream, simple(Kind::all_reduce, send, receive, count, type, op, 0));
}
EXPORTED Result ncclReduce(const void* send, void* receive, std::size_t count, int type, int op, int root,
                           Communicator* of, StreamHandle* stream) {
  return enqueue(of, stream, simple(Kind::reduce, send, receive, count, type, op, root));
}
EXPORTED Result ncclBroadcast(const void* send, void* receive, std::size_t count, int type, int root,
                              Communicator* of, StreamHandle* stream) {
  return enqueue(of, stream, simple(Kind::broadcast, send, receive, count, type, 0, root));
}
EXPORTED Result ncclAllGather(const void* send, void* receive, std::size_t count, int type, Communicator* of,
                              StreamHandle* stream) {
  return enqueue(of, stream, simple(Kind::all_gather, send, receive, count, type, 0, 0));
}
EXPORTED Result ncclReduceScatter(const void* send, void* receive, std::size_t count, int type, int op,
                                  Communicator* of, StreamHandle* stream) {
  return enqueue(of, stream, simple(Kind::reduce_scatter, send, receive, count, type, op, 0));
}
EXPORTED Result ncclSend(const void* from, std::size_t count, int type, int peer, Communicator* of,
                         StreamHandle* stream) {
  return transfer(true, const_cast<void*>(from), count, type, peer, of, stream);
}
EXPORTED Result ncclRecv(void* to, std::size_t count, int type, int peer, Communicator* of,
                         StreamHandle* stream) {
  return transfer(false, to, count, type, peer, of, stream);
}
