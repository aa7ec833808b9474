// TCP between ranks: sockets that close themselves, and what is done with them until a moment and no longer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../measure/clock.h"

namespace pibench::collective::rendezvous {

class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket();
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

// Of a host, by its name or number; `host` empty: every network of this one, of IPv4 and of IPv6.
struct Address {
  std::string host;
  std::uint16_t port = 0;
};

// "host:1234", "[::1]:1234". Throws std::invalid_argument.
Address address_of(const std::string& text);

// `port` 0: any that is free. Throws std::runtime_error with the system's words.
Socket listening(const Address& address);
// Where the other ones of a meeting come. A host's own name may be one of its loopback's numbers (Debian
// writes 127.0.1.1 into /etc/hosts), and others would find nobody there: then every network is listened to.
Socket listening_for_others(const Address& address);
// Of a socket's own end.
std::uint16_t port_of(const Socket& socket);
// The other end's number.
std::string peer_of(const Socket& socket);
// Numbers of this host, the one that only it can reach last.
std::vector<std::string> own_hosts();

// Nothing where it cannot be done until then; none of these wait for longer.
std::optional<Socket> connected(const Address& address, Nanoseconds until) noexcept;
std::optional<Socket> accepted(const Socket& listener, Nanoseconds until) noexcept;
bool put(const Socket& socket, const void* from, std::size_t bytes, Nanoseconds until) noexcept;
bool get(const Socket& socket, void* into, std::size_t bytes, Nanoseconds until) noexcept;

}  // namespace pibench::collective::rendezvous
