// Where the host's memory of a copy lies, and how it is asked for near the device.
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "../../native/cuda/host_nodes.h"
#include "check.h"

namespace {

using pibench::cuda::memory_nodes;
using pibench::cuda::node_of_device;
using pibench::cuda::NodePreference;
using pibench::cuda::pages_by_node;
using pibench::test::Checks;

// A folder that is gone with it.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("host-nodes-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
};

void reads_what_the_kernel_tells(Checks& check) {
  const Folder folder;
  folder.write("0000:3b:00.0/numa_node", "1\n");
  folder.write("0000:01:00.0/numa_node", "-1\n");
  folder.write("has", "0-2,5\n");
  folder.write("none", "\n");
  const std::string root = folder.path.string();
  check.that(node_of_device("0000:3B:00.0", root) == 1, "the driver's letters may be capitals");
  check.that(node_of_device("00000000:3B:00.0", root) == 1, "and its domain may have more digits");
  check.that(!node_of_device("0000:01:00.0", root), "no node is no node");
  check.that(!node_of_device("0000:02:00.0", root), "nor has a device that is not there one");
  check.that(memory_nodes(root + "/has") == 4, "nodes with memory are counted");
  check.that(!memory_nodes(root + "/none") && !memory_nodes(root + "/missing"), "or not known");
}

int policy_now() {
  int policy = -1;
  return syscall(SYS_get_mempolicy, &policy, nullptr, 0UL, nullptr, 0UL) == 0 ? policy : -1;
}

void asks_for_memory_near_a_node(Checks& check) {
  const int before = policy_now();
  if (before < 0) {
    check.that(std::string(NodePreference(0).outcome()) == "refused", "a kernel that refuses is told so");
    return;
  }
  {
    const NodePreference near(0);
    check.that(std::string(near.outcome()) == "preferred" && policy_now() == MPOL_PREFERRED,
               "new memory is asked for on the node", near.outcome());
    std::vector<char> memory(std::size_t{8} << 20U, 1);
    const auto pages = pages_by_node(memory.data(), memory.size());
    check.that(pages.contains(0), "and lies there, where there is room", std::to_string(pages.size()));
    const NodePreference second(0);
    check.that(std::string(second.outcome()) == "kept", "a policy that somebody set is kept",
               second.outcome());
  }
  check.that(policy_now() == before, "afterwards it is as it was before");
  const NodePreference none(std::nullopt);
  check.that(std::string(none.outcome()) == "none" && policy_now() == before, "no node is asked for nothing");
  const NodePreference missing(1000);
  check.that(std::string(missing.outcome()) == "refused" && policy_now() == before,
             "of a node that is not there the kernel knows nothing", missing.outcome());
}

void finds_each_page(Checks& check) {
  check.that(pages_by_node(nullptr, 0).empty(), "no memory lies nowhere");
  // Never touched, it lies nowhere yet. From the kernel itself: allocators write to what they hand out.
  constexpr std::size_t kBytes = std::size_t{16} << 20U;
  void* untouched = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  check.that(untouched != MAP_FAILED && pages_by_node(untouched, kBytes).empty(),
             "nor does what nobody touched");
  munmap(untouched, kBytes);
}

}  // namespace

int main() {
  Checks check;
  reads_what_the_kernel_tells(check);
  asks_for_memory_near_a_node(check);
  finds_each_page(check);
  return check.finish();
}
