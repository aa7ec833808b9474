#include "world.h"

#include <unistd.h>

#include <array>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

#include "../../threads/affinity.h"
#include "../rendezvous/meeting.h"
#include "memory_hooks.h"

namespace pibench::collective {
namespace {

std::unique_ptr<World>& the_world() {
  static std::unique_ptr<World> world;
  return world;
}

// Plain data, so that it can be sent.
struct Card {
  std::array<char, 64> host{};
  std::array<char, 40> boot{};
  int process = 0;
  bool crowded = false;

  [[nodiscard]] std::string system() const { return std::string(host.data()) + " " + boot.data(); }
};

Card own_card() {
  Card card;
  gethostname(card.host.data(), card.host.size() - 1);
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  boot.getline(card.boot.data(), card.boot.size() - 1);
  card.process = getpid();
  return card;
}

// On each host, the CPUs that any of its ranks may use against the number of these ranks: a launcher that
// binds each rank to a CPU of its own makes nobody wait. Returns the CPUs of rank 0's host.
std::vector<int> find_crowded(std::vector<Card>& cards, const std::vector<CpuSet>& cpus) {
  struct Host {
    CpuSet cpus;
    int ranks = 0;
  };
  std::map<std::string, Host> hosts;
  for (std::size_t rank = 0; rank < cards.size(); ++rank) {
    Host& host = hosts[cards[rank].system()];
    host.cpus.add(cpus[rank]);
    ++host.ranks;
  }
  for (Card& card : cards) {
    const Host& host = hosts[card.system()];
    card.crowded = host.ranks > host.cpus.count();
  }
  return hosts[cards[0].system()].cpus.list();
}

Wait patient() { return {false, Wait::kForever, true}; }

[[noreturn]] void refuse_without(int rank, int ranks) {
  throw std::runtime_error("rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                           " has ended: its connection was closed");
}

}  // namespace

World& World::open(const std::string& library) {
  if (the_world()) throw std::runtime_error("MPI is open in this process already");
  spare_libc();
  auto calls = open_mpi(library);
  calls->begin();
  MpiCalls* const mpi = calls.get();
  the_world() = std::make_unique<World>(std::move(calls), mpi);
  return *the_world();
}

World& World::meet(const std::string& place, int rank, int ranks, Nanoseconds patience) {
  if (the_world()) throw std::runtime_error("the ranks have met in this process already");
  the_world() = std::make_unique<World>(meet_at(place, rank, ranks, patience), nullptr);
  return *the_world();
}

World& World::current() {
  if (!the_world()) throw std::runtime_error("this process is no rank of a job");
  return *the_world();
}

World::World(std::unique_ptr<Messages> calls, MpiCalls* library)
    : calls_(std::move(calls)), library_(library) {
  meet_members();
}

void World::say(const void* from, std::size_t bytes, int to) {
  Wait wait = patient();
  if (!calls_->send(from, bytes, to, Topic::text, wait)) refuse_without(to, size());
}

void World::hear(void* into, std::size_t bytes, int from) {
  Wait wait = patient();
  if (!calls_->receive(into, bytes, from, Topic::text, wait)) refuse_without(from, size());
}

// Names of hosts may be alike, and so may kernels that two names stand for: only both together make one
// system.
void World::meet_members() {
  std::vector<Card> cards(static_cast<std::size_t>(size()));
  cards[static_cast<std::size_t>(rank())] = own_card();
  const std::size_t all = cards.size() * sizeof(Card);
  const CpuSet mine = CpuSet::of_thread(0);
  if (rank() == 0) {
    std::vector<CpuSet> cpus(cards.size());
    cpus[0] = mine;
    for (std::size_t other = 1; other < cards.size(); ++other) {
      hear(&cards[other], sizeof(Card), static_cast<int>(other));
      hear(&cpus[other], sizeof(CpuSet), static_cast<int>(other));
    }
    cpus_ = find_crowded(cards, cpus);
    for (int other = 1; other < size(); ++other) say(cards.data(), all, other);
  } else {
    say(&cards[static_cast<std::size_t>(rank())], sizeof(Card), 0);
    say(&mine, sizeof mine, 0);
    hear(cards.data(), all, 0);
  }
  for (const Card& card : cards)
    members_.push_back({card.host.data(), card.system(), card.process, card.crowded});
}

bool World::shares_system(int rank) const noexcept {
  return members_[static_cast<std::size_t>(rank)].system == members_[0].system;
}

int World::hosts() const {
  std::set<std::string> systems;
  for (const Member& member : members_) systems.insert(member.system);
  return static_cast<int>(systems.size());
}

void World::tell(const std::string& text) {
  Wait wait = patient();
  const std::uint64_t length = text.size();
  for (int other = 1; other < size(); ++other) {
    calls_->send(&length, sizeof length, other, Topic::text, wait);
    calls_->send(text.data(), length, other, Topic::text, wait);
  }
}

std::string World::listen() {
  Wait wait = patient();
  std::uint64_t length = 0;
  const bool begun = calls_->receive(&length, sizeof length, 0, Topic::text, wait);
  std::string text(begun ? length : 0, ' ');
  if (!begun || !calls_->receive(text.data(), length, 0, Topic::text, wait))
    throw std::runtime_error("rank 0 has ended");
  return text;
}

}  // namespace pibench::collective
