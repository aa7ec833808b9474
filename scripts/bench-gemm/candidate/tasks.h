// The threads of this process: each on a CPU of its own, and how long they waited for one.
#pragma once

#include <cstdint>
#include <vector>

namespace bench {

// Binds the calling thread to these CPUs, and so every thread that begins after it: those too that a library
// starts in each call, which pin_tasks cannot reach. Throws std::system_error when the system refuses.
void bind_to(const std::vector<int>& cpus);

// Whatever pool a library brought, each of its threads gets a CPU of its own, the calling one the first. A
// library that starts its threads in each call shows none here: then nothing is pinned, for they would all
// inherit one CPU, and they share those that the process is bound to. Returns whether the threads were
// pinned.
bool pin_tasks(const std::vector<int>& cpus);

// Seconds that the threads of this process spent ready to run but without a CPU, all together.
class RunQueue {
 public:
  RunQueue();
  ~RunQueue();
  RunQueue(const RunQueue&) = delete;
  RunQueue& operator=(const RunQueue&) = delete;
  [[nodiscard]] double waited() const;

 private:
  std::vector<int> files_;
};

}  // namespace bench
