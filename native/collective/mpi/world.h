// The job that this process is a rank of, of MPI or not: opened once in the life of a process, because MPI
// can be initialised only once; measurements follow one another in it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "calls.h"

namespace pibench::collective {

struct Member {
  std::string host;    // its name
  std::string system;  // equal where two members share a clock and process ids
  int process = 0;
  bool crowded = false;  // its host has more ranks than CPUs that they may use
};

class World {
 public:
  // Initialises MPI. Throws std::runtime_error with one clear line.
  static World& open(const std::string& library);
  // The same of ranks that find each other without MPI (../rendezvous/meeting.h). Throws std::runtime_error.
  static World& meet(const std::string& place, int rank, int ranks, Nanoseconds patience);
  // Throws std::runtime_error where none is open.
  static World& current();

  // `library`: the same object, where it is an MPI library; otherwise null. Throws std::runtime_error where a
  // rank ends before all know where each is.
  World(std::unique_ptr<Messages> calls, MpiCalls* library);

  [[nodiscard]] Messages& calls() noexcept { return *calls_; }
  // null where the ranks have met without MPI.
  [[nodiscard]] MpiCalls* library() noexcept { return library_; }
  [[nodiscard]] int rank() const noexcept { return calls_->rank(); }
  [[nodiscard]] int size() const noexcept { return calls_->size(); }
  // Of every rank; known to all.
  [[nodiscard]] const std::vector<Member>& members() const noexcept { return members_; }
  // With rank 0.
  [[nodiscard]] bool shares_system(int rank) const noexcept;
  [[nodiscard]] bool crowded() const noexcept { return members_[static_cast<std::size_t>(rank())].crowded; }
  [[nodiscard]] int hosts() const;
  // CPUs that any rank on rank 0's host may use; known to rank 0.
  [[nodiscard]] const std::vector<int>& cpus() const noexcept { return cpus_; }

  // A text from rank 0 to all others; napping, since it comes when it comes.
  void tell(const std::string& text);
  // Throws std::runtime_error where rank 0 is gone.
  std::string listen();

  void end() noexcept { calls_->end(); }

  // Since when rank 0 has been waiting for an order to be performed; 0: it is not. A thread that watches
  // reads it: inside of a call of MPI nothing ends a wait for a rank that is gone.
  std::atomic<Nanoseconds> waiting_since{0};

 private:
  void meet_members();
  // What members say of themselves. Throw as the constructor does.
  void say(const void* from, std::size_t bytes, int to);
  void hear(void* into, std::size_t bytes, int from);

  std::unique_ptr<Messages> calls_;
  MpiCalls* library_;
  std::vector<Member> members_;
  std::vector<int> cpus_;
};

}  // namespace pibench::collective
