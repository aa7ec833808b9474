#include "calls.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "abi.h"
#include "message_memory.h"

namespace pibench::collective {
namespace {

using stacks::SharedLibrary;

constexpr std::size_t kMostText = 8192;  // of every library's version

// Handle: int or void*, as the library's ABI has it.
template <typename Handle>
class CallsOf final : public MpiCalls {
 public:
  CallsOf(const SharedLibrary& library, const MpiHandles<Handle>& handles)
      : library_(library), handles_(handles) {
    bind(init_thread_, "MPI_Init_thread");
    bind(initialized_, "MPI_Initialized");
    bind(finalize_, "MPI_Finalize");
    bind(library_version_, "MPI_Get_library_version");
    bind(comm_rank_, "MPI_Comm_rank");
    bind(comm_size_, "MPI_Comm_size");
    bind(comm_dup_, "MPI_Comm_dup");
    bind(isend_, "MPI_Isend");
    bind(irecv_, "MPI_Irecv");
    bind(test_, "MPI_Test");
    bind(sendrecv_, "MPI_Sendrecv");
    bind(barrier_, "MPI_Barrier");
    bind(broadcast_, "MPI_Bcast");
    bind(all_reduce_, "MPI_Allreduce");
    bind(reduce_, "MPI_Reduce");
    bind(reduce_scatter_, "MPI_Reduce_scatter_block");
    bind(all_gather_, "MPI_Allgather");
    bind(gather_, "MPI_Gather");
    bind(scatter_, "MPI_Scatter");
    bind(all_to_all_, "MPI_Alltoall");
  }

  [[nodiscard]] std::string version() const override {
    std::vector<char> text(kMostText + 1);
    int length = 0;
    library_version_(text.data(), &length);
    return short_version(text.data());
  }

  void begin() override {
    int already = 0;
    initialized_(&already);
    if (already != 0) throw std::runtime_error("MPI is initialised in this process already");
    int provided = 0;
    if (init_thread_(nullptr, nullptr, handles_.thread_serialized, &provided) != 0)
      throw std::runtime_error("MPI_Init_thread failed");
    if (provided < handles_.thread_serialized)
      throw std::runtime_error("this MPI library was built without support for threads");
    comm_dup_(handles_.world, &own_);
    comm_rank_(handles_.world, &rank_);
    comm_size_(handles_.world, &size_);
  }
  void end() noexcept override { finalize_(); }
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }

  bool send(const void* from, std::size_t bytes, int to, Topic topic, Wait& wait) noexcept override {
    Handle request{};
    begin_send(from, bytes, to, topic, request);
    if (complete(wait, [&] { return done(request); })) return true;
    going_.leave();
    return false;
  }
  bool receive(void* into, std::size_t bytes, int from, Topic topic, Wait& wait) noexcept override {
    Handle request{};
    const std::byte* const message = begin_receive(bytes, from, topic, request);
    if (complete(wait, [&] { return done(request); })) {
      std::copy_n(message, bytes, static_cast<std::byte*>(into));
      return true;
    }
    coming_.leave();
    return false;
  }
  bool exchange(const void* from, int to, void* into, int source, std::size_t bytes, Topic topic,
                Wait& wait) noexcept override {
    Handle coming{};
    Handle going{};
    const std::byte* const message = begin_receive(bytes, source, topic, coming);
    begin_send(from, bytes, to, topic, going);
    bool came = false;
    bool went = false;
    const auto both = [&] {
      came = came || done(coming);
      went = went || done(going);
      return came && went;
    };
    if (complete(wait, both)) {
      std::copy_n(message, bytes, static_cast<std::byte*>(into));
      return true;
    }
    coming_.leave();
    going_.leave();
    return false;
  }

  void collective(const Problem& p, const void* input, void* output) noexcept override {
    // Where MPI knows no such element, nothing is computed with it either.
    const Handle type = handles_.elements[static_cast<std::size_t>(p.element)];
    const bool as_bytes = type == handles_.byte;
    const int count = static_cast<int>(as_bytes ? p.count * bytes_of(p.element) : p.count);
    const bool here = shares_memory(p, rank_);
    const void* const in = here ? handles_.in_place : input;
    const Handle world = handles_.world;
    switch (p.operation) {
      case Operation::all_reduce:
        all_reduce_(in, output, count, type, redop(p), world);
        break;
      case Operation::reduce:
        reduce_(in, output, count, type, redop(p), p.root, world);
        break;
      case Operation::reduce_scatter:
        reduce_scatter_(input, output, count, type, redop(p), world);
        break;
      case Operation::broadcast:
        // One buffer: what the root gives is what it has.
        broadcast_(rank_ == p.root ? const_cast<void*>(input) : output, count, type, p.root, world);
        break;
      case Operation::all_gather:
        all_gather_(in, count, type, output, count, type, world);
        break;
      case Operation::gather:
        gather_(in, count, type, output, count, type, p.root, world);
        break;
      case Operation::scatter:
        scatter_(input, count, type, here ? handles_.in_place : output, count, type, p.root, world);
        break;
      case Operation::all_to_all:
        all_to_all_(in, count, type, output, count, type, world);
        break;
      case Operation::send_recv: {
        const int source = source_of(p, rank_);
        const int to = p.pattern == Pattern::pairs ? source : (rank_ + 1) % p.ranks;
        sendrecv_(input, count, type, to, 0, output, count, type, source, 0, world, handles_.status_ignore);
        break;
      }
      case Operation::barrier:
        barrier_(world);
        break;
    }
  }

 private:
  template <typename Function>
  void bind(Function*& function, const char* name) {
    function = library_.get<Function>(name);
  }
  [[nodiscard]] Handle redop(const Problem& p) const noexcept {
    return handles_.redops[static_cast<std::size_t>(p.redop)];
  }
  void begin_send(const void* from, std::size_t bytes, int to, Topic topic, Handle& request) noexcept {
    std::byte* const message = going_.of(bytes);
    std::copy_n(static_cast<const std::byte*>(from), bytes, message);
    isend_(message, static_cast<int>(bytes), handles_.byte, to, static_cast<int>(topic), own_, &request);
  }
  // Returns where the message will be.
  const std::byte* begin_receive(std::size_t bytes, int from, Topic topic, Handle& request) noexcept {
    std::byte* const message = coming_.of(bytes);
    irecv_(message, static_cast<int>(bytes), handles_.byte, from, static_cast<int>(topic), own_, &request);
    return message;
  }
  bool done(Handle& request) noexcept {
    int flag = 0;
    test_(&request, &flag, handles_.status_ignore);
    return flag != 0;
  }
  template <typename Done>
  bool complete(Wait& wait, const Done& is_done) noexcept {
    wait.begin();
    while (!is_done()) {
      if (!wait.again()) return false;
    }
    return true;
  }

  SharedLibrary library_;
  MpiHandles<Handle> handles_;
  Handle own_{};
  // Of pi-bench's own messages. As long as these calls, which is until the process ends (World).
  MessageMemory going_;
  MessageMemory coming_;
  int rank_ = 0;
  int size_ = 1;

  int (*init_thread_)(int*, char***, int, int*) = nullptr;
  int (*initialized_)(int*) = nullptr;
  int (*finalize_)() = nullptr;
  int (*library_version_)(char*, int*) = nullptr;
  int (*comm_rank_)(Handle, int*) = nullptr;
  int (*comm_size_)(Handle, int*) = nullptr;
  int (*comm_dup_)(Handle, Handle*) = nullptr;
  int (*isend_)(const void*, int, Handle, int, int, Handle, Handle*) = nullptr;
  int (*irecv_)(void*, int, Handle, int, int, Handle, Handle*) = nullptr;
  int (*test_)(Handle*, int*, void*) = nullptr;
  int (*sendrecv_)(const void*, int, Handle, int, int, void*, int, Handle, int, int, Handle, void*) = nullptr;
  int (*barrier_)(Handle) = nullptr;
  int (*broadcast_)(void*, int, Handle, int, Handle) = nullptr;
  int (*all_reduce_)(const void*, void*, int, Handle, Handle, Handle) = nullptr;
  int (*reduce_)(const void*, void*, int, Handle, Handle, int, Handle) = nullptr;
  int (*reduce_scatter_)(const void*, void*, int, Handle, Handle, Handle) = nullptr;
  int (*all_gather_)(const void*, int, Handle, void*, int, Handle, Handle) = nullptr;
  int (*gather_)(const void*, int, Handle, void*, int, Handle, int, Handle) = nullptr;
  int (*scatter_)(const void*, int, Handle, void*, int, Handle, int, Handle) = nullptr;
  int (*all_to_all_)(const void*, int, Handle, void*, int, Handle, Handle) = nullptr;
};

// Not std::regex, which takes longer to compile than all else in here.
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kOfVersions = "0123456789.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

void skip(std::string_view& text, std::string_view what) {
  if (text.starts_with(what)) text.remove_prefix(what.size());
}

void skip_spaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
}

// The name and the version with which the text begins: "MPICH 4.0.2" for "MPICH Version:\t4.0.2\n...". Empty
// where it begins with neither.
std::string version_at(std::string_view text) {
  for (const std::string_view name :
       {"Open MPI", "MPICH", "MVAPICH2", "MVAPICH3", "MVAPICH", "Intel(R) MPI Library"}) {
    if (!text.starts_with(name)) continue;
    std::string_view rest = text.substr(name.size());
    skip(rest, " Version");
    skip_spaces(rest);
    skip(rest, ":");
    skip_spaces(rest);
    skip(rest, "v");
    if (rest.empty() || kDigits.find(rest.front()) == std::string_view::npos) continue;
    return std::string(name) + " " + std::string(rest.substr(0, rest.find_first_not_of(kOfVersions)));
  }
  return {};
}

}  // namespace

const char* function_of(Operation operation) noexcept {
  switch (operation) {
    case Operation::all_reduce:
      return "MPI_Allreduce";
    case Operation::all_gather:
      return "MPI_Allgather";
    case Operation::reduce_scatter:
      return "MPI_Reduce_scatter_block";
    case Operation::broadcast:
      return "MPI_Bcast";
    case Operation::reduce:
      return "MPI_Reduce";
    case Operation::gather:
      return "MPI_Gather";
    case Operation::scatter:
      return "MPI_Scatter";
    case Operation::all_to_all:
      return "MPI_Alltoall";
    case Operation::send_recv:
      return "MPI_Sendrecv";
    case Operation::barrier:
      break;
  }
  return "MPI_Barrier";
}

std::unique_ptr<MpiCalls> open_mpi(const std::string& path) {
  const SharedLibrary library(path);
  switch (abi_of(library)) {
    case MpiAbi::mpich:
      return std::make_unique<CallsOf<int>>(library, mpich_handles());
    case MpiAbi::standard:
      return std::make_unique<CallsOf<void*>>(library, standard_handles());
    case MpiAbi::open_mpi:
      break;
  }
  return std::make_unique<CallsOf<void*>>(library, open_mpi_handles(library));
}

std::string short_version(const std::string& said) {
  for (std::string_view rest = said; !rest.empty(); rest.remove_prefix(1)) {
    std::string found = version_at(rest);
    if (!found.empty()) return found;
  }
  return said.substr(0, said.find_first_of("\n,"));
}

}  // namespace pibench::collective
