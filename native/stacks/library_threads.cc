#include "library_threads.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "../threads/affinity.h"

namespace pibench::stacks {
namespace {

constexpr const char* kTasks = "/proc/self/task";
// OpenBLAS's threads spin for some 30 ms, OpenMP's for less, unless somebody told them to spin for ever.
constexpr std::chrono::milliseconds kPatience{500};
constexpr std::chrono::milliseconds kBetweenLooks{1};

std::vector<int> threads_of_process() {
  std::vector<int> ids;
  for (const auto& entry : std::filesystem::directory_iterator(kTasks)) {
    ids.push_back(std::stoi(entry.path().filename().string()));
  }
  std::ranges::sort(ids);
  return ids;
}

// A thread that ends just now is no error.
void bind_to(const CpuSet& set, int id) {
  try {
    set.bind(id);
  } catch (const std::system_error& error) {
    if (error.code().value() != ESRCH) throw;
  }
}

CpuSet set_of(const std::vector<int>& cpus) {
  CpuSet set;
  for (const int cpu : cpus) set.add(cpu);
  return set;
}

std::ifstream open_of(int id, const char* name) {
  std::string path = kTasks;
  path += '/';
  path += std::to_string(id);
  path += name;
  return std::ifstream(path);
}

// 0 where the system does not tell.
std::uint64_t cpu_nanoseconds(int id) {
  std::uint64_t nanoseconds = 0;
  open_of(id, "/schedstat") >> nanoseconds;
  return nanoseconds;
}

// "id (name) state parent ...", where a name may hold anything. Empty where the thread has gone.
std::string stat_of(int id) {
  std::ifstream file = open_of(id, "/stat");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// What stands behind the name, the state first.
std::istringstream behind_name(const std::string& stat) {
  const auto end = stat.rfind(')');
  return std::istringstream(end == std::string::npos ? std::string() : stat.substr(end + 1));
}

bool runs(int id) {
  char state = '\0';
  behind_name(stat_of(id)) >> state;
  return state == 'R';
}

}  // namespace

std::vector<int> busiest_first(const std::vector<int>& ids, const std::function<std::uint64_t(int)>& worked) {
  std::vector<std::pair<std::uint64_t, int>> by_work;
  by_work.reserve(ids.size());
  for (const int id : ids) by_work.emplace_back(worked(id), id);
  std::ranges::stable_sort(by_work, std::greater{}, &std::pair<std::uint64_t, int>::first);
  std::vector<int> ordered;
  ordered.reserve(ids.size());
  for (const auto& [work, id] : by_work) ordered.push_back(id);
  return ordered;
}

bool is_ending(const std::string& stat) {
  constexpr std::uint64_t kExiting = 4;  // PF_EXITING of the kernel's sched.h
  constexpr int kBetween = 5;            // parent, group, session, terminal, its group
  std::istringstream fields = behind_name(stat);
  std::string skipped;
  std::uint64_t flags = kExiting;
  fields >> skipped;
  for (int i = 0; i < kBetween; ++i) fields >> skipped;
  fields >> flags;
  return fields.fail() || (flags & kExiting) != 0;
}

LibraryThreads::LibraryThreads(int threads, std::vector<int> cpus)
    : threads_(threads),
      cpus_(std::move(cpus)),
      before_(threads_of_process()),
      ids_{current_thread_id()},
      binding_(cpus_.empty() ? Binding::none : Binding::together) {
  if (!cpus_.empty()) set_of(cpus_).bind(0);
}

std::vector<int> LibraryThreads::made() const {
  std::vector<int> ids;
  std::ranges::set_difference(threads_of_process(), before_, std::back_inserter(ids));
  return ids;
}

void LibraryThreads::find() {
  std::vector<int> found = made();
  std::erase_if(found, [](int id) { return is_ending(stat_of(id)); });
  // Where there are more than compute, those that do have worked longer: none of them shares a CPU with
  // another.
  if (found.size() >= static_cast<std::size_t>(threads_)) found = busiest_first(found, cpu_nanoseconds);
  ids_ = {current_thread_id()};
  ids_.insert(ids_.end(), found.begin(), found.end());
}

void LibraryThreads::bind() {
  find();
  if (cpus_.empty()) return;
  // A library that starts its threads in each call shows none here: bound to one CPU, the caller would hand
  // it on to all of them.
  if (ids_.size() < static_cast<std::size_t>(threads_)) return;
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    bind_to(set_of({cpus_[i % cpus_.size()]}), i == 0 ? 0 : ids_[i]);
  }
  binding_ = Binding::each;
}

void bind_other_threads(const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  const CpuSet set = set_of(cpus);
  const int self = current_thread_id();
  for (const int id : threads_of_process()) {
    if (id != self) bind_to(set, id);
  }
}

bool LibraryThreads::wait_until_idle() const {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  const auto busy = [this] { return std::ranges::any_of(made(), runs); };
  while (busy()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return true;
}

}  // namespace pibench::stacks
