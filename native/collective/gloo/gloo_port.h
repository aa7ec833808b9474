// One rank's end of Gloo: private memory as any program has it, and the library's call over TCP. The ranks'
// own barrier, and what watches over them, are those of shared memory.
#pragma once

#include <array>
#include <atomic>

#include "../forwarding_port.h"
#include "../private_operands.h"
#include "../shm/board.h"
#include "gloo_library.h"

namespace pibench::collective::gloo {

// What a rank says when a call has failed, in memory that all of them share.
struct alignas(kLineBytes) Trouble {
  std::array<char, sizeof(Reason)> what{};
  std::atomic<bool> happened{false};
};

// All ranks are made at the same time: each waits for the others.
class GlooPort final : public ForwardingPort {
 public:
  // `host`: the rank's port among the processes of this host; `troubles`: of all ranks. Throws
  // std::runtime_error with Gloo's words, std::bad_alloc.
  GlooPort(Port& host, const Problem& problem, const Library& library, const Joining& joining,
           std::span<Trouble> troubles);
  ~GlooPort() override;
  GlooPort(const GlooPort&) = delete;
  GlooPort& operator=(const GlooPort&) = delete;

  [[nodiscard]] Operands operands() noexcept override { return memory_.operands(); }
  void run() noexcept override;
  void fetch() noexcept override;
  // Gloo's own choice first, which is what is taken unless another is asked for.
  [[nodiscard]] std::span<const char* const> algorithms() const noexcept override;
  void choose(std::size_t algorithm) noexcept override;
  [[nodiscard]] std::size_t worth_trying() const noexcept override { return 1; }
  // What it moves Gloo does not say.
  [[nodiscard]] Moved moved() const noexcept override { return {}; }
  [[nodiscard]] bool tells_waiting() const noexcept override { return false; }
  void watch_waiting(bool) noexcept override {}
  [[nodiscard]] Nanoseconds waited() const noexcept override { return 0; }
  [[nodiscard]] bool abandoned() const noexcept override;

 private:
  void tell(const Reason& reason) noexcept;

  Problem problem_;
  const Plugin& calls_;
  std::span<Trouble> troubles_;
  PrivateOperands memory_;
  End* end_;
  std::size_t planned_;
};

}  // namespace pibench::collective::gloo
