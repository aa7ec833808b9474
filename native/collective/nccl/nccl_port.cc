#include "nccl_port.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "../../cuda/event_clock.h"
#include "../../threads/pause.h"

namespace pibench::collective::nccl {
namespace {

const cuda::Functions& cu() { return cuda::Driver::get().functions(); }

constexpr std::array<const char*, 1> kAlgorithms{"nccl"};
// Of an element.
constexpr std::size_t kMostBytes = 8;

}  // namespace

NcclPort::NcclPort(Port& host, const Problem& problem, const Library& library, Communicator* communicator,
                   int ordinal, Nanoseconds patience, Failure& failure)
    : ForwardingPort(host),
      problem_(problem),
      library_(library),
      communicator_(communicator),
      patience_(patience),
      failure_(failure),
      context_(ordinal),
      stream_(cuda::make_stream()),
      begun_(cuda::make_event()),
      done_(cuda::make_event()),
      layout_(layout_of(problem, host.rank())),
      at_end_(kMostAtEnd * kMostBytes) {
  if (layout_.bytes > 0) memory_ = std::make_unique<cuda::DeviceMemory>(layout_.bytes);
}

// Whoever frees it must have its context.
NcclPort::~NcclPort() { static_cast<void>(cu().cuCtxSetCurrent(context_.get())); }

std::span<const char* const> NcclPort::algorithms() const noexcept { return kAlgorithms; }

void NcclPort::note(cuda::Result code, const char* call) noexcept {
  if (code == cuda::result::kSuccess) return;
  failure_.tell("rank " + std::to_string(rank()) + ": " + call + ": " + cuda::Driver::get().describe(code));
}

void NcclPort::publish() noexcept {
  const auto [input, output] = operands();
  if (!input.empty())
    note(cu().cuMemcpyHtoD_v2(memory_->address() + layout_.input, input.data(), input.size()),
         "cuMemcpyHtoD_v2");
  if (!output.empty() && !shares_memory(problem_, rank()))
    note(cu().cuMemcpyHtoD_v2(memory_->address() + layout_.output, output.data(), output.size()),
         "cuMemcpyHtoD_v2");
  // Of pageable memory the call may return while the last of it is still on its way.
  note(cu().cuCtxSynchronize(), "cuCtxSynchronize");
}

void NcclPort::fetch() noexcept {
  const auto output = operands().output;
  if (output.empty() || failure_.happened()) return;
  note(cu().cuMemcpyDtoH_v2(output.data(), memory_->address() + layout_.output, output.size()),
       "cuMemcpyDtoH_v2");
}

void NcclPort::fetch_input() noexcept {
  const auto input = operands().input;
  if (input.empty() || failure_.happened()) return;
  note(cu().cuMemcpyDtoH_v2(input.data(), memory_->address() + layout_.input, input.size()),
       "cuMemcpyDtoH_v2");
}

void NcclPort::bring_at_end(std::span<const std::size_t> places) noexcept {
  brought_ = std::min(places.size(), kMostAtEnd);
  std::copy_n(places.begin(), brought_, places_.begin());
}

const std::byte* NcclPort::at_end(std::size_t i) const noexcept {
  return i < brought_ ? at_end_.data() + i * kMostBytes : nullptr;
}

void NcclPort::record(const cuda::Event& event) noexcept {
  note(cu().cuEventRecord(event.get(), stream_.get()), "cuEventRecord");
}

Nanoseconds NcclPort::elapsed() noexcept {
  float milliseconds = 0;
  note(cu().cuEventElapsedTime(&milliseconds, begun_.get(), done_.get()), "cuEventElapsedTime");
  return std::llround(static_cast<double>(milliseconds) * 1e6);
}

void NcclPort::begin() noexcept { record(begun_); }

void NcclPort::run() noexcept {
  if (failure_.happened()) return;
  const Result result = call();
  if (result == kSuccess) return;
  failure_.tell("rank " + std::to_string(rank()) + ": " + library_.describe(result, "a call of NCCL"));
}

Nanoseconds NcclPort::ended(Nanoseconds entry, Nanoseconds exit) noexcept {
  record(done_);
  // In the order of the stream, which waits for nobody but who joined it: a later copy of everything would
  // also find what came after the time.
  const std::size_t element = bytes_of(problem_.element);
  for (std::size_t i = 0; i < brought_; ++i)
    note(cu().cuMemcpyDtoHAsync_v2(at_end_.data() + i * kMostBytes,
                                   memory_->address() + layout_.output + places_[i] * element, element,
                                   stream_.get()),
         "cuMemcpyDtoHAsync_v2");
  return await_stream() ? entry + elapsed() : exit;
}

// Pairs of events with nothing between them, each on a stream at rest, as the first of a call's is. A pair
// holds the time, too, that the host takes to hand in the second one, which a call hides that takes longer:
// so the least of them is told, and no more is known of how much events themselves take.
NamedClock NcclPort::clock() noexcept {
  constexpr std::size_t kPairs = 192;
  std::vector<Nanoseconds> empty;
  while (empty.size() < kPairs && !failure_.happened()) {
    record(begun_);
    record(done_);
    if (await_stream()) empty.push_back(elapsed());
  }
  const Nanoseconds least = empty.empty() ? 0 : *std::ranges::min_element(empty);
  ClockQuality quality = cuda::quality_of_events(std::move(empty));
  quality.overhead_seconds = static_cast<double>(least) * 1e-9;
  return {cuda::kEventClock, quality};
}

// A rank that never comes would let the others wait for ever on their GPUs.
bool NcclPort::await_stream() noexcept {
  constexpr Nanoseconds kLookEvery = 1'000'000;
  const Nanoseconds begin = pibench::now();
  Nanoseconds next = begin + kLookEvery;
  for (;;) {
    const cuda::Result code = cu().cuStreamQuery(stream_.get());
    if (code == cuda::result::kSuccess) return !failure_.happened();
    if (code != cuda::result::kNotReady) {
      note(code, "cuStreamQuery");
      abort();
      return false;
    }
    pause_cpu();
    const Nanoseconds at = pibench::now();
    if (at < next) continue;
    next = at + kLookEvery;
    Result error = kSuccess;
    if (library_.comm_async_error(communicator_, &error) == kSuccess && error != kSuccess &&
        error != kInProgress)
      failure_.tell("rank " + std::to_string(rank()) + ": " + library_.describe(error, "NCCL"));
    if (at - begin > patience_)
      failure_.tell("rank " + std::to_string(rank()) + " waited " +
                    std::to_string(patience_ / 1'000'000'000) + " s for a call of NCCL that did not end");
    if (!failure_.happened()) continue;
    abort();
    return false;
  }
}

// Ends what the rank's kernels wait for: they would keep its stream, which is destroyed with them, for ever.
void NcclPort::abort() noexcept { static_cast<void>(library_.comm_abort(communicator_)); }

Result NcclPort::call() noexcept {
  // A rank without operands is given an address that nobody reads.
  const cuda::Address base = memory_ ? memory_->address() : 0;
  const void* const in = cuda::pointer<const void>(base + layout_.input);
  void* const out = cuda::pointer<void>(base + layout_.output);
  const int type = data_type(problem_);
  const int op = reduction(problem_.redop);
  const std::size_t count = problem_.count;
  const int root = problem_.root;
  auto* const s = stream_.get();
  switch (problem_.operation) {
    case Operation::all_reduce:
      return library_.all_reduce(in, out, count, type, op, communicator_, s);
    case Operation::reduce:
      return library_.reduce(in, out, count, type, op, root, communicator_, s);
    case Operation::broadcast:
      return library_.broadcast(rank() == root ? in : out, out, count, type, root, communicator_, s);
    case Operation::all_gather:
      return library_.all_gather(in, out, count, type, communicator_, s);
    case Operation::reduce_scatter:
      return library_.reduce_scatter(in, out, count, type, op, communicator_, s);
    case Operation::gather:
    case Operation::scatter:
    case Operation::all_to_all:
    case Operation::send_recv:
      return exchange_blocks();
    case Operation::barrier:
      break;
  }
  return kSuccess;
}

// What NCCL has no call for is a group of sends and receives, as its documentation composes them.
Result NcclPort::exchange_blocks() noexcept {
  const int type = data_type(problem_);
  const std::size_t count = problem_.count;
  const std::size_t block = count * bytes_of(problem_.element);
  const cuda::Address in = memory_ ? memory_->address() + layout_.input : 0;
  const cuda::Address out = memory_ ? memory_->address() + layout_.output : 0;
  const Operation operation = problem_.operation;
  const bool is_root = rank() == problem_.root;
  Result first = library_.group_start();
  const auto keep = [&first](Result result) {
    if (first == kSuccess) first = result;
  };
  const auto send = [&](std::size_t from, int peer) {
    keep(library_.send(cuda::pointer<const void>(in + from * block), count, type, peer, communicator_,
                       stream_.get()));
  };
  const auto receive = [&](std::size_t to, int peer) {
    keep(library_.receive(cuda::pointer<void>(out + to * block), count, type, peer, communicator_,
                          stream_.get()));
  };
  if (operation == Operation::send_recv) {
    const bool pairs = problem_.pattern == Pattern::pairs;
    send(0, pairs ? rank() ^ 1 : (rank() + 1) % problem_.ranks);
    receive(0, source_of(problem_, rank()));
  } else {
    if (operation == Operation::gather) send(0, problem_.root);
    if (operation == Operation::scatter) receive(0, problem_.root);
    for (int peer = 0; peer < problem_.ranks; ++peer) {
      const auto place = static_cast<std::size_t>(peer);
      if (operation == Operation::all_to_all || (operation == Operation::scatter && is_root))
        send(place, peer);
      if (operation == Operation::all_to_all || (operation == Operation::gather && is_root))
        receive(place, peer);
    }
  }
  keep(library_.group_end());
  return first;
}

}  // namespace pibench::collective::nccl
