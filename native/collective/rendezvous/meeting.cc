#include "meeting.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "socket_messages.h"
#include "sockets.h"

namespace pibench::collective {
namespace {

using namespace rendezvous;

constexpr std::uint64_t kMagic = 0x70692d62656e6368;  // "pi-bench"
constexpr std::uint32_t kVersion = 1;
// Who connects and says nothing for so long is none of us.
constexpr Nanoseconds kToSpeak = 2'000'000'000;
constexpr Nanoseconds kTryAgain = 50'000'000;
// Beyond rank 0's patience, in which it says who did not come.
constexpr Nanoseconds kToHear = 3'000'000'000;

// Plain data, so that it can be sent.
struct Hello {
  std::uint64_t magic = kMagic;
  std::uint32_t version = kVersion;
  int rank = 0, ranks = 0;
  std::uint16_t port = 0;  // where it listens for those of higher ranks
};
struct Answer {
  std::uint64_t magic = kMagic;
  bool welcome = false;
  std::array<char, 160> why{};
};
struct Seat {
  std::array<char, 64> host{};  // empty: where rank 0 is
  std::uint16_t port = 0;
};

struct Place {
  std::string file;  // empty: it is `address`
  Address address;
};

Place place_of(const std::string& text) {
  if (text.starts_with("tcp:")) return {"", address_of(text.substr(4))};
  if (text.starts_with("file:") && text.size() > 5) return {text.substr(5), {}};
  throw std::invalid_argument(text + " is no place to meet: tcp:HOST:PORT or file:PATH");
}

std::string seconds_text(Nanoseconds time) { return std::to_string(time / 1'000'000'000) + " s"; }

[[noreturn]] void refuse(const std::string& why) { throw std::runtime_error(why); }

// Where rank 0 listens, as it says in the file.
class Notice {
 public:
  Notice(std::string path, std::uint16_t port) : path_(std::move(path)) {
    const std::string partial = path_ + "." + std::to_string(getpid()) + ".tmp";
    {
      std::ofstream file(partial);
      for (const std::string& host : own_hosts()) file << host << ' ' << port << '\n';
      if (!file.flush()) refuse("cannot write " + partial + ": name a folder that is there");
    }
    std::filesystem::rename(partial, path_);
  }
  ~Notice() {
    std::error_code nobody_minds;
    std::filesystem::remove(path_, nobody_minds);
  }
  Notice(const Notice&) = delete;
  Notice& operator=(const Notice&) = delete;

 private:
  std::string path_;
};

std::vector<Address> noticed(const std::string& path) {
  std::vector<Address> found;
  std::ifstream file(path);
  for (Address one; file >> one.host >> one.port;) found.push_back(one);
  return found;
}

void answer(const Socket& socket, const std::string& why) noexcept {
  Answer said;
  said.welcome = why.empty();
  std::snprintf(said.why.data(), said.why.size(), "%s", why.c_str());
  static_cast<void>(put(socket, &said, sizeof said, now() + kToSpeak));
}

// "rank 1", "ranks 1, 3": those that are missing.
std::string missing_among(const std::vector<Socket>& peers) {
  std::string names;
  int count = 0;
  for (std::size_t rank = 1; rank < peers.size(); ++rank) {
    if (peers[rank].is_open()) continue;
    names += (names.empty() ? "" : ", ") + std::to_string(rank);
    ++count;
  }
  return (count == 1 ? "rank " : "ranks ") + names;
}

std::vector<Socket> host_meeting(const std::string& text, const Place& place, int ranks,
                                 Nanoseconds patience) {
  const Socket listener = place.file.empty() ? listening_for_others(place.address) : listening({});
  std::optional<Notice> notice;
  if (!place.file.empty()) notice.emplace(place.file, port_of(listener));
  std::vector<Socket> peers(static_cast<std::size_t>(ranks));
  std::vector<Seat> seats(peers.size());
  const std::vector<std::string> own = own_hosts();
  const Nanoseconds until = now() + patience;
  for (int missing = ranks - 1; missing > 0;) {
    std::optional<Socket> come = accepted(listener, until);
    if (!come) {
      const std::string why = missing_among(peers) + " of " + std::to_string(ranks) + " did not come to " +
                              text + " within " + seconds_text(patience);
      for (const Socket& peer : peers) {
        if (peer.is_open()) answer(peer, why);
      }
      refuse(why);
    }
    Hello hello;
    if (!get(*come, &hello, sizeof hello, now() + kToSpeak) || hello.magic != kMagic) continue;
    const std::string who = "rank " + std::to_string(hello.rank);
    if (hello.version != kVersion) {
      answer(*come, "rank 0 is of another version of pi-bench");
    } else if (hello.ranks != ranks) {
      answer(*come, who + " was started as one of " + std::to_string(hello.ranks) +
                        " ranks, rank 0 as one of " + std::to_string(ranks));
    } else if (hello.rank < 1 || hello.rank >= ranks ||
               peers[static_cast<std::size_t>(hello.rank)].is_open()) {
      answer(*come, "there is a " + who + " already: each needs a number of its own");
    } else {
      Seat& seat = seats[static_cast<std::size_t>(hello.rank)];
      const std::string host = peer_of(*come);
      const bool is_here =
          host.starts_with("127.") || host == "::1" || std::ranges::find(own, host) != own.end();
      std::snprintf(seat.host.data(), seat.host.size(), "%s", is_here ? "" : host.c_str());
      seat.port = hello.port;
      peers[static_cast<std::size_t>(hello.rank)] = std::move(*come);
      --missing;
    }
  }
  for (const Socket& peer : peers) {
    if (!peer.is_open()) continue;
    answer(peer, "");
    static_cast<void>(put(peer, seats.data(), seats.size() * sizeof(Seat), now() + kToSpeak));
  }
  return peers;
}

// A rank that rank 0 knows: its connection to that, and where those of higher ranks come.
struct Joined {
  Socket host, listener;
};

// Somebody else may listen there, or rank 0 of a job before: who does not answer as one of us is passed over.
// The others are told the address by which this rank came, or go where they found rank 0, by whichever family
// of addresses: so it listens to all.
std::optional<Joined> try_host(const Address& address, Hello hello, Nanoseconds until) {
  std::optional<Socket> host = connected(address, std::min(until, now() + kToSpeak));
  if (!host) return std::nullopt;
  Socket listener = listening({});
  hello.port = port_of(listener);
  if (!put(*host, &hello, sizeof hello, now() + kToSpeak)) return std::nullopt;
  Answer said;
  if (!get(*host, &said, sizeof said, until + kToHear) || said.magic != kMagic) return std::nullopt;
  if (!said.welcome) refuse(said.why.data());
  return Joined{std::move(*host), std::move(listener)};
}

Joined find_host(const std::string& text, const Place& place, const Hello& hello, Nanoseconds patience) {
  const Nanoseconds until = now() + patience;
  do {
    const std::vector<Address> addresses =
        place.file.empty() ? std::vector{place.address} : noticed(place.file);
    for (const Address& address : addresses) {
      if (std::optional<Joined> joined = try_host(address, hello, until)) return std::move(*joined);
    }
    usleep(kTryAgain / 1000);
  } while (now() < until);
  refuse("rank 0 of " + std::to_string(hello.ranks) + " was not found at " + text + " within " +
         seconds_text(patience));
}

// With those before it, which listen; then by those after it.
void meet_others(std::vector<Socket>& peers, const std::vector<Seat>& seats, const Socket& listener,
                 const Hello& own, Nanoseconds until) {
  for (int other = 1; other < own.rank; ++other) {
    const Seat& seat = seats[static_cast<std::size_t>(other)];
    const std::string host = seat.host[0] == '\0' ? peer_of(peers[0]) : seat.host.data();
    std::optional<Socket> socket = connected({host, seat.port}, until);
    if (!socket || !put(*socket, &own, sizeof own, until))
      refuse("rank " + std::to_string(own.rank) + " cannot connect to rank " + std::to_string(other) +
             " at " + host + " port " + std::to_string(seat.port));
    peers[static_cast<std::size_t>(other)] = std::move(*socket);
  }
  for (int missing = own.ranks - 1 - own.rank; missing > 0;) {
    std::optional<Socket> come = accepted(listener, until);
    if (!come) refuse("not every rank after " + std::to_string(own.rank) + " has connected to it");
    Hello hello;
    if (!get(*come, &hello, sizeof hello, now() + kToSpeak) || hello.magic != kMagic) continue;
    if (hello.rank <= own.rank || hello.rank >= own.ranks) continue;
    peers[static_cast<std::size_t>(hello.rank)] = std::move(*come);
    --missing;
  }
}

std::vector<Socket> join_meeting(const std::string& text, const Place& place, int rank, int ranks,
                                 Nanoseconds patience) {
  const Hello own{.rank = rank, .ranks = ranks};
  auto [host, listener] = find_host(text, place, own, patience);
  std::vector<Socket> peers(static_cast<std::size_t>(ranks));
  std::vector<Seat> seats(peers.size());
  const Nanoseconds until = now() + patience;
  if (!get(host, seats.data(), seats.size() * sizeof(Seat), until)) refuse("rank 0 has ended");
  peers[0] = std::move(host);
  meet_others(peers, seats, listener, own, until);
  return peers;
}

}  // namespace

std::unique_ptr<Messages> meet_at(const std::string& text, int rank, int ranks, Nanoseconds patience) {
  const Place place = place_of(text);
  if (ranks < 1 || rank < 0 || rank >= ranks)
    throw std::invalid_argument("rank " + std::to_string(rank) + " is none of " + std::to_string(ranks) +
                                " ranks");
  std::vector<Socket> peers = rank == 0 ? host_meeting(text, place, ranks, patience)
                                        : join_meeting(text, place, rank, ranks, patience);
  return make_messages(rank, std::move(peers));
}

}  // namespace pibench::collective
