#include "shm_port.h"

#include <algorithm>
#include <cstring>

#include "../../../kernels/cpu/cache_sizes.h"

namespace pibench::collective {
namespace {

// Every rank reads the lines of every other: more than a barrier of few rounds soon.
constexpr int kMostRanksOfLines = 16;

// What is asked for ahead of inputs, and as much of outputs, stays in a first cache.
constexpr std::size_t kMostAhead = std::size_t{16} << 10U;
// What is read one input after the other before it is reduced: all inputs together, so that they and the
// outputs stay in a first cache.
constexpr std::size_t kBlocks = std::size_t{8} << 10U;
constexpr std::size_t kLeastBlock = 512;

void ask_for(const std::byte* from, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(from + at);
}

// To write: lines come as this CPU's own, for which a store would have to wait otherwise.
void ask_for_own(const std::byte* to, std::size_t bytes) noexcept {
#if defined(__x86_64__)
  // The builtin asks only to read them, unless the whole build is for CPUs that know this one. Those that do
  // not, of 64 bits, do nothing.
  for (std::size_t at = 0; at < bytes; at += kLineBytes) asm volatile("prefetchw %0" : : "m"(to[at]));
#else
  for (std::size_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(to + at, 1);
#endif
}

// Loads, unlike a prefetch, that the CPU may not leave out where it has too many under way.
void read_lines(const std::byte* from, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += kLineBytes)
    static_cast<void>(*static_cast<const volatile std::byte*>(from + at));
}

std::size_t lines_of(std::size_t bytes) noexcept {
  return std::max<std::size_t>(1, (bytes + kLinePayload - 1) / kLinePayload);
}

}  // namespace

ShmPort::ShmPort(const ShmGround& ground, int rank, Waiter waiter)
    : ground_(ground),
      rank_(rank),
      waiter_(std::move(waiter)),
      element_(bytes_of(ground.problem.element)),
      block_(ground.problem.count * element_),
      part_(part_of(ground.problem.count, element_, ground.problem.ranks, rank)),
      scratch_inputs_(static_cast<std::size_t>(ground.problem.ranks)),
      blocks_(scratch_inputs_.size()) {
  part_ = {part_.begin * element_, part_.end * element_};
  const Problem& problem = ground.problem;
  std::size_t most = 0;
  for (int r = 0; r < problem.ranks; ++r) most = std::max(most, given(problem, r) * element_);
  const auto add = [this](const char* name, Algorithm algorithm) {
    algorithms_.push_back(name);
    kinds_.push_back(algorithm);
  };
  if (most <= kMostLinesPayload && problem.ranks <= kMostRanksOfLines) {
    add("lines", Algorithm::lines);
    scratch_.resize(scratch_inputs_.size() * kMostLinesPayload);
    for (std::size_t r = 0; r < scratch_inputs_.size(); ++r)
      scratch_inputs_[r] = scratch_.data() + r * kMostLinesPayload;
  }
  add("direct", Algorithm::direct);
  worth_trying_ = algorithms_.size();
  constexpr std::size_t kLeastStreamed = std::size_t{256} << 10U;
  const bool swaps = problem.operation == Operation::all_to_all && problem.in_place;
  if (most >= kLeastStreamed && !swaps) {
    if (reduces(problem.operation)) add("blocks", Algorithm::blocks);
    add("streaming", Algorithm::streaming);
    // What fits into a core's own cache is read from there next.
    if (most > static_cast<std::size_t>(kernels::cache_sizes().l2)) worth_trying_ = algorithms_.size();
  }
  choose(0);
}

Operands ShmPort::operands() noexcept {
  const auto r = static_cast<std::size_t>(rank_);
  return {{ground_.inputs[r], given(ground_.problem, rank_) * element_},
          {ground_.outputs[r], gotten(ground_.problem, rank_) * element_}};
}

void ShmPort::choose(std::size_t algorithm) noexcept {
  chosen_ = kinds_[std::min(algorithm, kinds_.size() - 1)];
}

void ShmPort::run() noexcept {
  if (chosen_ == Algorithm::lines) {
    exchange_lines();
    return;
  }
  if (ground_.problem.operation == Operation::barrier) {
    barrier();
    return;
  }
  barrier_while([this] { ask_ahead(); });
  execute();
  barrier();
}

// Dissemination (Hensgen, Finkel & Manber 1988): in round k each rank tells the one 2^k after it. Counters
// only grow, and a rank is never more than one barrier ahead of another, so nothing has to be taken back. No
// division on the way: small operands take hardly longer than a barrier.
template <typename Meanwhile>
void ShmPort::barrier_while(const Meanwhile& meanwhile) noexcept {
  const int n = ground_.problem.ranks;
  const std::uint64_t number = ++barriers_;
  int round = 0;
  for (int distance = 1; distance < n; distance *= 2, ++round) {
    const auto k = static_cast<std::size_t>(round);
    const int after = rank_ + distance < n ? rank_ + distance : rank_ + distance - n;
    const int before = rank_ < distance ? rank_ - distance + n : rank_ - distance;
    ground_.boards[after].arrived[k].value.store(number, std::memory_order_release);
    if (round == 0) meanwhile();
    const Flag& mine = ground_.boards[rank_].arrived[k];
    waiter_.until([&] { return mine.value.load(std::memory_order_acquire) >= number; }, before);
  }
}

void ShmPort::barrier() noexcept {
  barrier_while([] {});
}

void ShmPort::meet() noexcept {
  waiter_.forgive(true);
  barrier();
  waiter_.forgive(false);
}

// What this rank will write of other ranks' outputs and read of their inputs, as much of each as a first
// cache holds: who is here already has written its input, and whoever writes it still gets the lines back.
void ShmPort::ask_ahead() const noexcept {
  const Problem& p = ground_.problem;
  if (!reduces(p.operation)) return;
  const bool whole_block = p.operation == Operation::reduce_scatter;
  const std::size_t begin = whole_block ? static_cast<std::size_t>(rank_) * block_ : part_.begin;
  const std::size_t bytes = whole_block ? block_ : part_.end - part_.begin;
  const std::size_t each = std::min(bytes, kMostAhead / ground_.inputs.size());
  for (int r = 0; r < p.ranks; ++r) {
    const bool written =
        p.operation == Operation::all_reduce || (p.operation == Operation::reduce && r == p.root);
    // What streams goes past the caches.
    if (written && chosen_ != Algorithm::streaming && r != rank_)
      ask_for_own(ground_.outputs[static_cast<std::size_t>(r)] + begin, each);
  }
  for (int r = 0; r < p.ranks; ++r) {
    if (r != rank_) ask_for(ground_.inputs[static_cast<std::size_t>(r)] + begin, each);
  }
}

Nanoseconds ShmPort::latest(Nanoseconds mine) noexcept {
  const std::uint64_t number = ++agreements_;
  const std::size_t set = number % 2;
  Said& said = ground_.boards[rank_].said[set];
  said.value.store(mine, std::memory_order_relaxed);
  said.flag.store(number, std::memory_order_release);
  Nanoseconds largest = mine;
  for (int r = 0; r < ground_.problem.ranks; ++r) {
    const Said& other = ground_.boards[r].said[set];
    waiter_.until([&] { return other.flag.load(std::memory_order_acquire) >= number; }, r);
    largest = std::max(largest, other.value.load(std::memory_order_relaxed));
  }
  return largest;
}

void ShmPort::exchange_lines() noexcept {
  const Problem& problem = ground_.problem;
  const std::uint64_t number = ++exchanges_;
  const std::size_t set = number % 2;
  const auto self = static_cast<std::size_t>(rank_);
  const std::size_t own = given(problem, rank_) * element_;
  const std::size_t own_lines = lines_of(own);
  for (std::size_t i = 0; i < own_lines; ++i) {
    Line& line = ground_.boards[self].lines[set][i];
    const std::size_t at = i * kLinePayload;
    std::memcpy(line.payload.data(), ground_.inputs[self] + at,
                own == 0 ? 0 : std::min(kLinePayload, own - at));
    line.flag.store(number, std::memory_order_release);
  }
  if (own > 0) std::memcpy(scratch_.data() + self * kMostLinesPayload, ground_.inputs[self], own);
  for (int r = 0; r < problem.ranks; ++r) {
    if (r == rank_) continue;
    const auto other = static_cast<std::size_t>(r);
    const std::size_t lines = lines_of(given(problem, r) * element_);
    std::byte* const to = scratch_.data() + other * kMostLinesPayload;
    for (std::size_t i = 0; i < lines; ++i) {
      const Line& line = ground_.boards[other].lines[set][i];
      waiter_.until([&] { return line.flag.load(std::memory_order_acquire) >= number; }, r);
      std::memcpy(to + i * kLinePayload, line.payload.data(), kLinePayload);
    }
  }
  complete_alone(scratch_inputs_);
}

// This rank's output alone, from copies of what all ranks give.
void ShmPort::complete_alone(std::span<std::byte* const> inputs) noexcept {
  const Problem& p = ground_.problem;
  std::byte* const out = ground_.outputs[static_cast<std::size_t>(rank_)];
  const auto n = static_cast<std::size_t>(p.ranks);
  const std::size_t mine = static_cast<std::size_t>(rank_) * block_;
  const auto reduced = [&](std::size_t from) {
    for (std::size_t r = 0; r < n; ++r) blocks_[r] = inputs[r] + from;
    reduce_part(blocks_, {0, block_}, {&out, 1});
  };
  switch (p.operation) {
    case Operation::all_reduce:
      return reduced(0);
    case Operation::reduce:
      if (rank_ == p.root) reduced(0);
      return;
    case Operation::reduce_scatter:
      return reduced(mine);
    case Operation::broadcast:
      std::memcpy(out, inputs[static_cast<std::size_t>(p.root)], block_);
      return;
    case Operation::scatter:
      std::memcpy(out, inputs[static_cast<std::size_t>(p.root)] + mine, block_);
      return;
    case Operation::gather:
      if (rank_ != p.root) return;
      [[fallthrough]];
    case Operation::all_gather:
      for (std::size_t r = 0; r < n; ++r) std::memcpy(out + r * block_, inputs[r], block_);
      return;
    case Operation::all_to_all:
      for (std::size_t r = 0; r < n; ++r) std::memcpy(out + r * block_, inputs[r] + mine, block_);
      return;
    case Operation::send_recv:
      std::memcpy(out, inputs[static_cast<std::size_t>(source_of(p, rank_))], block_);
      return;
    case Operation::barrier:
      return;
  }
}

void ShmPort::copy(std::byte* to, const std::byte* from, std::size_t bytes) const noexcept {
  // In place some blocks are where they belong.
  if (to != from) ground_.kernels->copy[chosen_ == Algorithm::streaming ? 1 : 0](to, from, bytes);
}

// Operands past a core's own cache are read faster one after the other than all of them at once, which is
// more streams than the CPU looks ahead in; so in blocks, each of which is reduced from the first cache.
void ShmPort::reduce_part(std::span<std::byte* const> inputs, Part bytes,
                          std::span<std::byte* const> outputs) noexcept {
  const Problem& p = ground_.problem;
  if (bytes.begin == bytes.end) return;
  const auto reduce = ground_.kernels->reduce[static_cast<int>(p.element)][static_cast<int>(p.redop)];
  const auto reduce_from = [&](std::size_t begin, std::size_t end) {
    reduce({inputs.data(), p.ranks, outputs.data(), static_cast<int>(outputs.size()), begin, end, p.ranks},
           chosen_ == Algorithm::streaming);
  };
  if (chosen_ != Algorithm::blocks) return reduce_from(bytes.begin, bytes.end);
  const std::size_t block = std::max(kLeastBlock, kBlocks / inputs.size() / kLeastBlock * kLeastBlock);
  for (std::size_t at = bytes.begin; at < bytes.end; at += block) {
    const std::size_t some = std::min(block, bytes.end - at);
    for (const std::byte* const input : inputs) read_lines(input + at, some);
    reduce_from(at, at + some);
  }
}

void ShmPort::execute() noexcept {
  const Problem& p = ground_.problem;
  const auto self = static_cast<std::size_t>(rank_);
  const auto root = static_cast<std::size_t>(p.root);
  const std::size_t mine = self * block_;
  const auto& inputs = ground_.inputs;
  const auto& outputs = ground_.outputs;
  switch (p.operation) {
    case Operation::all_reduce:
      return reduce_part(inputs, part_, outputs);
    case Operation::reduce:
      return reduce_part(inputs, part_, {&outputs[root], 1});
    case Operation::reduce_scatter: {
      for (std::size_t r = 0; r < blocks_.size(); ++r) blocks_[r] = inputs[r] + mine;
      return reduce_part(blocks_, {0, block_}, {&outputs[self], 1});
    }
    case Operation::broadcast:
      return copy(outputs[self], inputs[root], block_);
    case Operation::scatter:
      return copy(outputs[self], inputs[root] + mine, block_);
    case Operation::gather:
      return copy(outputs[root] + mine, inputs[self], block_);
    case Operation::send_recv:
      return copy(outputs[self], inputs[static_cast<std::size_t>(source_of(p, rank_))], block_);
    case Operation::all_to_all:
      if (p.in_place) return exchange_blocks();
      [[fallthrough]];
    case Operation::all_gather: {
      // Each begins with its neighbour, so that not all read from the same rank at once.
      const std::size_t from = p.operation == Operation::all_to_all ? mine : 0;
      for (int j = 0; j < p.ranks; ++j) {
        const auto other = static_cast<std::size_t>((rank_ + j) % p.ranks);
        copy(outputs[self] + other * block_, inputs[other] + from, block_);
      }
      return;
    }
    case Operation::barrier:
      return;
  }
}

// all-to-all in place: of each pair of ranks, each swaps half of the two blocks that change places.
void ShmPort::exchange_blocks() noexcept {
  constexpr std::size_t kPiece = 4096;
  std::byte piece[kPiece];
  const auto self = static_cast<std::size_t>(rank_);
  const std::size_t half = ground_.problem.count / 2 * element_;
  for (int j = 1; j < ground_.problem.ranks; ++j) {
    const auto other = static_cast<std::size_t>((rank_ + j) % ground_.problem.ranks);
    const bool first = self < other;
    std::byte* const here = ground_.outputs[self] + other * block_;
    std::byte* const there = ground_.outputs[other] + self * block_;
    const std::size_t end = first ? half : block_;
    for (std::size_t at = first ? 0 : half; at < end; at += kPiece) {
      const std::size_t bytes = std::min(kPiece, end - at);
      std::memcpy(piece, here + at, bytes);
      std::memcpy(here + at, there + at, bytes);
      std::memcpy(there + at, piece, bytes);
    }
  }
}

Port::Moved ShmPort::moved() const noexcept {
  const Problem& p = ground_.problem;
  if (chosen_ == Algorithm::lines) return {};
  const auto n = static_cast<double>(p.ranks);
  const auto block = static_cast<double>(block_);
  const double in_place = p.in_place ? 1 : 0;
  switch (p.operation) {
    case Operation::all_reduce:
      return {n * block, n * block};
    case Operation::reduce:
      return {n * block, block};
    case Operation::reduce_scatter:
      return {n * n * block, n * block};
    case Operation::broadcast:
    case Operation::scatter:
    case Operation::gather:
      return {(n - in_place) * block, (n - in_place) * block};
    case Operation::all_gather:
    case Operation::all_to_all:
      return {n * (n - in_place) * block, n * (n - in_place) * block};
    case Operation::send_recv:
      return {n * block, n * block};
    case Operation::barrier:
      break;
  }
  return {};
}

}  // namespace pibench::collective
