#include "gloo_transport.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <system_error>

#include "../../threads/affinity.h"
#include "../shm/memory.h"
#include "../shm/shm_transport.h"
#include "gloo_library.h"
#include "gloo_port.h"

namespace pibench::collective {
namespace {

using gloo::Trouble;

// All ranks are on this host, and no network need be there for them to meet.
constexpr const char* kAddress = "127.0.0.1";

// Where ranks leave their addresses for each other, until all of them are connected.
class MeetingFolder {
 public:
  MeetingFolder() : path_((std::filesystem::temp_directory_path() / "pi-bench-gloo-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot make a folder " + path_);
  }
  ~MeetingFolder() { remove(); }
  MeetingFolder(const MeetingFolder&) = delete;
  MeetingFolder& operator=(const MeetingFolder&) = delete;
  [[nodiscard]] const char* path() const noexcept { return path_.c_str(); }
  void remove() const noexcept {
    std::error_code nobody_minds;
    std::filesystem::remove_all(path_, nobody_minds);
  }

 private:
  std::string path_;
};

// The processes, their barriers and what watches over them are those of shared memory; the calls are Gloo's.
class GlooTransport final : public Transport {
 public:
  explicit GlooTransport(const GlooParameters& parameters)
      : parameters_(parameters),
        library_(parameters.library, parameters.plugin),
        free_(CpuSet::of_thread(0)),
        memory_(static_cast<std::size_t>(parameters.problem.ranks) * sizeof(Trouble), true),
        troubles_(new (memory_.data()) Trouble[static_cast<std::size_t>(parameters.problem.ranks)],
                  static_cast<std::size_t>(parameters.problem.ranks)),
        processes_(make_shm_transport({parameters.problem, true, parameters.cpus, "", parameters.patience})) {
  }

  void start(const MakeExecutor& make) override {
    processes_->start([this, &make](Port& host) {
      port_ = connected(host);
      return make(*port_);
    });
    folder_.remove();
  }

  bool perform(const Order& order) noexcept override {
    return first_trouble() == nullptr && processes_->perform(order) && first_trouble() == nullptr;
  }
  [[nodiscard]] std::span<const Report> reports() const noexcept override { return processes_->reports(); }
  // A rank that was lost explains what the others say.
  [[nodiscard]] std::string failure() const override {
    const std::string lost = processes_->failure();
    const Trouble* const trouble = first_trouble();
    if (!lost.empty() || trouble == nullptr) return lost;
    return "rank " + std::to_string(trouble - troubles_.data()) + ": Gloo: " + trouble->what.data();
  }
  [[nodiscard]] Port& port() noexcept override { return *port_; }
  [[nodiscard]] std::string implementation() const override {
    return "TCP at " + std::string(kAddress) + ", " + std::to_string(parameters_.problem.ranks) +
           (parameters_.problem.ranks == 1 ? " process" : " processes");
  }
  [[nodiscard]] std::optional<LibraryReport> library() const override {
    return LibraryReport{"Gloo " + library_.version(), "", "none"};
  }
  [[nodiscard]] std::vector<int> thread_ids() const override { return processes_->thread_ids(); }
  Team& team() noexcept override { return processes_->team(); }

 private:
  // In each rank's own process. Gloo's thread, which moves the data, is not bound where the measuring thread
  // is: it would take its CPU.
  std::unique_ptr<gloo::GlooPort> connected(Port& host) const {
    const CpuSet own = CpuSet::of_thread(0);
    free_.bind(0);
    const gloo::Joining joining{folder_.path(), kAddress, host.rank(), parameters_.problem.ranks,
                                parameters_.patience / 1'000'000};
    auto port = std::make_unique<gloo::GlooPort>(host, parameters_.problem, library_, joining, troubles_);
    own.bind(0);
    return port;
  }

  [[nodiscard]] const Trouble* first_trouble() const noexcept {
    for (const Trouble& trouble : troubles_) {
      if (trouble.happened.load(std::memory_order_acquire)) return &trouble;
    }
    return nullptr;
  }

  GlooParameters parameters_;
  gloo::Library library_;
  CpuSet free_;  // CPUs of the calling thread, before anything binds it
  MeetingFolder folder_;
  SharedMemory memory_;
  std::span<Trouble> troubles_;
  std::unique_ptr<gloo::GlooPort> port_;  // of rank 0; in a child, of its own
  // Ends first: the executors before the ports that they use, the other ranks before this one's connections.
  std::unique_ptr<Transport> processes_;
};

}  // namespace

std::unique_ptr<Transport> make_gloo_transport(const GlooParameters& parameters) {
  return std::make_unique<GlooTransport>(parameters);
}

}  // namespace pibench::collective
