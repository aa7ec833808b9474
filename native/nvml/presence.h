// Who is on a GPU while it is watched: NVML's lists of processes, asked for again and again, and what tells
// how far they can be trusted. What they come to TypeScript says.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "../json.h"
#include "nvml.h"

namespace pibench::nvml {

// Whether this process has another number to itself than to the driver: true in a container, mostly. Nothing
// where the kernel does not tell.
[[nodiscard]] std::optional<bool> own_pid_namespace();

// Of the memory, what somebody has beside the driver itself. Nothing of a divided device, of which NVML tells
// the whole card's, nor where NVML does not keep the two apart.
[[nodiscard]] std::optional<std::uint64_t> bytes_in_use(const Device& device);

class Presence {
 public:
  // Asks. The first time is best before the process has anything on the device.
  void look(const Device& device);
  // As the first and the last time it was asked, and who came and went between them.
  void add_to(json::Object& report) const;

 private:
  using Processes = std::optional<std::vector<Process>>;
  mutable std::mutex mutex_;
  std::size_t looks_ = 0;
  bool drawing_known_ = false;
  std::optional<std::uint64_t> bytes_before_;
  Processes first_, last_;
  std::map<unsigned, Process> seen_;
};

}  // namespace pibench::nvml
