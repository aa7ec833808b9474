// Ranks that find each other without MPI: here threads, over TCP as processes do it. Who does not come, comes
// twice, or counts otherwise is named; so is who ends while the clocks of hosts are compared.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../native/collective/mpi/mpi_transport.h"
#include "../../native/collective/mpi/world.h"
#include "../../native/collective/rendezvous/meeting.h"
#include "../../native/collective/rendezvous/sockets.h"
#include "check.h"

namespace {

using pibench::Nanoseconds;
using pibench::collective::Executor;
using pibench::collective::make_mpi_transport;
using pibench::collective::meet_at;
using pibench::collective::Messages;
using pibench::collective::MpiParameters;
using pibench::collective::Order;
using pibench::collective::Port;
using pibench::collective::Report;
using pibench::collective::Topic;
using pibench::collective::Wait;
using pibench::collective::World;
using pibench::collective::rendezvous::address_of;
using pibench::collective::rendezvous::listening;
using pibench::collective::rendezvous::port_of;
using pibench::test::Checks;

// Against what hangs only, on whatever machine.
constexpr Nanoseconds kPatience = 120'000'000'000;
// Of those who wait for somebody who never comes: long enough for those who do.
constexpr Nanoseconds kImpatience = 3'000'000'000;
// Of those who meet, which takes them milliseconds: what keeps them apart is to be told soon.
constexpr Nanoseconds kToMeet = 5'000'000'000;

struct Member {
  int rank, ranks;
  Nanoseconds patience = kToMeet;
  std::string place = {};  // where this one has it; empty: where all have it
  std::unique_ptr<Messages> messages = {};
  std::string why = {};
};

void meet(std::vector<Member>& members, const std::string& place) {
  std::vector<std::thread> threads;
  threads.reserve(members.size());
  for (Member& member : members)
    threads.emplace_back([&member, &place] {
      try {
        const std::string& own = member.place.empty() ? place : member.place;
        member.messages = meet_at(own, member.rank, member.ranks, member.patience);
      } catch (const std::exception& error) {
        member.why = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// At the loopback's other address; empty: this machine has none.
std::string free_place_of_six() {
  try {
    return "tcp:[::1]:" + std::to_string(port_of(listening({"::1", 0})));
  } catch (const std::runtime_error&) {
    return {};
  }
}

// Different ports that are free now.
template <std::size_t count>
std::array<std::string, count> free_places() {
  std::array<std::string, count> places;
  std::vector<pibench::collective::rendezvous::Socket> held;
  for (std::string& place : places) {
    held.push_back(listening({"127.0.0.1", 0}));
    place = "tcp:127.0.0.1:" + std::to_string(port_of(held.back()));
  }
  return places;
}

std::string free_place() { return free_places<1>()[0]; }

std::string reasons(const std::vector<Member>& members) {
  std::string all;
  for (const Member& member : members) all += "[" + member.why + "] ";
  return all;
}

// Each with each: what one sends to the other on two topics comes whole, whatever is asked for first.
void check_messages(Checks& checks, const std::string& place, const std::string& name) {
  constexpr int kRanks = 5;
  constexpr std::size_t kLong = 300'000;
  std::vector<Member> members;
  members.reserve(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) members.push_back({rank, kRanks});
  meet(members, place);
  const bool met = std::ranges::all_of(members, [](const Member& one) { return one.messages != nullptr; });
  checks.that(met, "five ranks find each other " + name, reasons(members));
  if (!met) return;

  std::vector<int> right(kRanks, 0);
  std::vector<std::thread> threads;
  threads.reserve(kRanks);
  for (int rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&members, &right, rank] {
      Messages& own = *members[static_cast<std::size_t>(rank)].messages;
      Wait wait(true, kPatience, false);
      const std::vector<char> text(kLong, static_cast<char>('a' + rank));
      for (int step = 1; step < kRanks; ++step) {
        const int to = (rank + step) % kRanks;
        const int from = (rank + kRanks - step) % kRanks;
        const int number = 10 * rank + to;
        int theirs = -1;
        std::vector<char> come(kLong);
        own.send(&number, sizeof number, to, Topic::order, wait);
        own.exchange(&number, to, &theirs, from, sizeof theirs, Topic::meeting, wait);
        std::thread sending([&] {
          Wait of_sender(true, kPatience, false);
          own.send(text.data(), text.size(), to, Topic::text, of_sender);
        });
        const bool all = own.receive(come.data(), come.size(), from, Topic::text, wait);
        sending.join();
        int before = -1;
        own.receive(&before, sizeof before, from, Topic::order, wait);
        const auto is_theirs = [from](char one) { return one == static_cast<char>('a' + from); };
        if (all && theirs == 10 * from + rank && before == theirs && std::ranges::all_of(come, is_theirs))
          ++right[static_cast<std::size_t>(rank)];
      }
      own.end();
    });
  for (std::thread& thread : threads) thread.join();
  checks.that(std::ranges::all_of(right, [](int count) { return count == kRanks - 1; }),
              "and what each says to each comes whole, by topic, " + name);
}

// A number that is the loopback's without saying so, as a host's own name may be: others come by another one.
void check_names_of_loopback(Checks& checks) {
  using pibench::collective::rendezvous::connected;
  using pibench::collective::rendezvous::listening_for_others;
  const auto reached = [](const std::string& host) {
    const auto listener = listening_for_others({host, 0});
    return connected({"127.0.0.2", port_of(listener)}, pibench::now() + kPatience).has_value();
  };
  checks.that(reached("0x7f000001"), "a name of this host that is its loopback's is no place to hide");
  checks.that(!reached("127.0.0.1"), "but where the loopback is named it is meant");
}

// One that came by IPv4 is found by one that came by IPv6, for it goes where rank 0 is.
void check_mixed_families(Checks& checks) {
  const std::string port = std::to_string(port_of(listening({"", 0})));
  std::vector<Member> members;
  members.reserve(3);
  for (const std::string host : {"tcp:0x7f000001:", "tcp:127.0.0.1:", "tcp:[::1]:"}) {
    const int rank = static_cast<int>(members.size());
    members.push_back({.rank = rank, .ranks = 3, .place = host + port});
  }
  meet(members, "");
  checks.that(std::ranges::all_of(members, [](const Member& one) { return one.messages != nullptr; }),
              "ranks that come by different families find each other", reasons(members));
}

// Where every network is listened to, those come who have addresses of either family.
void check_both_families(Checks& checks) {
  using namespace pibench::collective::rendezvous;
  const Socket listener = listening({"", 0});
  const auto check_seen = [&](const std::string& host, const std::string& what) {
    const auto come = connected({host, port_of(listener)}, pibench::now() + kPatience);
    const auto met = come ? accepted(listener, pibench::now() + kPatience) : std::nullopt;
    checks.that(met && peer_of(*met) == host, what, met ? peer_of(*met) : "nobody came");
  };
  check_seen("127.0.0.1", "who comes by IPv4 is known by its number");
  if (free_place_of_six().empty()) return;
  check_seen("::1", "and who comes by IPv6, at the same port");
  check_mixed_families(checks);
  const std::vector<std::string> hosts = own_hosts();
  checks.that(std::ranges::none_of(hosts, [](const auto& host) { return host.starts_with("fe80"); }) &&
                  std::ranges::find(hosts, "::1") == hosts.end(),
              "no number is told to others that means something else to them");
  for (const std::string& host : hosts) check_seen(host, "each number that is told to others leads here");
}

// Two that have met.
std::vector<Member> pair() {
  std::vector<Member> members;
  members.reserve(2);
  for (int rank = 0; rank < 2; ++rank) members.push_back({rank, 2});
  meet(members, free_place());
  return members;
}

void check_lost(Checks& checks) {
  std::vector<Member> members = pair();
  members[1].messages.reset();
  Wait wait(true, kPatience, false);
  int nothing = 0;
  checks.that(!members[0].messages->receive(&nothing, sizeof nothing, 1, Topic::text, wait) &&
                  members[0].messages->has_left(1),
              "a rank that has ended is known to have left");
}

// Whoever ends after they have met and before it has said where it is: nothing is begun without it.
void check_silent(Checks& checks) {
  for (const int gone : {1, 0}) {
    std::vector<Member> members = pair();
    members[static_cast<std::size_t>(gone)].messages.reset();
    std::string told;
    try {
      const World world(std::move(members[static_cast<std::size_t>(1 - gone)].messages), nullptr);
    } catch (const std::runtime_error& error) {
      told = error.what();
    }
    const std::string name = "rank " + std::to_string(gone);
    checks.that(told == name + " of 2 has ended: its connection was closed",
                name + " that ends before it has said where it is is missed at once", told);
  }
}

// Ranks that are started together, and where they are to meet.
struct Start {
  Start(std::string where, const std::vector<std::pair<int, int>>& started) : place(std::move(where)) {
    members.reserve(started.size());
    // Those that find rank 0 hear from it when it has waited long enough.
    for (const auto& [rank, ranks] : started)
      members.push_back({rank, ranks, rank == 0 || started.size() == 1 ? kImpatience : kPatience});
  }
  std::string place;
  std::vector<Member> members;
};

void check_missing(Checks& checks, const Start& two, const Start& alone) {
  const std::string want = "ranks 1, 3 of 4 did not come to " + two.place + " within 3 s";
  for (const Member& member : two.members)
    checks.that(member.why == want, "rank " + std::to_string(member.rank) + " says who did not come",
                member.why);
  const std::string& why = alone.members[0].why;
  checks.that(why == "rank 0 of 2 was not found at " + alone.place + " within 3 s",
              "and that nobody is there who waits", why);
}

void check_mistaken(Checks& checks, const Start& miscounted, const Start& twins) {
  checks.that(miscounted.members[2].why == "rank 2 was started as one of 4 ranks, rank 0 as one of 3",
              "who counts otherwise is told", miscounted.members[2].why);
  checks.that(miscounted.members[0].why.starts_with("rank 2 of 3 did not come"), "and was not counted",
              miscounted.members[0].why);
  const std::string second = "there is a rank 1 already: each needs a number of its own";
  checks.that(twins.members[1].why == second || twins.members[2].why == second, "so is a twin",
              reasons(twins.members));
}

// Starts in which somebody is missing or one too many: at once, since those who came wait their patience out.
void check_wrong_starts(Checks& checks) {
  const auto places = free_places<4>();
  std::array<Start, 4> starts{Start(places[0], {{0, 4}, {2, 4}}), Start(places[1], {{1, 2}}),
                              Start(places[2], {{0, 3}, {1, 3}, {2, 4}}),
                              Start(places[3], {{0, 3}, {1, 3}, {1, 3}})};
  std::vector<std::thread> threads;
  threads.reserve(starts.size());
  for (Start& start : starts) threads.emplace_back([&start] { meet(start.members, start.place); });
  for (std::thread& thread : threads) thread.join();
  check_missing(checks, starts[0], starts[1]);
  check_mistaken(checks, starts[2], starts[3]);
}

// The messages of a rank that seems to be on another host: the first that it says of itself begins with the
// host's name. It ends when it has been asked for the time so often; -1: never.
class FromElsewhere final : public Messages {
 public:
  FromElsewhere(std::unique_ptr<Messages> own, int answers) : own_(std::move(own)), answers_(answers) {}

  [[nodiscard]] std::string version() const override { return own_->version(); }
  [[nodiscard]] int rank() const noexcept override { return own_->rank(); }
  [[nodiscard]] int size() const noexcept override { return own_->size(); }
  void end() noexcept override { own_->end(); }
  bool send(const void* from, std::size_t bytes, int to, Topic topic, Wait& wait) noexcept override {
    if (topic != Topic::text || std::exchange(named_, true)) return own_->send(from, bytes, to, topic, wait);
    std::vector<char> card(static_cast<const char*>(from), static_cast<const char*>(from) + bytes);
    card[0] = static_cast<char>(card[0] == 'x' ? 'y' : 'x');
    return own_->send(card.data(), bytes, to, topic, wait);
  }
  bool receive(void* into, std::size_t bytes, int from, Topic topic, Wait& wait) noexcept override {
    if (topic == Topic::clock && answers_ >= 0 && answers_-- == 0) return false;
    return own_->receive(into, bytes, from, topic, wait);
  }
  bool exchange(const void* from, int to, void* into, int source, std::size_t bytes, Topic topic,
                Wait& wait) noexcept override {
    return own_->exchange(from, to, into, source, bytes, topic, wait);
  }

 private:
  std::unique_ptr<Messages> own_;
  int answers_;
  bool named_ = false;
};

class Idle final : public Executor {
 public:
  void perform(const Order&, Report&) noexcept override {}
};

// Why two ranks on two hosts could not start, or did not perform an order; empty: they did both.
std::string trouble_of_hosts(int answers) {
  std::vector<Member> members = pair();
  if (!members[0].messages || !members[1].messages) return reasons(members);
  MpiParameters parameters;
  parameters.problem.ranks = 2;
  parameters.problem.count = 1;
  parameters.patience = kPatience;
  const auto idle = [](Port&) -> std::unique_ptr<Executor> { return std::make_unique<Idle>(); };
  std::thread other([&] {
    World world(std::make_unique<FromElsewhere>(std::move(members[1].messages), answers), nullptr);
    const auto transport = make_mpi_transport(world, parameters);
    transport->start(idle);
    transport->follow();
  });
  std::string trouble;
  {
    World world(std::move(members[0].messages), nullptr);
    const auto transport = make_mpi_transport(world, parameters);
    try {
      transport->start(idle);
      if (!transport->perform({})) trouble = transport->failure();
    } catch (const std::exception& error) {
      trouble = error.what();
    }
  }
  other.join();
  return trouble;
}

void check_clocks_of_hosts(Checks& checks) {
  const std::string none = trouble_of_hosts(-1);
  checks.that(none.empty(), "ranks on two hosts compare their clocks and perform an order", none);
  const std::string gone = "rank 1 of 2 has ended: its connection was closed";
  // In the middle of the first comparison, at its end, and in the second.
  for (const int answers : std::array{3, 40, 50}) {
    const std::string told = trouble_of_hosts(answers);
    checks.that(told == gone,
                "a rank that ends after " + std::to_string(answers) + " messages of a clock is named", told);
  }
}

void check_places(Checks& checks) {
  for (const char* const place :
       {"tcp:", "tcp:host", "tcp:host:", "tcp:host:99999", "udp:host:1", "file:", ""})
    checks.throws<std::invalid_argument>([place] { static_cast<void>(meet_at(place, 0, 1, kPatience)); },
                                         std::string("\"") + place + "\" is no place to meet");
  checks.throws<std::invalid_argument>([] { static_cast<void>(meet_at("tcp:127.0.0.1:1", 3, 2, kPatience)); },
                                       "a rank that there is not is refused");
  const auto six = address_of("[::1]:29500");
  checks.that(six.host == "::1" && six.port == 29500, "an address in brackets is one");
}

}  // namespace

int main() {
  Checks checks;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("pi-bench-rendezvous-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string file = (folder / "place").string();
  check_messages(checks, free_place(), "by a port");
  if (const std::string six = free_place_of_six(); !six.empty())
    check_messages(checks, six, "by a port of IPv6");
  else
    Checks::inform("there is no IPv6 here, by which ranks could meet");
  check_both_families(checks);
  // What a job before has left: nobody listens there any more.
  std::ofstream(file) << "127.0.0.1 1\n";
  check_messages(checks, "file:" + file, "by a file, in place of an older one");
  checks.that(!std::filesystem::exists(file), "the file is gone when they have met");
  checks.throws<std::runtime_error>(
      [&] { static_cast<void>(meet_at("file:" + (folder / "no/place").string(), 0, 1, kPatience)); },
      "a folder that is not there is refused");
  check_names_of_loopback(checks);
  check_lost(checks);
  check_silent(checks);
  check_wrong_starts(checks);
  check_clocks_of_hosts(checks);
  check_places(checks);
  std::filesystem::remove_all(folder);
  return checks.finish();
}
