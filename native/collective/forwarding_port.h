// A port that passes everything on to another: what wraps a rank's port overrides what it changes.
#pragma once

#include "transport.h"

namespace pibench::collective {

class ForwardingPort : public Port {
 public:
  explicit ForwardingPort(Port& port) : port_(port) {}

  [[nodiscard]] int rank() const noexcept override { return port_.rank(); }
  [[nodiscard]] Operands operands() noexcept override { return port_.operands(); }
  [[nodiscard]] bool works_on_operands() const noexcept override { return port_.works_on_operands(); }
  void publish() noexcept override { port_.publish(); }
  void begin() noexcept override { port_.begin(); }
  void run() noexcept override { port_.run(); }
  Nanoseconds ended(Nanoseconds entry, Nanoseconds exit) noexcept override {
    return port_.ended(entry, exit);
  }
  void fetch() noexcept override { port_.fetch(); }
  void fetch_input() noexcept override { port_.fetch_input(); }
  void bring_at_end(std::span<const std::size_t> places) noexcept override { port_.bring_at_end(places); }
  [[nodiscard]] const std::byte* at_end(std::size_t i) const noexcept override { return port_.at_end(i); }
  void barrier() noexcept override { port_.barrier(); }
  void meet() noexcept override { port_.meet(); }
  Nanoseconds latest(Nanoseconds mine) noexcept override { return port_.latest(mine); }
  [[nodiscard]] Nanoseconds now() const noexcept override { return port_.now(); }
  [[nodiscard]] std::span<const char* const> algorithms() const noexcept override {
    return port_.algorithms();
  }
  void choose(std::size_t algorithm) noexcept override { port_.choose(algorithm); }
  [[nodiscard]] std::size_t worth_trying() const noexcept override { return port_.worth_trying(); }
  [[nodiscard]] Moved moved() const noexcept override { return port_.moved(); }
  [[nodiscard]] bool tells_waiting() const noexcept override { return port_.tells_waiting(); }
  void watch_waiting(bool on) noexcept override { port_.watch_waiting(on); }
  [[nodiscard]] Nanoseconds waited() const noexcept override { return port_.waited(); }
  [[nodiscard]] bool is_process() const noexcept override { return port_.is_process(); }
  [[nodiscard]] bool abandoned() const noexcept override { return port_.abandoned(); }

 private:
  Port& port_;
};

}  // namespace pibench::collective
