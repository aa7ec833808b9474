#include "presence.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace pibench::nvml {
namespace {

bool has(const std::vector<Process>& processes, unsigned pid) {
  return std::ranges::any_of(processes, [pid](const Process& one) { return one.pid == pid; });
}

// A process may compute and draw: it is one.
std::vector<Process> merged(std::vector<Process> computing, const std::vector<Process>& drawing) {
  for (Process process : drawing) {
    if (has(computing, process.pid)) continue;
    process.only_draws = true;
    computing.push_back(process);
  }
  return computing;
}

std::string list_of(const std::optional<std::vector<Process>>& processes) {
  if (!processes) return "null";
  json::Array list;
  for (const auto& [pid, bytes, only_draws] : *processes) {
    json::Object process;
    process.set("pid", pid).set("bytes", bytes);
    if (only_draws) process.set("draws", true);
    list.add(process.str());
  }
  return list.str();
}

}  // namespace

std::optional<bool> own_pid_namespace() {
  constexpr std::string_view kFirst = "pid:[4026531836]";  // PROC_PID_INIT_INO
  std::array<char, 64> text{};
  const ssize_t length = readlink("/proc/self/ns/pid", text.data(), text.size());
  if (length <= 0) return std::nullopt;
  return std::string_view(text.data(), static_cast<std::size_t>(length)) != kFirst;
}

std::optional<std::uint64_t> bytes_in_use(const Device& device) {
  const auto mode = device.mig_mode();
  if (mode && mode->first != 0) return std::nullopt;
  return device.bytes_in_use();
}

void Presence::look(const Device& device) {
  const auto computing = device.processes();
  const auto drawing = device.drawing_processes();
  Processes there;
  if (computing) there = merged(*computing, drawing.value_or(std::vector<Process>{}));
  const std::scoped_lock lock(mutex_);
  if (looks_++ == 0) {
    bytes_before_ = nvml::bytes_in_use(device);
    drawing_known_ = drawing.has_value();
    first_ = there;
  }
  for (const Process& process : there.value_or(std::vector<Process>{}))
    seen_.try_emplace(process.pid, process);
  last_ = std::move(there);
}

void Presence::add_to(json::Object& report) const {
  const std::scoped_lock lock(mutex_);
  std::vector<Process> passing;
  for (const auto& [pid, process] : seen_) {
    if (!(first_ && has(*first_, pid)) && !(last_ && has(*last_, pid))) passing.push_back(process);
  }
  report.add("processesBefore", list_of(first_))
      .add("processesAfter", list_of(last_))
      .add("processesBetween", list_of(passing))
      .set("processesAsked", looks_)
      .set("drawingKnown", drawing_known_)
      .set("bytesInUseBefore", bytes_before_)
      .set("ownPid", static_cast<long>(getpid()))
      .set("ownPidNamespace", own_pid_namespace());
}

}  // namespace pibench::nvml
