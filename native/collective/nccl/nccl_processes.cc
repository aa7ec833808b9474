// The ranks of NCCL as processes of their own, on any hosts: their messages, barriers and orders are those of
// ranks that message each other (../mpi), the calls are NCCL's. NCCL needs one thing from outside: an
// identity that one rank makes and all know.
#include <array>
#include <cstdio>
#include <stdexcept>

#include "../../cuda/devices.h"
#include "../../cuda/driver.h"
#include "../mpi/mpi_transport.h"
#include "nccl_library.h"
#include "nccl_port.h"
#include "nccl_transport.h"

namespace pibench::collective {
namespace {

using nccl::Communicator;
using nccl::Library;
using nccl::UniqueId;

// Plain data, sent before NCCL is entered: inside of it nobody could say any more why a rank does not come.
struct Ready {
  bool ok = false;
  std::array<char, 160> why{};
};
struct Invitation {
  Ready all;
  UniqueId id{};
};

void note(Ready& ready, const std::string& why) noexcept {
  ready.ok = false;
  std::snprintf(ready.why.data(), ready.why.size(), "%s", why.c_str());
}

// On each host from `first` on, in the order of ranks; where a launcher lets each rank see its own GPU only,
// that one.
int ordinal_of(const World& world, int first) {
  const auto& members = world.members();
  int before = 0;
  for (int rank = 0; rank < world.rank(); ++rank)
    before += members[static_cast<std::size_t>(rank)].system ==
                      members[static_cast<std::size_t>(world.rank())].system
                  ? 1
                  : 0;
  int here = 0;
  static_cast<void>(cuda::Driver::get().functions().cuDeviceGetCount(&here));
  return here == 0 ? first + before : (first + before) % here;
}

// This rank's part in a communicator of all; throws what keeps any of them from it.
class Membership {
 public:
  Membership(World& world, const NcclParameters& parameters) : world_(world), patience_(parameters.patience) {
    Ready own = open(parameters);
    const Invitation invitation = world.rank() == 0 ? invite(own) : accept(own);
    if (!invitation.all.ok) throw std::runtime_error(invitation.all.why.data());
    // NCCL waits for all of them, and cannot be told for how long: whoever watches this process sees it wait.
    world.waiting_since.store(now(), std::memory_order_relaxed);
    const nccl::Result result =
        library_->comm_init_rank(&communicator_, world.size(), invitation.id, world.rank());
    world.waiting_since.store(0, std::memory_order_relaxed);
    library_->check(result, "ncclCommInitRank");
  }
  ~Membership() {
    if (communicator_ != nullptr && !aborted_) static_cast<void>(library_->comm_destroy(communicator_));
  }
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  [[nodiscard]] const Library& library() const noexcept { return *library_; }
  [[nodiscard]] int ordinal() const noexcept { return ordinal_; }
  [[nodiscard]] Communicator* communicator() const noexcept { return communicator_; }
  // The rank has done it.
  void forget() noexcept { aborted_ = true; }

 private:
  // NCCL, and the GPU as the context of this thread, which ncclCommInitRank takes.
  Ready open(const NcclParameters& parameters) noexcept {
    Ready own;
    own.ok = true;
    try {
      static_cast<void>(cuda::Driver::get());
      library_.emplace(parameters.library);
      library_->check(parameters.problem);
      ordinal_ = ordinal_of(world_, parameters.first);
      nccl::check(parameters.problem, ordinal_, cuda::capability(ordinal_));
      context_.emplace(ordinal_);
    } catch (const std::exception& error) {
      note(own, error.what());
    }
    return own;
  }

  Invitation invite(const Ready& own) {
    Invitation invitation;
    invitation.all = own;
    Wait wait = patient();
    for (int rank = 1; rank < world_.size(); ++rank) {
      Ready theirs;
      if (!world_.calls().receive(&theirs, sizeof theirs, rank, Topic::text, wait))
        note(theirs, "did not say whether it has NCCL and a GPU");
      if (!theirs.ok && invitation.all.ok)
        note(invitation.all, "rank " + std::to_string(rank) + ": " + theirs.why.data());
    }
    if (invitation.all.ok) {
      const nccl::Result result = library_->get_unique_id(&invitation.id);
      if (result != nccl::kSuccess) note(invitation.all, library_->describe(result, "ncclGetUniqueId"));
    }
    for (int rank = 1; rank < world_.size(); ++rank)
      world_.calls().send(&invitation, sizeof invitation, rank, Topic::text, wait);
    return invitation;
  }

  Invitation accept(const Ready& own) {
    Wait wait = patient();
    world_.calls().send(&own, sizeof own, 0, Topic::text, wait);
    Invitation invitation;
    if (!world_.calls().receive(&invitation, sizeof invitation, 0, Topic::text, wait))
      note(invitation.all, "rank 0 did not say how to join NCCL");
    return invitation;
  }

  [[nodiscard]] Wait patient() const { return {world_.crowded(), patience_, false}; }

  World& world_;
  Nanoseconds patience_;
  std::optional<Library> library_;
  std::optional<cuda::PrimaryContext> context_;
  int ordinal_ = 0;
  Communicator* communicator_ = nullptr;
  bool aborted_ = false;
};

// Says in its report what NCCL has refused to this rank: the others cannot see it.
class TellingExecutor final : public Executor {
 public:
  TellingExecutor(std::unique_ptr<Executor> own, const nccl::Failure& failure)
      : own_(std::move(own)), failure_(failure) {}
  void perform(const Order& order, Report& report) noexcept override {
    own_->perform(order, report);
    if (!failure_.happened()) return;
    report.failed = true;
    std::snprintf(report.text, sizeof report.text, "%s", failure_.what().c_str());
  }

 private:
  std::unique_ptr<Executor> own_;
  const nccl::Failure& failure_;
};

class NcclProcesses final : public Transport {
 public:
  NcclProcesses(World& world, const NcclParameters& parameters)
      : world_(world),
        parameters_(parameters),
        ranks_(make_mpi_transport(world, {parameters.problem, {}, parameters.patience})) {
    nccl::check(parameters.problem);
  }
  ~NcclProcesses() override {
    if (membership_ && failure_.happened()) membership_->forget();
    // Executors end before the ports that they use.
    ranks_.reset();
  }
  NcclProcesses(const NcclProcesses&) = delete;
  NcclProcesses& operator=(const NcclProcesses&) = delete;

  [[nodiscard]] bool leads() const noexcept override { return ranks_->leads(); }
  void start(const MakeExecutor& make) override {
    ranks_->start([this, &make](Port& host) -> std::unique_ptr<Executor> {
      membership_.emplace(world_, parameters_);
      port_.emplace(host, parameters_.problem, membership_->library(), membership_->communicator(),
                    membership_->ordinal(), parameters_.patience, failure_);
      return std::make_unique<TellingExecutor>(make(*port_), failure_);
    });
  }
  void follow() override { ranks_->follow(); }

  bool perform(const Order& order) noexcept override {
    return ranks_->perform(order) && failed_one() == nullptr;
  }
  [[nodiscard]] std::span<const Report> reports() const noexcept override { return ranks_->reports(); }
  // A rank that was lost explains what the others say. Of several that failed, another rank's: what this one
  // says may be that it has waited for that one.
  [[nodiscard]] std::string failure() const override {
    std::string lost = ranks_->failure();
    const Report* const failed = failed_one();
    return lost.empty() && failed != nullptr ? failed->text : lost;
  }
  NamedClock timing_clock() override { return port_->clock(); }
  [[nodiscard]] Port& port() noexcept override { return *port_; }
  [[nodiscard]] std::string implementation() const override {
    return std::to_string(world_.size()) + " GPUs, " + ranks_->implementation();
  }
  [[nodiscard]] std::optional<LibraryReport> library() const override {
    return LibraryReport{"NCCL " + membership_->library().version(), "", "none"};
  }
  [[nodiscard]] std::vector<int> thread_ids() const override { return ranks_->thread_ids(); }
  Team& team() noexcept override { return ranks_->team(); }

 private:
  // The last of them.
  [[nodiscard]] const Report* failed_one() const noexcept {
    const Report* found = nullptr;
    for (const Report& report : ranks_->reports()) {
      if (report.failed) found = &report;
    }
    return found;
  }

  World& world_;
  NcclParameters parameters_;
  nccl::Failure failure_;
  std::optional<Membership> membership_;
  std::optional<nccl::NcclPort> port_;
  std::unique_ptr<Transport> ranks_;
};

}  // namespace

std::unique_ptr<Transport> make_nccl_transport(World& world, const NcclParameters& parameters) {
  return std::make_unique<NcclProcesses>(world, parameters);
}

}  // namespace pibench::collective
