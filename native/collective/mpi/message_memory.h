// Where a message lies while an MPI library sends or receives it. The library has that memory until the
// message is done, which may be long after its caller gave up and returned: then it must be nobody's
// variable.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace pibench::collective {

// Of one message at a time.
class MessageMemory {
 public:
  // For a message of so many bytes; valid until the next one.
  std::byte* of(std::size_t bytes) {
    if (memory_.size() < bytes) memory_.resize(bytes);
    return memory_.data();
  }
  // Nobody waits for the message any more, so it keeps its memory as long as this lives; the next has other.
  void leave() { left_.push_back(std::exchange(memory_, {})); }

 private:
  std::vector<std::byte> memory_;
  std::vector<std::vector<std::byte>> left_;
};

}  // namespace pibench::collective
