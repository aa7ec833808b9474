// A model of a GPU on which the CUDA kernels run as they are written: each thread is a fiber, and whatever
// they wait for (barriers, the other lanes of a warp, copies) lets others run meanwhile.
//
// What is asynchronous on a GPU is made as late, and as harmful, as it may be. Where a copy to shared memory
// begins, the place is spoilt at once and gets its data only when somebody waits for them, or at random. A
// copy from shared memory, and a matrix product, read it only when they are waited for. So a wait that is
// missing, too early or for the wrong thing gives a wrong result, and one that never ends is told as that.
#pragma once

#include <ucontext.h>

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace pibench::model {

inline constexpr std::uint32_t kWindow =
    512;  // where shared memory begins: no more aligned than it has to be
inline constexpr std::size_t kStackBytes = std::size_t{96} << 10U;
inline constexpr int kSpoilt = 0xa5;

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A barrier in shared memory: a phase ends when all have arrived and all bytes announced have come.
struct PhaseBarrier {
  std::uint32_t arrivals = 0, missing = 0;
  std::int64_t bytes = 0;
  std::uint32_t phase = 0;
  void settle() {
    if (missing != 0 || bytes != 0) return;
    missing = arrivals;
    ++phase;
  }
};

// Where threads of a block or of a cluster meet.
struct Meeting {
  std::uint32_t here = 0, round = 0;
};

struct Block {
  std::uint32_t index = 0, rank = 0;
  std::uint32_t running = 0;  // threads that have not ended; without any, its shared memory is gone
  std::vector<std::byte> shared;
  std::map<std::uint32_t, PhaseBarrier> barriers;
  std::map<std::uint32_t, Meeting> meetings;

  void check_there() const {
    if (running == 0) throw Failure("the shared memory of a block is reached that has ended");
  }
  [[nodiscard]] std::byte* at(std::uint32_t address, std::size_t bytes) {
    check_there();
    if (address < kWindow || address - kWindow + bytes > shared.size())
      throw Failure("shared memory is left at " + std::to_string(address));
    return shared.data() + (address - kWindow);
  }
  [[nodiscard]] PhaseBarrier& barrier(std::uint32_t address) {
    check_there();
    const auto found = barriers.find(address);
    if (found == barriers.end()) throw Failure("no barrier was initialised at " + std::to_string(address));
    return found->second;
  }
};

// What the lanes of a warp give each other: the last to come computes for all.
struct Warp {
  std::uint32_t here = 0, round = 0;
  const void* given[32] = {};
};

using Work = std::function<void()>;

struct Thread {
  std::uint32_t index = 0;
  Block* block = nullptr;
  Warp* warp = nullptr;
  // A context begins the fiber on its stack; from then on a jump leads there, which costs no system call.
  ucontext_t context{};
  jmp_buf place{};
  std::unique_ptr<std::byte[]> stack;
  void* fake_stack = nullptr;  // of the address sanitizer
  bool begun = false;
  bool done = false;
  bool dirty = false;                          // has written to shared memory what no engine may read yet
  std::function<bool()> ready;                 // none: it can go on
  std::vector<Work> copies, stores, products;  // begun, in no group yet
  std::deque<std::vector<Work>> copied, stored, multiplied;  // groups that nobody has waited for
};

class Device {
 public:
  // Runs one cluster of blocks to its end. Throws Failure where they wait for each other for ever.
  void run(std::vector<Block>& blocks, std::uint32_t threads, std::uint32_t grid,
           const std::function<void()>& kernel);

  // The thread that runs.
  [[nodiscard]] Thread& self() const {
    if (current_ == nullptr) throw Failure("nothing runs");
    return *current_;
  }
  [[nodiscard]] std::vector<Thread>& threads() { return threads_; }
  // Of the cluster that runs.
  [[nodiscard]] std::vector<Block>& blocks() const {
    if (blocks_ == nullptr) throw Failure("nothing runs");
    return *blocks_;
  }
  [[nodiscard]] std::uint32_t grid() const { return grid_; }
  [[nodiscard]] std::uint32_t block_threads() const { return block_threads_; }
  // Of all that ran, as the instructions that did them say.
  [[nodiscard]] std::uint64_t multiply_adds() const { return multiply_adds_; }
  void count_multiply_adds(std::uint64_t count) { multiply_adds_ += count; }
  // Lets others run until `ready` holds.
  void wait(std::function<bool()> ready) {
    if (ready()) return;
    current_->ready = std::move(ready);
    leave();
  }
  // Whether what ends by itself does so only when nothing else can go on: then one block gets as far ahead of
  // another as it can. Otherwise it may end any time.
  void set_patient(bool patient) { patient_ = patient; }
  // Something that ends by itself, some time.
  void later(Work work) { pending_.push_back(std::move(work)); }

 private:
  static void enter();
  void resume(Thread& thread);
  void leave();
  bool advance();

  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<Block>* blocks_ = nullptr;
  const std::function<void()>* kernel_ = nullptr;
  std::deque<Work> pending_;
  Thread* current_ = nullptr;
  jmp_buf scheduler_{};
  std::uint32_t grid_ = 0, block_threads_ = 0;
  bool patient_ = false;
  std::uint64_t multiply_adds_ = 0;
  std::uint64_t chance_ = 0x9e3779b97f4a7c15ULL;
  std::exception_ptr failure_;
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack_ = nullptr;  // of the scheduler
  const void* scheduler_stack_ = nullptr;
  std::size_t scheduler_bytes_ = 0;
#endif
};

inline Device& device() {
  static Device one;
  return one;
}

inline void Device::enter() {
  Device& self = device();
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &self.scheduler_stack_, &self.scheduler_bytes_);
#endif
  try {
    (*self.kernel_)();
  } catch (...) {
    self.failure_ = std::current_exception();
  }
  self.current_->done = true;
  --self.current_->block->running;
  self.leave();
}

inline void Device::leave() {
  Thread* thread = current_;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(thread->done ? nullptr : &thread->fake_stack, scheduler_stack_,
                                 scheduler_bytes_);
#endif
  if (_setjmp(thread->place) == 0) _longjmp(scheduler_, 1);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(current_->fake_stack, &scheduler_stack_, &scheduler_bytes_);
#endif
}

inline void Device::resume(Thread& thread) {
  current_ = &thread;
  thread.ready = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&fake_stack_, thread.stack.get(), kStackBytes);
#endif
  if (_setjmp(scheduler_) == 0) {
    if (current_->begun) _longjmp(current_->place, 1);
    current_->begun = true;
    setcontext(&current_->context);
  }
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack_, nullptr, nullptr);
#endif
}

// One look at every thread. Returns whether anything went on.
inline bool Device::advance() {
  bool moved = false;
  for (Thread& thread : threads_) {
    if (thread.done || (thread.ready && !thread.ready())) continue;
    resume(thread);
    moved = true;
    if (failure_) std::rethrow_exception(failure_);
  }
  return moved;
}

inline void Device::run(std::vector<Block>& blocks, std::uint32_t threads, std::uint32_t grid,
                        const std::function<void()>& kernel) {
  blocks_ = &blocks;
  kernel_ = &kernel;
  grid_ = grid;
  block_threads_ = threads;
  failure_ = nullptr;
  pending_.clear();
  const std::size_t count = blocks.size() * threads;
  for (Block& block : blocks) block.running = threads;
  threads_ = std::vector<Thread>(count);
  warps_ = std::vector<Warp>((count + 31) / 32);
  for (std::size_t i = 0; i < count; ++i) {
    Thread& thread = threads_[i];
    thread.index = static_cast<std::uint32_t>(i % threads);
    thread.block = &blocks[i / threads];
    thread.warp = &warps_[i / 32];
    thread.stack = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = kStackBytes;
    thread.context.uc_link = nullptr;
    makecontext(&thread.context, &Device::enter, 0);
  }
  for (;;) {
    const bool moved = advance();
    bool all = true;
    for (const Thread& thread : threads_) all = all && thread.done;
    if (all && pending_.empty()) return;
    // In any order.
    chance_ = chance_ * 6364136223846793005ULL + 1442695040888963407ULL;
    if (!pending_.empty() && (!moved || (!patient_ && chance_ >> 62 == 0))) {
      const auto which = static_cast<std::ptrdiff_t>((chance_ >> 33) % pending_.size());
      const Work work = std::move(pending_[static_cast<std::size_t>(which)]);
      pending_.erase(pending_.begin() + which);
      work();
    } else if (!moved) {
      throw Failure("the threads wait for each other for ever");
    }
  }
}

}  // namespace pibench::model
