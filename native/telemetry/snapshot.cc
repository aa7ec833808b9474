#include "snapshot.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

namespace pibench {
namespace {

constexpr std::string_view kThread = "{tid}";
constexpr std::string_view kOwnThreads = "/proc/self/task/";

std::optional<std::string> read_text(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string text;
  std::array<char, 4096> block{};
  ssize_t got = 0;
  while ((got = read(file, block.data(), block.size())) > 0)
    text.append(block.data(), static_cast<std::size_t>(got));
  close(file);
  if (got < 0) return std::nullopt;
  return text;
}

}  // namespace

Snapshot take_snapshot(std::span<const std::string> paths, std::span<const int> thread_ids) {
  Snapshot snapshot;
  snapshot.at = now();
  for (const std::string& path : paths) {
    const std::size_t place = path.find(kThread);
    if (place == std::string::npos) {
      snapshot.files.emplace_back(path, read_text(path));
      continue;
    }
    for (const int tid : thread_ids) {
      std::string own = path;
      own.replace(place, kThread.size(), std::to_string(tid));
      auto text = read_text(own);
      // A rank that is a process of its own has its files there, and its CPU time is not in this process's.
      if (!text && path.starts_with(kOwnThreads)) {
        const std::string beside = "/proc/" + own.substr(kOwnThreads.size());
        text = read_text(beside);
        snapshot.files.emplace_back(beside, text);
      }
      snapshot.files.emplace_back(own, text);
    }
  }
  return snapshot;
}

}  // namespace pibench
