#include "tasks.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "../../../native/threads/affinity.h"

namespace bench {
namespace {

std::vector<int> tasks() {
  std::vector<int> ids;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    ids.push_back(std::stoi(entry.path().filename().string()));
  }
  // The main thread has the smallest id, but where ids have wrapped round.
  std::ranges::sort(ids, {}, [](int id) { return std::pair(id != getpid(), id); });
  return ids;
}

}  // namespace

void bind_to(const std::vector<int>& cpus) {
  pibench::CpuSet set;
  for (const int cpu : cpus) set.add(cpu);
  set.bind(pibench::current_thread_id());
}

bool pin_tasks(const std::vector<int>& cpus) {
  const std::vector<int> ids = tasks();
  if (ids.size() < cpus.size()) return false;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpus[i % cpus.size()], &set);
    if (sched_setaffinity(ids[i], sizeof set, &set) != 0) return false;
  }
  return true;
}

RunQueue::RunQueue() {
  for (const int id : tasks()) {
    const std::string path = "/proc/self/task/" + std::to_string(id) + "/schedstat";
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0) files_.push_back(file);
  }
}

RunQueue::~RunQueue() {
  for (const int file : files_) close(file);
}

double RunQueue::waited() const {
  std::uint64_t nanoseconds = 0;
  for (const int file : files_) {
    // "time on the CPU, time waiting for one, slices", in nanoseconds
    std::array<char, 96> text{};
    if (pread(file, text.data(), text.size() - 1, 0) <= 0) continue;
    char* end = nullptr;
    std::strtoull(text.data(), &end, 10);
    nanoseconds += std::strtoull(end, nullptr, 10);
  }
  return static_cast<double>(nanoseconds) * 1e-9;
}

}  // namespace bench
