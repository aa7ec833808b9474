// One rank's end of shared memory: our own algorithms, over operands that every rank can reach.
//
//   lines      payload and flag in one cache line, for the smallest: each rank publishes what it gives and
//   waits for the
//              lines of all others. Twofold, so that there is no barrier after it.
//   direct     a barrier; each rank reads what it needs where it lies and stores the result where it belongs,
//   the
//              reductions shared by chunks, each of which one rank reduces and stores to all outputs; a
//              barrier
//   streaming  the same with non-temporal stores, past the caches
//
// Which of them is fastest depends on machine and size: the workload tries them (collective_workload.cc).
#pragma once

#include <span>
#include <vector>

#include "../../../kernels/cpu/collective/collective_kernels.h"
#include "../transport.h"
#include "board.h"
#include "waiter.h"

namespace pibench::collective {

// What all ports of a transport share.
struct ShmGround {
  Problem problem;
  const kernels::collective::CollectiveKernels* kernels;
  std::vector<std::byte*> inputs, outputs;  // of each rank; null where it has none
  RankBoard* boards;                        // of each rank
  bool processes;
};

class ShmPort final : public Port {
 public:
  ShmPort(const ShmGround& ground, int rank, Waiter waiter);

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] Operands operands() noexcept override;
  void run() noexcept override;
  void barrier() noexcept override;
  void meet() noexcept override;
  Nanoseconds latest(Nanoseconds mine) noexcept override;
  [[nodiscard]] std::span<const char* const> algorithms() const noexcept override { return algorithms_; }
  void choose(std::size_t algorithm) noexcept override;
  [[nodiscard]] std::size_t worth_trying() const noexcept override { return worth_trying_; }
  [[nodiscard]] Moved moved() const noexcept override;
  void watch_waiting(bool on) noexcept override { waiter_.watch(on); }
  [[nodiscard]] Nanoseconds waited() const noexcept override { return waiter_.waited(); }
  // Rank 0 is in the process that measures.
  [[nodiscard]] bool is_process() const noexcept override { return ground_.processes && rank_ > 0; }
  [[nodiscard]] bool abandoned() const noexcept override { return waiter_.abandoned(); }

  Waiter& waiter() noexcept { return waiter_; }

 private:
  enum class Algorithm : std::uint8_t { lines, direct, blocks, streaming };

  // A barrier; after it has told the first rank, and before it waits, it does what may be done meanwhile.
  template <typename Meanwhile>
  void barrier_while(const Meanwhile& meanwhile) noexcept;
  void ask_ahead() const noexcept;
  void exchange_lines() noexcept;
  void complete_alone(std::span<std::byte* const> inputs) noexcept;
  void execute() noexcept;
  void reduce_part(std::span<std::byte* const> inputs, Part bytes,
                   std::span<std::byte* const> outputs) noexcept;
  void exchange_blocks() noexcept;
  void copy(std::byte* to, const std::byte* from, std::size_t bytes) const noexcept;

  const ShmGround& ground_;
  int rank_;
  Waiter waiter_;
  std::size_t element_;
  std::size_t block_;  // bytes of `count` elements
  Part part_;          // of a block, what falls to this rank, in bytes
  std::vector<const char*> algorithms_;
  std::vector<Algorithm> kinds_;  // of algorithms_
  std::size_t worth_trying_ = 0;
  Algorithm chosen_ = Algorithm::direct;
  std::uint64_t barriers_ = 0, exchanges_ = 0, agreements_ = 0;
  std::vector<std::byte> scratch_;  // what came by lines, a part for each rank
  std::vector<std::byte*> scratch_inputs_;
  std::vector<std::byte*> blocks_;  // of each rank's input, the block that this rank reduces
};

}  // namespace pibench::collective
