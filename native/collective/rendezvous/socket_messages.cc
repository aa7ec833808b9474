#include "socket_messages.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace pibench::collective::rendezvous {
namespace {

// Before each message.
struct Head {
  Topic topic;
  std::uint64_t bytes;
};

struct Peer {
  Socket socket;
  std::vector<std::byte> come;  // whole messages and the beginning of one
  bool gone = false;
};

constexpr Nanoseconds kFarewell = 1'000'000'000;

class SocketMessages final : public Messages {
 public:
  SocketMessages(int rank, std::vector<Socket> sockets) : rank_(rank) {
    for (Socket& socket : sockets) peers_.push_back({std::move(socket), {}, false});
  }

  [[nodiscard]] std::string version() const override { return "our own sockets"; }
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return static_cast<int>(peers_.size()); }
  [[nodiscard]] bool has_left(int rank) const noexcept override { return of(rank).gone; }

  // Waits until the others have closed theirs: what is still on its way would be lost with a connection that
  // is closed before it was read.
  void end() noexcept override {
    const Nanoseconds until = now() + kFarewell;
    for (Peer& peer : peers_) {
      if (peer.socket.is_open()) shutdown(peer.socket.descriptor(), SHUT_WR);
    }
    for (Peer& peer : peers_) {
      std::byte rest{};
      while (peer.socket.is_open() && !peer.gone && get(peer.socket, &rest, 1, until)) {
      }
      peer = {};
    }
  }

  bool send(const void* from, std::size_t bytes, int to, Topic topic, Wait& wait) noexcept override {
    Peer& peer = of(to);
    wait.begin();
    const Head head{topic, bytes};
    std::vector<std::byte> message;
    const auto append = [&message](const void* at, std::size_t length) {
      const auto* const first = static_cast<const std::byte*>(at);
      message.insert(message.end(), first, first + length);
    };
    append(&head, sizeof head);
    append(from, bytes);
    for (std::size_t done = 0; done < message.size() && !peer.gone;) {
      const ssize_t count =
          ::send(peer.socket.descriptor(), message.data() + done, message.size() - done, MSG_NOSIGNAL);
      if (count > 0) {
        done += static_cast<std::size_t>(count);
      } else if ((errno != EAGAIN && errno != EINTR) || !wait.again()) {
        // Half of a message would make nonsense of the next.
        peer.gone = true;
      }
    }
    return !peer.gone;
  }

  bool receive(void* into, std::size_t bytes, int from, Topic topic, Wait& wait) noexcept override {
    Peer& peer = of(from);
    wait.begin();
    while (!take(peer, into, bytes, topic)) {
      if (peer.gone) return false;
      if (!pull(peer) && !peer.gone && !wait.again()) return false;
    }
    return true;
  }

  bool exchange(const void* from, int to, void* into, int source, std::size_t bytes, Topic topic,
                Wait& wait) noexcept override {
    return send(from, bytes, to, topic, wait) && receive(into, bytes, source, topic, wait);
  }

 private:
  [[nodiscard]] Peer& of(int rank) noexcept { return peers_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const Peer& of(int rank) const noexcept { return peers_[static_cast<std::size_t>(rank)]; }

  // The first whole message of the topic; those of others stay.
  static bool take(Peer& peer, void* into, std::size_t bytes, Topic topic) noexcept {
    for (std::size_t at = 0; peer.come.size() - at >= sizeof(Head);) {
      Head head{};
      std::memcpy(&head, peer.come.data() + at, sizeof head);
      const std::size_t end = at + sizeof head + head.bytes;
      if (peer.come.size() < end) return false;
      if (head.topic == topic) {
        if (bytes > 0)
          std::memcpy(into, peer.come.data() + at + sizeof head, std::min<std::size_t>(bytes, head.bytes));
        peer.come.erase(peer.come.begin() + static_cast<std::ptrdiff_t>(at),
                        peer.come.begin() + static_cast<std::ptrdiff_t>(end));
        return true;
      }
      at = end;
    }
    return false;
  }

  // What has come by now; false: nothing.
  static bool pull(Peer& peer) noexcept {
    std::array<std::byte, 4096> some;
    const ssize_t count = ::recv(peer.socket.descriptor(), some.data(), some.size(), 0);
    if (count > 0) {
      peer.come.insert(peer.come.end(), some.begin(), some.begin() + count);
      return true;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) peer.gone = true;
    return false;
  }

  int rank_;
  std::vector<Peer> peers_;
};

}  // namespace

std::unique_ptr<Messages> make_messages(int rank, std::vector<Socket> peers) {
  return std::make_unique<SocketMessages>(rank, std::move(peers));
}

}  // namespace pibench::collective::rendezvous
