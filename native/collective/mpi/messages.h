// What pi-bench itself says between ranks that are processes of their own, whatever carries it: an MPI
// library (calls.h), or sockets of ours (../rendezvous).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "wait.h"

namespace pibench::collective {

// What a message of pi-bench's own is about; messages of one kind between two ranks keep their order.
enum class Topic : std::uint8_t { text = 1, order, report, meeting, clock };

class Messages {
 public:
  virtual ~Messages() = default;

  // What carries them: "Open MPI 4.1.4".
  [[nodiscard]] virtual std::string version() const = 0;
  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;
  virtual void end() noexcept = 0;

  // False when the wait's patience is over, or the other rank is gone: what was begun then stays so, but
  // neither reads nor writes the caller's memory any more.
  virtual bool send(const void* from, std::size_t bytes, int to, Topic topic, Wait& wait) noexcept = 0;
  virtual bool receive(void* into, std::size_t bytes, int from, Topic topic, Wait& wait) noexcept = 0;
  virtual bool exchange(const void* from, int to, void* into, int source, std::size_t bytes, Topic topic,
                        Wait& wait) noexcept = 0;
  // Whether it is known that a rank has ended: MPI does not say.
  [[nodiscard]] virtual bool has_left(int) const noexcept { return false; }
};

}  // namespace pibench::collective
