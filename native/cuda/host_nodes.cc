#include "host_nodes.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <climits>
#include <fstream>
#include <vector>

namespace pibench::cuda {
namespace {

// Of linux/mempolicy.h.
constexpr int kDefaultPolicy = 0;
constexpr int kPreferred = 1;
constexpr std::size_t kMostNodes = 1024;
constexpr std::size_t kWordBits = sizeof(unsigned long) * CHAR_BIT;
// The kernel takes one bit less than it is told.
constexpr unsigned long kBitsTold = kMostNodes + 1;
using NodeMask = std::array<unsigned long, kMostNodes / kWordBits>;

// As sysfs names it: small letters, and a domain of four digits unless it needs more.
std::string sysfs_name(std::string bus_id) {
  std::ranges::transform(bus_id, bus_id.begin(), [](unsigned char c) { return std::tolower(c); });
  while (bus_id.find(':') > 4 && bus_id.find(':') != std::string::npos && bus_id.front() == '0')
    bus_id.erase(0, 1);
  return bus_id;
}

std::optional<int> number_in(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<int> node_of_device(const std::string& pci_bus_id, const std::string& root) {
  std::ifstream file(root + "/" + sysfs_name(pci_bus_id) + "/numa_node");
  int node = -1;
  if (!(file >> node) || node < 0) return std::nullopt;
  return node;
}

// A list as `0-1,4`.
std::optional<int> memory_nodes(const std::string& path) {
  std::ifstream file(path);
  int count = 0;
  for (std::string range; std::getline(file, range, ',');) {
    const std::size_t dash = range.find('-');
    const auto first = number_in(range);
    const auto last = dash == std::string::npos ? first : number_in(range.substr(dash + 1));
    if (!first || !last) return std::nullopt;
    count += *last - *first + 1;
  }
  if (count == 0) return std::nullopt;
  return count;
}

std::map<int, std::size_t> pages_by_node(const void* memory, std::size_t bytes) {
  constexpr std::size_t kMostPages = 512;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t all = bytes / page;
  const std::size_t count = std::min(all, kMostPages);
  std::vector<const void*> pages;
  for (std::size_t i = 0; i < count; ++i)
    pages.push_back(static_cast<const std::byte*>(memory) + i * all / count * page);
  std::vector<int> nodes(count, -1);
  std::map<int, std::size_t> found;
  // Without places to move them to, it says where they are.
  if (count == 0 || syscall(SYS_move_pages, 0, count, pages.data(), nullptr, nodes.data(), 0) != 0)
    return found;
  for (const int node : nodes) {
    if (node >= 0) ++found[node];
  }
  return found;
}

NodePreference::NodePreference(std::optional<int> node) {
  if (!node || static_cast<std::size_t>(*node) >= kMostNodes) return;
  int policy = kDefaultPolicy;
  NodeMask mask{};
  if (syscall(SYS_get_mempolicy, &policy, mask.data(), kBitsTold, nullptr, 0UL) != 0) {
    outcome_ = "refused";
    return;
  }
  if (policy != kDefaultPolicy) {
    outcome_ = "kept";
    return;
  }
  const auto bit = static_cast<std::size_t>(*node);
  mask = {};
  mask[bit / kWordBits] = 1UL << bit % kWordBits;
  set_ = syscall(SYS_set_mempolicy, kPreferred, mask.data(), kBitsTold) == 0;
  outcome_ = set_ ? "preferred" : "refused";
}

NodePreference::~NodePreference() {
  if (set_) syscall(SYS_set_mempolicy, kDefaultPolicy, nullptr, 0UL);
}

}  // namespace pibench::cuda
