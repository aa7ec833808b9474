#include "sockets.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace pibench::collective::rendezvous {
namespace {

struct FreeFound {
  void operator()(addrinfo* found) const noexcept { freeaddrinfo(found); }
};
using Found = std::unique_ptr<addrinfo, FreeFound>;

// Empty where the name is not known.
Found find(const Address& address, int flags) noexcept {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  const char* const host = address.host.empty() ? nullptr : address.host.c_str();
  if (getaddrinfo(host, port.c_str(), &hints, &found) != 0) return nullptr;
  return Found(found);
}

// One of IPv4 that came to a socket of IPv6 is told as the number that it has itself.
std::string text_of(const sockaddr* address, socklen_t length) {
  constexpr std::string_view kMapped = "::ffff:";
  std::array<char, NI_MAXHOST> host{};
  if (getnameinfo(address, length, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0) return {};
  const std::string_view text(host.data());
  const bool is_mapped = text.starts_with(kMapped) && text.find('.') != std::string_view::npos;
  return std::string(is_mapped ? text.substr(kMapped.size()) : text);
}

// Whether something may be done with it before `until`.
bool awaits(int descriptor, short events, Nanoseconds until) noexcept {
  for (;;) {
    const Nanoseconds left = until - now();
    pollfd one{descriptor, events, 0};
    const int count = poll(&one, 1, static_cast<int>(std::clamp<Nanoseconds>(left / 1'000'000, 0, 60'000)));
    if (count > 0) return true;
    if (count == 0 && now() >= until) return false;
    if (count < 0 && errno != EINTR) return false;
  }
}

// Small messages go at once. A host whose power or cable is gone says nothing of its end: the kernels ask
// each other, whatever the ranks are at, and a connection without answers, or whose other end takes nothing,
// is closed after some 20 s.
void set_up(int descriptor) noexcept {
  constexpr int kSilentSeconds = 10;
  constexpr int kAskEverySeconds = 3;
  constexpr int kMostAsked = 3;
  constexpr unsigned kUnansweredMilliseconds = 20'000;
  const auto set = [descriptor](int level, int name, auto value) {
    setsockopt(descriptor, level, name, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, kSilentSeconds);
  set(IPPROTO_TCP, TCP_KEEPINTVL, kAskEverySeconds);
  set(IPPROTO_TCP, TCP_KEEPCNT, kMostAsked);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, kUnansweredMilliseconds);
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
}

// What somebody does about it; empty: nothing that is known.
const char* advice_for(int error) noexcept {
  switch (error) {
    case EADDRINUSE:
      return ": choose another port";
    case EADDRNOTAVAIL:
      return ": name an address of the host that rank 0 runs on";
    case EACCES:
      return ": choose a port above 1023";
    default:
      return "";
  }
}

// None where it cannot be had, and then why.
Socket listening_at(const addrinfo& place, int& error) noexcept {
  Socket made(socket(place.ai_family, place.ai_socktype | SOCK_CLOEXEC, place.ai_protocol));
  constexpr int kYes = 1;
  constexpr int kNo = 0;
  if (made.is_open()) setsockopt(made.descriptor(), SOL_SOCKET, SO_REUSEADDR, &kYes, sizeof kYes);
  if (made.is_open() && place.ai_family == AF_INET6)
    setsockopt(made.descriptor(), IPPROTO_IPV6, IPV6_V6ONLY, &kNo, sizeof kNo);
  if (made.is_open() && bind(made.descriptor(), place.ai_addr, place.ai_addrlen) == 0 &&
      listen(made.descriptor(), SOMAXCONN) == 0) {
    fcntl(made.descriptor(), F_SETFL, O_NONBLOCK);
    return made;
  }
  error = errno;
  return {};
}

std::string numbered(const Address& address) {
  return (address.host.empty() ? "port " : address.host + ":") + std::to_string(address.port);
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

Address address_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const bool good = colon != std::string::npos && colon > 0 &&
                    std::from_chars(text.data() + colon + 1, end, port).ptr == end && port > 0;
  if (!good) throw std::invalid_argument(text + " is no host and port, as in node1:29500");
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, port};
}

Socket listening(const Address& address) {
  int error = 0;
  // A socket of IPv6's networks takes those who come by IPv4's, too; a kernel may have none of it.
  const std::vector<std::string> hosts =
      address.host.empty() ? std::vector<std::string>{"::", "0.0.0.0"} : std::vector{address.host};
  for (const std::string& host : hosts) {
    const Found found = find({host, address.port}, AI_PASSIVE);
    if (!found && !address.host.empty())
      throw std::runtime_error("there is no host " + host + ": name the one that rank 0 runs on");
    for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
      if (Socket made = listening_at(*one, error); made.is_open()) return made;
    }
  }
  throw std::runtime_error("cannot listen at " + numbered(address) + ": " + std::strerror(error) +
                           advice_for(error));
}

namespace {

// Said in so many words, it is meant.
bool says_loopback(const std::string& host) {
  return host == "localhost" || host.starts_with("127.") || host == "::1";
}

// Of a socket's own end.
sockaddr_storage own_address(const Socket& socket) {
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&own), &length);
  return own;
}

bool is_loopback(const Socket& socket) {
  const sockaddr_storage own = own_address(socket);
  if (own.ss_family == AF_INET6)
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(&own)->sin6_addr);
  constexpr std::uint32_t kLoopbackNetwork = 127;
  return ntohl(reinterpret_cast<const sockaddr_in*>(&own)->sin_addr.s_addr) >> 24U == kLoopbackNetwork;
}

}  // namespace

Socket listening_for_others(const Address& address) {
  {
    Socket made = listening(address);
    if (says_loopback(address.host) || !is_loopback(made)) return made;
  }
  return listening({"", address.port});
}

std::uint16_t port_of(const Socket& socket) {
  const sockaddr_storage own = own_address(socket);
  return ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&own)->sin6_port
                                         : reinterpret_cast<const sockaddr_in*>(&own)->sin_port);
}

std::string peer_of(const Socket& socket) {
  sockaddr_storage theirs{};
  socklen_t length = sizeof theirs;
  getpeername(socket.descriptor(), reinterpret_cast<sockaddr*>(&theirs), &length);
  return text_of(reinterpret_cast<const sockaddr*>(&theirs), length);
}

namespace {

// Empty for what others cannot reach: the loopback's, and IPv6's of one cable, which means another one on
// each host.
std::string number_for_others(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    const std::string host = text_of(&address, sizeof(sockaddr_in));
    return host.starts_with("127.") ? std::string() : host;
  }
  if (address.sa_family != AF_INET6) return {};
  const in6_addr& six = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  if (IN6_IS_ADDR_LOOPBACK(&six) || IN6_IS_ADDR_LINKLOCAL(&six)) return {};
  return text_of(&address, sizeof(sockaddr_in6));
}

}  // namespace

std::vector<std::string> own_hosts() {
  std::vector<std::string> hosts;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {"127.0.0.1"};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> freed(all, freeifaddrs);
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    const std::string host = number_for_others(*one->ifa_addr);
    if (!host.empty()) hosts.push_back(host);
  }
  hosts.emplace_back("127.0.0.1");
  return hosts;
}

std::optional<Socket> connected(const Address& address, Nanoseconds until) noexcept {
  const Found found = find(address, 0);
  for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
    Socket made(socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol));
    if (!made.is_open()) continue;
    set_up(made.descriptor());
    if (connect(made.descriptor(), one->ai_addr, one->ai_addrlen) == 0) return made;
    if (errno != EINPROGRESS || !awaits(made.descriptor(), POLLOUT, until)) continue;
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(made.descriptor(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error == 0) return made;
  }
  return std::nullopt;
}

std::optional<Socket> accepted(const Socket& listener, Nanoseconds until) noexcept {
  while (awaits(listener.descriptor(), POLLIN, until)) {
    Socket made(accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!made.is_open()) continue;
    set_up(made.descriptor());
    return made;
  }
  return std::nullopt;
}

bool put(const Socket& socket, const void* from, std::size_t bytes, Nanoseconds until) noexcept {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t count = ::send(socket.descriptor(), at, bytes, MSG_NOSIGNAL);
    if (count > 0) {
      at += count;
      bytes -= static_cast<std::size_t>(count);
    } else if ((errno != EAGAIN && errno != EINTR) || !awaits(socket.descriptor(), POLLOUT, until)) {
      return false;
    }
  }
  return true;
}

bool get(const Socket& socket, void* into, std::size_t bytes, Nanoseconds until) noexcept {
  auto* at = static_cast<char*>(into);
  while (bytes > 0) {
    const ssize_t count = ::recv(socket.descriptor(), at, bytes, 0);
    if (count > 0) {
      at += count;
      bytes -= static_cast<std::size_t>(count);
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR) ||
               !awaits(socket.descriptor(), POLLIN, until)) {
      return false;
    }
  }
  return true;
}

}  // namespace pibench::collective::rendezvous
