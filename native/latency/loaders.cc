// A thread of its own keeps a team at work, of which it is the first member: the team of the caller has other
// things to do. Every piece ends where the thread's next one begins, so that no time of a window is without
// one, and a piece that lies in it with a part counts with that part.
#include "loaders.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "../../kernels/cpu/buffer.h"
#include "../measure/clock.h"
#include "../memory/choice.h"
#include "../threads/preemption.h"
#include "../threads/team.h"

namespace pibench::latency {
namespace {

using kernels::memory::ReadPass;

constexpr std::size_t kWordsOfPiece = Loaders::kPiece / sizeof(double);
// Kept of each thread. What comes after so many is put to the last, so that too much is called absent rather
// than too little.
constexpr std::size_t kMostAbsences = std::size_t{1} << 14U;

}  // namespace

Loaders::Loaders(const Load& load, ReadPass read)
    : own_(static_cast<std::size_t>(std::max(load.threads, 1))),
      pieces_of_set_(load.bytes / kPiece),
      read_(read) {
  if (pieces_of_set_ == 0) throw std::invalid_argument("the set of a loading thread has less than one piece");
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / 8;
  if (load.bytes > kMost / own_.size()) throw std::bad_alloc();
  for (Own& own : own_) {
    own.portion.expected.resize(pieces_of_set_);
    own.absences.reserve(kMostAbsences);
  }
  thread_ = std::thread([this, load] { live(load); });
  state_.wait(State::starting, std::memory_order_acquire);
  if (state_.load(std::memory_order_acquire) == State::failed) {
    thread_.join();
    std::rethrow_exception(error_);
  }
  for (const Own& own : own_) {
    while (own.pieces.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
  }
}

Loaders::~Loaders() { stop(); }

void Loaders::open_window() noexcept { opened_.store(now(), std::memory_order_relaxed); }

void Loaders::close_window() noexcept { closed_.store(now(), std::memory_order_relaxed); }

void Loaders::stop() noexcept {
  stop_.store(true, std::memory_order_relaxed);
  if (thread_.joinable()) thread_.join();
}

void Loaders::live(const Load& load) noexcept {
  const auto tell = [this](State state) {
    state_.store(state, std::memory_order_release);
    state_.notify_one();
  };
  try {
    Team team(static_cast<int>(own_.size()), load.cpus);
    const std::size_t words_of_set = pieces_of_set_ * kWordsOfPiece;
    const kernels::Buffer memory(own_.size() * words_of_set * sizeof(double));
    struct Filling {
      Loaders& self;
      double* memory;
      std::size_t words;
    } filling{*this, reinterpret_cast<double*>(memory.data()), words_of_set};
    team.run(
        [](void* raw, int member) {
          const auto& [self, first, words] = *static_cast<const Filling*>(raw);
          const auto number = static_cast<std::size_t>(member);
          self.own_[number].portion.fill(first + number * words, kWordsOfPiece, number * words);
        },
        &filling);
    if (read_ == nullptr) choose(team);
    thread_ids_ = team.thread_ids();
    tell(State::reading);
    team.run(
        [](void* raw, int member) {
          auto& self = *static_cast<Loaders*>(raw);
          self.read_on(self.own_[static_cast<std::size_t>(member)]);
        },
        this);
  } catch (...) {
    error_ = std::current_exception();
    tell(State::failed);
  }
  PreemptionWire::disarm();
}

// In turns, all threads at once, each over what comes next of its set, so that every trial reads from memory.
void Loaders::choose(Team& team) {
  constexpr int kRounds = 5;
  constexpr std::size_t kPieces = 64;
  std::vector<memory::Tried> all;
  for (const memory::Choice& choice :
       memory::passes_wanted({kernels::memory::Operation::read, std::nullopt, "", 0}))
    all.push_back({choice, {}});
  struct Trial {
    Loaders& self;
    ReadPass read;
  };
  for (int round = 0; round < kRounds; ++round) {
    for (memory::Tried& tried : all) {
      Trial trial{*this, tried.choice.kernels->read};
      const Nanoseconds begin = now();
      team.run(
          [](void* raw, int member) {
            const auto& [self, read] = *static_cast<const Trial*>(raw);
            self.read_some(self.own_[static_cast<std::size_t>(member)], kPieces, read);
          },
          &trial);
      tried.times.push_back(now() - begin);
    }
  }
  const memory::Choice best = memory::best_of(all);
  read_ = best.kernels->read;
  by_ = best.kernels->name;
}

void Loaders::read_some(Own& own, std::size_t pieces, ReadPass read) const noexcept {
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::size_t piece = own.next;
    own.next = piece + 1 == pieces_of_set_ ? 0 : piece + 1;
    const std::uint64_t sum = read(own.portion.first + piece * kWordsOfPiece, kWordsOfPiece);
    if (sum != own.portion.expected[piece] && own.wrong++ == 0) own.first_wrong = piece;
    own.pieces.store(own.pieces.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

void Loaders::read_on(Own& own) const noexcept {
  PreemptionWire::OfThread wire = PreemptionWire::of_thread();
  wire.arm();
  // What happens about a reading of the clock may lie on either side of it, and counts for both.
  bool about_reading = false;
  Nanoseconds begin = now();
  while (!stop_.load(std::memory_order_relaxed)) {
    read_some(own, 1, read_);
    const Interval piece{begin, now()};
    const bool lost = wire.rearm();
    if (lost || about_reading) note_absence(own, piece);
    about_reading = lost;
    count(own, piece);
    begin = piece.end;
  }
}

void Loaders::count(Own& own, Interval piece) const noexcept {
  const Nanoseconds begin = std::max(piece.begin, opened_.load(std::memory_order_relaxed));
  const Nanoseconds end = std::min(piece.end, closed_.load(std::memory_order_relaxed));
  if (end <= begin) return;
  own.bytes += static_cast<double>(kPiece) * static_cast<double>(end - begin) /
               static_cast<double>(piece.end - piece.begin);
}

void Loaders::note_absence(Own& own, Interval piece) const noexcept {
  const bool before = piece.end <= opened_.load(std::memory_order_relaxed);
  if (before || piece.begin >= closed_.load(std::memory_order_relaxed)) return;
  if (own.absences.size() < kMostAbsences)
    own.absences.push_back(piece);
  else
    own.absences.back().end = piece.end;
}

std::optional<Traffic> Loaders::traffic() const {
  const Interval window{opened_.load(std::memory_order_relaxed), closed_.load(std::memory_order_relaxed)};
  if (window.end == std::numeric_limits<Nanoseconds>::max() || window.end <= window.begin)
    return std::nullopt;
  Traffic traffic{own_.size(), 0, window, by_, {}};
  for (const Own& own : own_) {
    traffic.bytes += own.bytes;
    traffic.absences.insert(traffic.absences.end(), own.absences.begin(), own.absences.end());
  }
  return traffic;
}

std::uint64_t Loaders::pieces() const noexcept {
  std::uint64_t pieces = 0;
  for (const Own& own : own_) pieces += own.pieces.load(std::memory_order_relaxed);
  return pieces;
}

std::uint64_t Loaders::wrong_pieces() const noexcept {
  std::uint64_t wrong = 0;
  for (const Own& own : own_) wrong += own.wrong;
  return wrong;
}

std::string Loaders::first_wrong() const {
  for (std::size_t i = 0; i < own_.size(); ++i) {
    if (own_[i].wrong > 0)
      return "the sum of the words that loading thread " + std::to_string(i) + " read in piece " +
             std::to_string(own_[i].first_wrong) + " of its set";
  }
  return {};
}

}  // namespace pibench::latency
