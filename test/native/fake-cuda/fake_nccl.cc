// A libnccl.so.2 for tests, never shipped: it computes on the memory of the fake driver, in the order of its
// streams, and a call ends when every rank has made it, as NCCL's does. It goes wrong where a test tells it
// to: `nccl-init=N` refuses communicators with code N, `nccl-wrong=1` alters one element, `nccl-absent=R`
// lets a rank's calls never be made, `nccl-fails=1` refuses every call.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../../../native/cuda/driver_types.h"
#include "settings.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using pibench::cuda::StreamHandle;
using pibench::fake::setting;
using Result = int;

constexpr Result kSystemError = 2;
constexpr Result kInvalidArgument = 4;
constexpr int kTypes = 10;
// Of float16 there is no fake.
constexpr std::size_t kBytes[kTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

enum class Kind : std::uint8_t { all_reduce, reduce, broadcast, all_gather, reduce_scatter, exchange };

struct Transfer {
  bool is_send;
  std::byte* at;
  std::size_t bytes;
  int peer;
};
struct Call {
  Kind kind;
  const std::byte* send;
  std::byte* receive;
  std::size_t count;
  int type, op, root;
  std::vector<Transfer> transfers;
};

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

template <typename T>
T combined(T a, T b, int op) {
  switch (op) {
    case 1:
      return static_cast<T>(a * b);
    case 2:
      return std::max(a, b);
    case 3:
      return std::min(a, b);
    default:
      return static_cast<T>(a + b);
  }
}

float widened(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16U;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}
// Of values that need no rounding.
std::uint16_t narrowed(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16U);
}

template <typename T>
void reduce_as(const std::vector<const std::byte*>& inputs, std::byte* output, std::size_t count, int op) {
  for (std::size_t i = 0; i < count; ++i) {
    T sum{};
    std::memcpy(&sum, inputs[0] + i * sizeof(T), sizeof(T));
    for (std::size_t k = 1; k < inputs.size(); ++k) {
      T next{};
      std::memcpy(&next, inputs[k] + i * sizeof(T), sizeof(T));
      sum = combined(sum, next, op);
    }
    if (op == 4) sum = static_cast<T>(sum / static_cast<T>(inputs.size()));
    std::memcpy(output + i * sizeof(T), &sum, sizeof(T));
  }
}

void reduce_bfloat16(const std::vector<const std::byte*>& inputs, std::byte* output, std::size_t count,
                     int op) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto element = [&](const std::byte* input) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, input + i * sizeof bits, sizeof bits);
      return widened(bits);
    };
    float sum = element(inputs[0]);
    for (std::size_t k = 1; k < inputs.size(); ++k) sum = combined(sum, element(inputs[k]), op);
    if (op == 4) sum /= static_cast<float>(inputs.size());
    const std::uint16_t bits = narrowed(sum);
    std::memcpy(output + i * sizeof bits, &bits, sizeof bits);
  }
}

void reduce(const std::vector<const std::byte*>& inputs, std::byte* output, std::size_t count, int type,
            int op) {
  switch (type) {
    case 0:
      return reduce_as<std::int8_t>(inputs, output, count, op);
    case 1:
      return reduce_as<std::uint8_t>(inputs, output, count, op);
    case 2:
      return reduce_as<std::int32_t>(inputs, output, count, op);
    case 3:
      return reduce_as<std::uint32_t>(inputs, output, count, op);
    case 4:
      return reduce_as<std::int64_t>(inputs, output, count, op);
    case 5:
      return reduce_as<std::uint64_t>(inputs, output, count, op);
    case 7:
      return reduce_as<float>(inputs, output, count, op);
    case 8:
      return reduce_as<double>(inputs, output, count, op);
    default:
      return reduce_bfloat16(inputs, output, count, op);
  }
}

// What a rank sends to one peer, in order, is what that peer receives from it, in order.
void exchange(const std::vector<const Call*>& calls) {
  for (std::size_t to = 0; to < calls.size(); ++to) {
    for (std::size_t from = 0; from < calls.size(); ++from) {
      const auto of = [](const Call& call, bool send, std::size_t peer) {
        std::vector<const Transfer*> found;
        for (const Transfer& transfer : call.transfers) {
          if (transfer.is_send == send && transfer.peer == static_cast<int>(peer)) found.push_back(&transfer);
        }
        return found;
      };
      const auto sends = of(*calls[from], true, to);
      const auto receives = of(*calls[to], false, from);
      for (std::size_t i = 0; i < std::min(sends.size(), receives.size()); ++i)
        std::memmove(receives[i]->at, sends[i]->at, receives[i]->bytes);
    }
  }
}

// Inputs are copied first: in place a rank's output is its input.
void compute(const std::vector<const Call*>& calls) {
  const Call& first = *calls.front();
  if (first.kind == Kind::exchange) return exchange(calls);
  const std::size_t n = calls.size();
  const std::size_t block = first.count * kBytes[first.type];
  const std::size_t given = block * (first.kind == Kind::reduce_scatter ? n : 1);
  std::vector<std::vector<std::byte>> copies;
  for (const Call* call : calls) {
    const bool gives = first.kind != Kind::broadcast || call == calls[static_cast<std::size_t>(first.root)];
    copies.emplace_back(call->send, call->send + (gives ? given : 0));
  }
  std::vector<const std::byte*> inputs(n);
  for (std::size_t rank = 0; rank < n; ++rank) {
    std::byte* const out = calls[rank]->receive;
    const bool is_root = rank == static_cast<std::size_t>(first.root);
    for (std::size_t k = 0; k < n; ++k)
      inputs[k] = copies[k].data() + (first.kind == Kind::reduce_scatter ? rank * block : 0);
    if (first.kind == Kind::broadcast) {
      std::memcpy(out, copies[static_cast<std::size_t>(first.root)].data(), block);
    } else if (first.kind == Kind::all_gather) {
      for (std::size_t k = 0; k < n; ++k) std::memcpy(out + k * block, copies[k].data(), block);
    } else if (first.kind != Kind::reduce || is_root) {
      reduce(inputs, out, first.count, first.type, first.op);
    }
  }
  if (setting("nccl-wrong", 0) != 0) calls.front()->receive[0] ^= std::byte{1};
}

}  // namespace

struct Communicator {
  std::shared_ptr<Clique> clique;
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
  if (rank == setting("nccl-absent", -1)) return;
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

Result enqueue(Communicator* of, StreamHandle* stream, Call call) {
  if (of == nullptr || stream == nullptr || call.type < 0 || call.type >= kTypes) return kInvalidArgument;
  if (setting("nccl-fails", 0) != 0) return kSystemError;
  static auto* const put = reinterpret_cast<int (*)(StreamHandle*, std::function<void()>*)>(
      dlsym(dlopen("libcuda.so.1", RTLD_NOW), "fakeEnqueue"));
  std::function<void()> task = [clique = of->clique, rank = of->rank, number = of->calls++,
                                call = std::move(call)] { take_part(*clique, rank, number, call); };
  return put(stream, &task) == 0 ? 0 : 1;
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
  *version = 22105;
  return 0;
}
EXPORTED const char* ncclGetErrorString(Result code) {
  return code == kSystemError ? "as the fake NCCL was told" : "invalid argument (fake NCCL)";
}
EXPORTED Result ncclCommInitAll(Communicator** all, int count, const int*) {
  if (const long code = setting("nccl-init", 0); code != 0) return static_cast<Result>(code);
  if (count > setting("devices", 1)) return kInvalidArgument;
  const auto clique = std::make_shared<Clique>(count);
  for (int rank = 0; rank < count; ++rank) all[rank] = new Communicator{clique, rank};
  return 0;
}
EXPORTED Result ncclCommDestroy(Communicator* one) {
  delete one;
  return 0;
}
EXPORTED Result ncclCommAbort(Communicator* one) {
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
