#include "shm_transport.h"

#include <exception>
#include <set>
#include <stdexcept>

#include "../../../kernels/cpu/collective/dispatch.h"
#include "../../threads/affinity.h"
#include "../../threads/team.h"
#include "board.h"
#include "children.h"
#include "memory.h"
#include "shm_port.h"

namespace pibench::collective {
namespace {

using kernels::collective::kernels_named;

// Whether ranks have to share CPUs.
bool is_crowded(const ShmParameters& parameters) {
  if (!parameters.cpus.empty()) {
    const std::set<int> cpus(parameters.cpus.begin(), parameters.cpus.end());
    return static_cast<std::size_t>(parameters.problem.ranks) > cpus.size();
  }
  return parameters.problem.ranks + parameters.beside > CpuSet::of_thread(0).count();
}

// What all ranks have in common, however they run.
class ShmTransport : public Transport {
 public:
  explicit ShmTransport(const ShmParameters& parameters)
      : parameters_(parameters),
        size_(static_cast<std::size_t>(parameters.problem.ranks)),
        crowded_(is_crowded(parameters)),
        memory_(sizeof(Board) + size_ * sizeof(RankBoard), parameters.processes) {
    const Problem& problem = parameters.problem;
    board_ = new (memory_.data()) Board;
    static_assert(sizeof(Board) % kLineBytes == 0);
    ground_.problem = problem;
    ground_.processes = parameters.processes;
    ground_.kernels = &kernels_named(parameters.isa);
    ground_.boards = new (memory_.data() + sizeof(Board)) RankBoard[size_];
    for (int rank = 0; rank < problem.ranks; ++rank) {
      const Layout layout = layout_of(problem, rank);
      operands_.emplace_back(layout.bytes, parameters.processes);
      ground_.inputs.push_back(operands_.back().data() + layout.input);
      ground_.outputs.push_back(operands_.back().data() + layout.output);
    }
  }

  [[nodiscard]] std::span<const Report> reports() const noexcept override { return reports_; }
  [[nodiscard]] std::string implementation() const override {
    return std::string("shm ") + ground_.kernels->name +
           (parameters_.processes ? ", processes" : ", threads");
  }

  [[nodiscard]] std::string failure() const override {
    const Loss loss = board_->loss.load(std::memory_order_acquire);
    if (loss == Loss::none) return {};
    const std::string who = "rank " + std::to_string(board_->lost.load(std::memory_order_relaxed));
    if (loss == Loss::ended)
      return who + " of " + std::to_string(size_) + " " +
             end_of_rank(board_->lost.load(std::memory_order_relaxed));
    return who + " did not arrive within " + std::to_string(parameters_.patience / 1'000'000'000) +
           " s; rank " + std::to_string(board_->waiting.load(std::memory_order_relaxed)) + " waited for it";
  }

 protected:
  [[nodiscard]] Waiter waiter(int rank, std::function<void()> look) const {
    return {*board_, rank, crowded_, parameters_.patience, std::move(look)};
  }
  [[nodiscard]] bool is_lost() const noexcept {
    return board_->loss.load(std::memory_order_acquire) != Loss::none;
  }
  // Of a rank that is no more: how it ended, after its name.
  [[nodiscard]] virtual std::string end_of_rank(int) const { return "ended"; }

  ShmParameters parameters_;
  std::size_t size_;
  bool crowded_;
  SharedMemory memory_;
  std::vector<SharedMemory> operands_;
  Board* board_ = nullptr;
  ShmGround ground_;
  std::vector<Report> reports_ = std::vector<Report>(size_);
};

class ThreadTransport final : public ShmTransport {
 public:
  explicit ThreadTransport(const ShmParameters& parameters)
      : ShmTransport(parameters), team_(parameters.problem.ranks, parameters.cpus), ranks_(size_) {}

  ~ThreadTransport() override {
    // An executor is freed by whom it was made for: it may hold memory of that one's node.
    each([](ThreadTransport& self, std::size_t rank) { self.ranks_[rank] = {}; });
  }
  ThreadTransport(const ThreadTransport&) = delete;
  ThreadTransport& operator=(const ThreadTransport&) = delete;

  void start(const MakeExecutor& make) override {
    make_ = &make;
    each([](ThreadTransport& self, std::size_t rank) { self.start_rank(rank); });
    for (const Rank& rank : ranks_) {
      if (rank.error) std::rethrow_exception(rank.error);
    }
  }

  bool perform(const Order& order) noexcept override {
    if (is_lost()) return false;
    order_ = order;
    each([](ThreadTransport& self, std::size_t rank) {
      self.ranks_[rank].executor->perform(self.order_, self.ranks_[rank].report);
    });
    for (std::size_t rank = 0; rank < size_; ++rank) reports_[rank] = ranks_[rank].report;
    return !is_lost();
  }

  [[nodiscard]] std::vector<int> thread_ids() const override { return team_.thread_ids(); }
  Team& team() noexcept override { return team_; }
  [[nodiscard]] Port& port() noexcept override { return *ranks_[0].port; }

 private:
  struct alignas(kLineBytes) Rank {
    std::unique_ptr<ShmPort> port;
    std::unique_ptr<Executor> executor;
    std::exception_ptr error;
    Report report;
  };

  template <typename Body>
  void each(Body) noexcept {
    team_.run(
        [](void* self, int member) {
          Body{}(*static_cast<ThreadTransport*>(self), static_cast<std::size_t>(member));
        },
        this);
  }

  void start_rank(std::size_t rank) noexcept {
    Rank& self = ranks_[rank];
    try {
      const int number = static_cast<int>(rank);
      self.port = std::make_unique<ShmPort>(ground_, number, waiter(number, {}));
      self.executor = (*make_)(*self.port);
    } catch (...) {
      self.error = std::current_exception();
    }
  }

  Team team_;
  std::vector<Rank> ranks_;
  const MakeExecutor* make_ = nullptr;
  Order order_;
};

// Rank 0 is the calling thread, the others are forked from it: they find every operand at the same address.
class ProcessTransport final : public ShmTransport {
 public:
  explicit ProcessTransport(const ShmParameters& parameters)
      : ShmTransport(parameters),
        team_(1, parameters.cpus.empty() ? std::span<const int>() : std::span(parameters.cpus).first(1)),
        children_(static_cast<int>(size_) - 1, crowded_) {}

  void start(const MakeExecutor& make) override {
    children_.start([this, &make](int rank) {
      if (!parameters_.cpus.empty()) {
        CpuSet one;
        one.add(parameters_.cpus[static_cast<std::size_t>(rank)]);
        one.bind(0);
      }
      port_ = std::make_unique<ShmPort>(ground_, rank, waiter(rank, {}));
      executor_ = make(*port_);
      return executor_.get();
    });
    port_ = std::make_unique<ShmPort>(ground_, 0, waiter(0, [this] { look_after_children(); }));
    // Beside theirs: what is made may be a connection that takes all of them.
    try {
      executor_ = make(*port_);
    } catch (const std::exception&) {
      children_.look_for_failed();
      throw;
    }
    children_.await_ready();
  }

  bool perform(const Order& order) noexcept override {
    if (is_lost()) return false;
    const std::uint32_t number = children_.give(order);
    executor_->perform(order, reports_[0]);
    for (int rank = 1; rank < parameters_.problem.ranks; ++rank) {
      port_->waiter().until([&] { return children_.has_done(rank, number); }, rank);
      reports_[static_cast<std::size_t>(rank)] = children_.report_of(rank);
    }
    return !is_lost();
  }

  [[nodiscard]] std::vector<int> thread_ids() const override {
    std::vector<int> ids = team_.thread_ids();
    const std::vector<int> others = children_.process_ids();
    ids.insert(ids.end(), others.begin(), others.end());
    return ids;
  }
  Team& team() noexcept override { return team_; }
  [[nodiscard]] Port& port() noexcept override { return *port_; }

 private:
  [[nodiscard]] std::string end_of_rank(int rank) const override { return children_.end_of(rank); }

  void look_after_children() noexcept {
    const int ended = children_.find_ended();
    if (ended > 0) port_->waiter().abandon(Loss::ended, ended);
  }

  Team team_;
  Children children_;
  std::unique_ptr<ShmPort> port_;  // of rank 0; in a child, of its own
  std::unique_ptr<Executor> executor_;
};

}  // namespace

std::unique_ptr<Transport> make_shm_transport(const ShmParameters& parameters) {
  const int ranks = parameters.problem.ranks;
  if (ranks < 1 || ranks > kMostRanks)
    throw std::invalid_argument("1 to " + std::to_string(kMostRanks) + " ranks share memory, not " +
                                std::to_string(ranks));
  if (parameters.processes) return std::make_unique<ProcessTransport>(parameters);
  return std::make_unique<ThreadTransport>(parameters);
}

}  // namespace pibench::collective
