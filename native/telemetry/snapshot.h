// Reads the files that tell what the machine did, at one moment. What they mean is for TypeScript to say.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../measure/clock.h"

namespace pibench {

struct Snapshot {
  Nanoseconds at = 0;
  std::vector<std::pair<std::string, std::optional<std::string>>> files;
};

// `{tid}` in a path stands for each of the thread ids in turn. A file that cannot be read has no text.
Snapshot take_snapshot(std::span<const std::string> paths, std::span<const int> thread_ids);

}  // namespace pibench
