// The threads that a library made: found in /proc, and bound to the CPUs of the case like threads of ours.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pibench::stacks {

// How the threads that execute a call came to their CPUs.
enum class Binding {
  none,  // nobody asked for it
  each,  // every one has a CPU of its own
  // They share the CPUs of the case: the library makes them anew in each call, has fewer, or had made none
  // yet when they were looked for.
  together,
};

class LibraryThreads {
 public:
  // On the thread that will call the library, before the library is opened: whatever appears among the
  // process's threads afterwards is the library's. Gives the calling thread all of `cpus`, so that threads it
  // makes do not inherit one CPU of them. `cpus` empty: nothing is bound.
  LibraryThreads(int threads, std::vector<int> cpus);

  // Looks for the library's threads, as they are now.
  void find();
  // The same, and binds them. Without effect where there are none yet. Throws std::system_error where the
  // system refuses.
  void bind();

  // Kernel ids of the threads that execute a call, the calling one first, as last found.
  [[nodiscard]] const std::vector<int>& ids() const noexcept { return ids_; }
  [[nodiscard]] Binding binding() const noexcept { return binding_; }

  // Waits until none of the library's threads computes or spins any more, found or not. False where they went
  // on for too long.
  [[nodiscard]] bool wait_until_idle() const;

 private:
  // Threads that are there now and were not before the library.
  [[nodiscard]] std::vector<int> made() const;

  int threads_;
  std::vector<int> cpus_;
  std::vector<int> before_;
  std::vector<int> ids_;
  Binding binding_ = Binding::none;
};

// Threads by how long each has worked, most first. Each is asked once: those that run go on working
// meanwhile, and numbers that grow while they are compared have no order.
std::vector<int> busiest_first(const std::vector<int>& ids, const std::function<std::uint64_t(int)>& worked);

// Whether a thread is at its end, by its file `stat` in /proc; an empty text is of one that has gone. The
// kernel tells who joins a thread before it takes it off its list: of a library that makes its threads in
// each call, one may be found there after the call.
[[nodiscard]] bool is_ending(const std::string& stat);

// Gives `cpus` to every thread of the process but the calling one: compilers and collectors of a language's
// engine work beside the calls, and must not take their CPUs. Without effect where `cpus` is empty. Throws
// std::system_error.
void bind_other_threads(const std::vector<int>& cpus);

}  // namespace pibench::stacks
