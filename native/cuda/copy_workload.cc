// Copies that the driver makes: within a GPU, between it and the host, to another GPU.
//
// Copies of pinned memory are enqueued and timed by the device. Those of pageable memory make the host wait,
// and so may those to another GPU that this one cannot reach, which the driver brings by way of the host:
// they cannot stand behind a gate that only the host opens, and the host's clock times them.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "../memory/elements.h"
#include "array_check.h"
#include "devices.h"
#include "elements.h"
#include "host_nodes.h"
#include "memory_workload.h"

namespace pibench::cuda {
namespace {

constexpr std::array<const char*, 5> kCopyNames{"device-copy", "host-to-device", "device-to-host",
                                                "both-ways", "peer"};
constexpr unsigned char kCopyPoison = 0xff;

// The context of the other GPU, with the first able to reach its memory.
class Peer {
 public:
  Peer(const PrimaryContext& own, int ordinal) : context_(ordinal) {
    int can = 0;
    Driver::get().check(cu().cuDeviceCanAccessPeer(&can, own.device(), context_.device()),
                        "cuDeviceCanAccessPeer");
    direct_ = can != 0;
    own.make_current();
    if (!direct_) return;
    const Result code = cu().cuCtxEnablePeerAccess(context_.get(), 0);
    if (code != result::kPeerAccessAlreadyEnabled) Driver::get().check(code, "cuCtxEnablePeerAccess");
  }
  [[nodiscard]] const PrimaryContext& context() const noexcept { return context_; }
  // Without going through the host's memory.
  [[nodiscard]] bool direct() const noexcept { return direct_; }

 private:
  PrimaryContext context_;
  bool direct_ = false;
};

class CopyWorkload final : public DeviceWorkload {
 public:
  explicit CopyWorkload(const CopyParameters& parameters)
      : DeviceWorkload(parameters.place, parameters.copy == Copy::peer ? std::vector<int>{parameters.peer}
                                                                       : std::vector<int>()),
        parameters_(parameters),
        seeds_(parameters.seed) {
    if (parameters.copy == Copy::peer) peer_.emplace(session().context(), parameters.peer);
    // On either stream: to be let begin, to copy, to tell the other.
    if (parameters.copy == Copy::both_ways) clock().expect_commands(3);
  }

  void prepare() override {
    const std::size_t bytes = bytes_of_copy();
    if (from_device()) from_ = DeviceMemory(bytes);
    if (peer_) peer_->context().make_current();
    if (to_device()) to_ = DeviceMemory(bytes);
    if (peer_) session().context().make_current();
    allocate_on_host();
    if (from_host()) fill_from_host();
    if (from_device()) fill_from_device();
    if (parameters_.copy == Copy::both_ways) {
      back_ = make_stream();
      forked_ = make_event();
      joined_ = make_event();
    }
    // A first copy may make the driver wait for the device, so it must not stand behind a gate.
    run();
    session().synchronize();
    poison();
    session().synchronize();
  }

  void run() noexcept override {
    const std::size_t bytes = bytes_of_copy();
    StreamHandle* stream = session().stream();
    switch (parameters_.copy) {
      case Copy::device:
        session().note(cu().cuMemcpyDtoDAsync_v2(to_.address(), from_.address(), bytes, stream),
                       "cuMemcpyDtoDAsync_v2");
        break;
      case Copy::peer:
        session().note(cu().cuMemcpyPeerAsync(to_.address(), peer_->context().get(), from_.address(),
                                              session().context().get(), bytes, stream),
                       "cuMemcpyPeerAsync");
        if (waits()) finish();
        break;
      case Copy::host_to_device:
        copy_to_device(stream);
        break;
      case Copy::device_to_host:
        copy_to_host(stream);
        break;
      case Copy::both_ways:
        // The other stream begins when this one comes here, and this one goes on when the other has ended.
        session().note(cu().cuEventRecord(forked_.get(), stream), "cuEventRecord");
        session().note(cu().cuStreamWaitEvent(back_.get(), forked_.get(), 0), "cuStreamWaitEvent");
        copy_to_device(stream);
        copy_to_host(back_.get());
        session().note(cu().cuEventRecord(joined_.get(), back_.get()), "cuEventRecord");
        session().note(cu().cuStreamWaitEvent(stream, joined_.get(), 0), "cuStreamWaitEvent");
        break;
    }
  }

  void poison() noexcept override {
    fetched_.clear();
    if (peer_)
      poison_peer();
    else if (to_.bytes() > 0)
      session().note(cu().cuMemsetD8Async(to_.address(), kCopyPoison, bytes_of_copy(), session().stream()),
                     "cuMemsetD8Async");
    // Copies of pageable memory are on no stream: without this, one might come first and be overwritten.
    // And what earlier calls still bring to the host must not come after the poison.
    finish();
    if (to_host()) std::memset(host_target(), kCopyPoison, bytes_of_copy());
  }

  DeviceClock* device_clock() noexcept override { return waits() ? nullptr : DeviceWorkload::device_clock(); }

  Verification verify() override {
    fetch();
    switch (parameters_.copy) {
      case Copy::device:
      case Copy::peer:
      case Copy::device_to_host:
        return check_array(fetched_, "out", [this](std::size_t i) { return memory::element(seeds_.b, i); });
      case Copy::host_to_device:
        return check_array(fetched_, "out", [this](std::size_t i) { return memory::element(seeds_.a, i); });
      case Copy::both_ways:
        break;
    }
    // One behind the other: what came to the device, what came to the host.
    const std::size_t half = parameters_.elements;
    return check_array(fetched_, "out", [this, half](std::size_t i) {
      return i < half ? memory::element(seeds_.a, i) : memory::element(seeds_.b, i - half);
    });
  }

  [[nodiscard]] std::string implementation() const override {
    switch (parameters_.copy) {
      case Copy::device:
        return "cuMemcpyDtoDAsync";
      case Copy::peer:
        return peer_->direct() ? "cuMemcpyPeerAsync, direct" : "cuMemcpyPeerAsync, through the host";
      default:
        return parameters_.pinned ? "cuMemcpyAsync, pinned" : "cuMemcpy, pageable";
    }
  }

 protected:
  Output fetched_output() override {
    fetch();
    return {std::as_writable_bytes(std::span(fetched_)), sizeof(double)};
  }
  void add_to_report(json::Object& report) const override {
    if (!from_host() && !to_host()) return;
    report.add("hostMemory", json::Object()
                                 .set("gpuNode", device_node_)
                                 .set("memoryNodes", memory_nodes())
                                 .set("asked", asked_near_)
                                 .add("nodes", nodes_of_host())
                                 .str());
  }

 private:
  // Between which memories it copies: only these are allocated and filled.
  [[nodiscard]] bool from_host() const noexcept {
    return parameters_.copy == Copy::host_to_device || parameters_.copy == Copy::both_ways;
  }
  [[nodiscard]] bool to_host() const noexcept {
    return parameters_.copy == Copy::device_to_host || parameters_.copy == Copy::both_ways;
  }
  [[nodiscard]] bool from_device() const noexcept { return parameters_.copy != Copy::host_to_device; }
  [[nodiscard]] bool to_device() const noexcept { return parameters_.copy != Copy::device_to_host; }
  // Whether a call returns only when its copy has ended.
  [[nodiscard]] bool waits() const noexcept { return !parameters_.pinned || (peer_ && !peer_->direct()); }

  [[nodiscard]] std::size_t bytes_of_copy() const noexcept { return parameters_.elements * sizeof(double); }
  [[nodiscard]] double* host_source() noexcept {
    return parameters_.pinned ? reinterpret_cast<double*>(pinned_from_.data()) : pageable_from_.data();
  }
  [[nodiscard]] double* host_target() noexcept {
    return parameters_.pinned ? reinterpret_cast<double*>(pinned_to_.data()) : pageable_to_.data();
  }

  void copy_to_device(StreamHandle* stream) noexcept {
    if (parameters_.pinned) {
      session().note(cu().cuMemcpyHtoDAsync_v2(to_.address(), host_source(), bytes_of_copy(), stream),
                     "cuMemcpyHtoDAsync_v2");
      return;
    }
    session().note(cu().cuMemcpyHtoD_v2(to_.address(), host_source(), bytes_of_copy()), "cuMemcpyHtoD_v2");
    // It may return while the last of it is still on its way.
    session().note(cu().cuCtxSynchronize(), "cuCtxSynchronize");
  }
  void copy_to_host(StreamHandle* stream) noexcept {
    if (parameters_.pinned)
      session().note(cu().cuMemcpyDtoHAsync_v2(host_target(), from_.address(), bytes_of_copy(), stream),
                     "cuMemcpyDtoHAsync_v2");
    else
      session().note(cu().cuMemcpyDtoH_v2(host_target(), from_.address(), bytes_of_copy()),
                     "cuMemcpyDtoH_v2");
  }

  // Near the device, which may be at the node of another socket than this thread is.
  void allocate_on_host() {
    if (!from_host() && !to_host()) return;
    device_node_ = node_of_device(pci_bus_id(parameters_.place.ordinal));
    const NodePreference near(device_node_);
    asked_near_ = near.outcome();
    if (from_host()) allocate_host(pinned_from_, pageable_from_);
    if (to_host()) allocate_host(pinned_to_, pageable_to_);
  }
  void allocate_host(PinnedMemory& pinned, std::vector<double>& pageable) const {
    if (parameters_.pinned)
      pinned = PinnedMemory(bytes_of_copy());
    else
      pageable.resize(parameters_.elements);
  }
  // `null` for memory of which the kernel does not tell.
  [[nodiscard]] std::string nodes_of_host() const {
    std::map<int, std::size_t> pages;
    std::size_t all = 0;
    const auto add = [&](const void* memory, std::size_t bytes) {
      for (const auto& [node, count] : pages_by_node(memory, bytes)) {
        pages[node] += count;
        all += count;
      }
    };
    add(pinned_from_.data(), pinned_from_.bytes());
    add(pinned_to_.data(), pinned_to_.bytes());
    add(pageable_from_.data(), pageable_from_.size() * sizeof(double));
    add(pageable_to_.data(), pageable_to_.size() * sizeof(double));
    if (all == 0) return "null";
    json::Array nodes;
    for (const auto& [node, count] : pages)
      nodes.add(json::Object()
                    .set("node", node)
                    .set("share", static_cast<double>(count) / static_cast<double>(all))
                    .str());
    return nodes.str();
  }
  void fill_from_host() {
    auto* host = host_source();
    on_threads(parameters_.elements, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) host[i] = memory::element(seeds_.a, i);
    });
  }
  void fill_from_device() {
    const Kernel fill = session().kernel(kernels::cuda::kFill);
    session().launch(fill, kernels::cuda::FillArguments{pointer<void>(from_.address()), seeds_.b, 1, 1,
                                                        static_cast<std::int64_t>(parameters_.elements),
                                                        static_cast<std::uint32_t>(Element::float64),
                                                        kernels::cuda::Values::memory, 0, 0});
  }
  // On the other device, whose memory this stream's device reaches by copies only; some of it at a time.
  void poison_peer() noexcept {
    constexpr std::size_t kAtOnce = std::size_t{1} << 20U;
    const std::vector<unsigned char> poison(std::min(kAtOnce, bytes_of_copy()), kCopyPoison);
    finish();
    session().note(cu().cuCtxSetCurrent(peer_->context().get()), "cuCtxSetCurrent");
    for (std::size_t first = 0; first < bytes_of_copy(); first += kAtOnce) {
      const std::size_t bytes = std::min(kAtOnce, bytes_of_copy() - first);
      session().note(cu().cuMemcpyHtoD_v2(to_.address() + first, poison.data(), bytes), "cuMemcpyHtoD_v2");
    }
    session().note(cu().cuCtxSynchronize(), "cuCtxSynchronize");
    session().note(cu().cuCtxSetCurrent(session().context().get()), "cuCtxSetCurrent");
  }

  // Whatever the copies wrote, on the host.
  void fetch() {
    if (!fetched_.empty()) return;
    session().synchronize();
    const std::size_t count = parameters_.elements;
    fetched_.resize(count * (to_device() && to_host() ? 2 : 1));
    if (to_device()) to_.download(fetched_.data());
    if (to_host()) std::copy_n(host_target(), count, fetched_.data() + (to_device() ? count : 0));
  }

  CopyParameters parameters_;
  memory::Seeds seeds_;
  std::optional<Peer> peer_;
  DeviceMemory from_, to_;
  PinnedMemory pinned_from_, pinned_to_;
  std::vector<double> pageable_from_, pageable_to_;
  std::optional<int> device_node_;
  const char* asked_near_ = "none";
  Stream back_;
  Event forked_, joined_;
  std::vector<double> fetched_;
};

}  // namespace

Copy copy_named(const std::string& name) {
  const auto* const found = std::ranges::find(kCopyNames, name);
  if (found == kCopyNames.end()) throw std::invalid_argument("unknown copy " + name);
  return static_cast<Copy>(found - kCopyNames.begin());
}

std::unique_ptr<Workload> make_copy_workload(const CopyParameters& parameters) {
  if (parameters.copy == Copy::both_ways && !parameters.pinned)
    throw std::invalid_argument(
        "pageable memory cannot be copied both ways at once: each copy makes the host wait");
  return std::make_unique<CopyWorkload>(parameters);
}

}  // namespace pibench::cuda
