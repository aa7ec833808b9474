// On which NUMA node the host's memory of a copy lies, and at which one the device is: a copy from the far
// one crosses the link between the sockets. By the kernel's own calls, so that no library is needed.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace pibench::cuda {

// By the driver's PCI bus id (0000:3B:00.0). Nothing where the kernel does not tell: of a machine with one
// node, mostly, or of a guest. `root`: for tests.
std::optional<int> node_of_device(const std::string& pci_bus_id,
                                  const std::string& root = "/sys/bus/pci/devices");

// Nodes that have memory; nothing where the kernel does not tell. `path`: for tests.
std::optional<int> memory_nodes(const std::string& path = "/sys/devices/system/node/has_memory");

// Of each node, how many of some pages that are spread over the memory; empty where the kernel does not tell,
// as of memory that a driver maps by itself.
std::map<int, std::size_t> pages_by_node(const void* memory, std::size_t bytes);

// While it is there, new memory that this thread touches first, or that a driver takes for it, comes from a
// node as far as that has room. Where somebody has set a policy already (numactl) that one is kept.
class NodePreference {
 public:
  explicit NodePreference(std::optional<int> node);
  ~NodePreference();
  NodePreference(const NodePreference&) = delete;
  NodePreference& operator=(const NodePreference&) = delete;
  // In a word of the report: preferred, kept, refused (by the kernel, or a container's filter), none.
  [[nodiscard]] const char* outcome() const noexcept { return outcome_; }

 private:
  const char* outcome_ = "none";
  bool set_ = false;
};

}  // namespace pibench::cuda
