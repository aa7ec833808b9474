#include "nccl_transport.h"

#include <numeric>
#include <stdexcept>

#include "../../cuda/devices.h"
#include "../../cuda/driver.h"
#include "../../json.h"
#include "../../nvml/monitor.h"
#include "../shm/shm_transport.h"
#include "nccl_library.h"
#include "nccl_port.h"

namespace pibench::collective {
namespace {

using nccl::Communicator;
using nccl::Library;

// One for each GPU, destroyed together.
class Communicators {
 public:
  Communicators(const Library& library, int first, int count)
      : library_(library), all_(static_cast<std::size_t>(count), nullptr) {
    std::vector<int> devices(all_.size());
    std::iota(devices.begin(), devices.end(), first);
    library.check(library.comm_init_all(all_.data(), count, devices.data()), "ncclCommInitAll");
  }
  ~Communicators() {
    for (Communicator* const one : all_) {
      if (!aborted_) static_cast<void>(library_.comm_destroy(one));
    }
  }
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;
  [[nodiscard]] Communicator* of(int rank) const { return all_[static_cast<std::size_t>(rank)]; }
  // Their ranks have done it: they are destroyed already, or beyond it.
  void forget() noexcept { aborted_ = true; }

 private:
  const Library& library_;
  std::vector<Communicator*> all_;
  bool aborted_ = false;
};

// Watches the GPU of each rank.
class Monitors {
 public:
  Monitors(int first, int count) {
    for (int rank = 0; rank < count; ++rank)
      all_.push_back(std::make_unique<nvml::Monitor>(cuda::pci_bus_id(first + rank)));
  }
  [[nodiscard]] std::string report(Nanoseconds begin, Nanoseconds end) {
    json::Array others;
    for (std::size_t rank = 1; rank < all_.size(); ++rank) others.add(all_[rank]->report(begin, end));
    return json::Object()
        .add("clock", "null")
        .add("nvml", all_[0]->report(begin, end))
        .add("others", others.str())
        .str();
  }
  [[nodiscard]] std::string faults() {
    json::Array others;
    for (std::size_t rank = 1; rank < all_.size(); ++rank) others.add(all_[rank]->faults());
    return json::Object().add("nvml", all_[0]->faults()).add("others", others.str()).str();
  }

 private:
  std::vector<std::unique_ptr<nvml::Monitor>> all_;
};

// The threads, their barriers and the host's memory are those of shared memory; the calls are NCCL's.
class NcclTransport final : public Transport {
 public:
  explicit NcclTransport(const NcclParameters& parameters)
      : parameters_(parameters),
        library_(opened(parameters)),
        monitors_(parameters.first, parameters.problem.ranks),
        communicators_(library_, parameters.first, parameters.problem.ranks),
        threads_(make_shm_transport({parameters.problem, false, {}, "", parameters.patience})),
        ports_(static_cast<std::size_t>(parameters.problem.ranks)) {}
  ~NcclTransport() override {
    if (failure_.happened()) communicators_.forget();
    // Executors end before the ports that they use.
    threads_.reset();
  }
  NcclTransport(const NcclTransport&) = delete;
  NcclTransport& operator=(const NcclTransport&) = delete;

  void start(const MakeExecutor& make) override {
    threads_->start([this, &make](Port& host) {
      const int rank = host.rank();
      auto& port = ports_[static_cast<std::size_t>(rank)];
      port = std::make_unique<nccl::NcclPort>(host, parameters_.problem, library_, communicators_.of(rank),
                                              parameters_.first + rank, parameters_.patience, failure_);
      return make(*port);
    });
  }

  bool perform(const Order& order) noexcept override {
    if (failure_.happened()) return false;
    return threads_->perform(order) && !failure_.happened();
  }
  [[nodiscard]] std::span<const Report> reports() const noexcept override { return threads_->reports(); }
  [[nodiscard]] std::string failure() const override {
    return failure_.happened() ? failure_.what() : threads_->failure();
  }
  NamedClock timing_clock() override { return ports_[0]->clock(); }
  [[nodiscard]] Port& port() noexcept override { return *ports_[0]; }
  [[nodiscard]] std::string implementation() const override {
    const int gpus = parameters_.problem.ranks;
    return gpus == 1 ? "one GPU: a copy to itself" : std::to_string(gpus) + " GPUs, a thread each";
  }
  [[nodiscard]] std::optional<LibraryReport> library() const override {
    return LibraryReport{"NCCL " + library_.version(), "", "none"};
  }
  std::string device_report(Nanoseconds begin, Nanoseconds end) override {
    return monitors_.report(begin, end);
  }
  std::string fault_report() override { return monitors_.faults(); }
  [[nodiscard]] std::vector<int> thread_ids() const override { return threads_->thread_ids(); }
  Team& team() noexcept override { return threads_->team(); }

 private:
  // What has a clear reason is said before anything is opened.
  static Library opened(const NcclParameters& parameters) {
    nccl::check(parameters.problem);
    static_cast<void>(cuda::Driver::get());
    Library library(parameters.library);
    library.check(parameters.problem);
    for (int rank = 0; rank < parameters.problem.ranks; ++rank) {
      const int ordinal = parameters.first + rank;
      nccl::check(parameters.problem, ordinal, cuda::capability(ordinal));
    }
    return library;
  }

  NcclParameters parameters_;
  Library library_;
  // Before the communicators: who else is on the devices must be read before we are.
  Monitors monitors_;
  Communicators communicators_;
  nccl::Failure failure_;
  std::unique_ptr<Transport> threads_;
  std::vector<std::unique_ptr<nccl::NcclPort>> ports_;
};

}  // namespace

std::unique_ptr<Transport> make_nccl_transport(const NcclParameters& parameters) {
  return std::make_unique<NcclTransport>(parameters);
}

}  // namespace pibench::collective
