// Threads that a library made: which they are, and that each comes to its CPU.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "../../native/stacks/library_threads.h"
#include "../../native/threads/affinity.h"
#include "check.h"

namespace {

using pibench::CpuSet;
using pibench::stacks::Binding;
using pibench::stacks::LibraryThreads;
using pibench::test::Checks;

// Threads as a library would make them: they wait, or spin, until they are told to end.
class Pool {
 public:
  Pool(int size, bool spins) {
    for (int i = 0; i < size; ++i) {
      threads_.emplace_back([this, spins] {
        ++started_;
        while (!end_) {
          if (!spins) std::this_thread::sleep_for(std::chrono::milliseconds{1});
          worked_ = cpu_time();
        }
      });
    }
    while (started_ < size) std::this_thread::yield();
  }
  ~Pool() {
    end_ = true;
    for (auto& thread : threads_) thread.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Of a thread of it, so far.
  [[nodiscard]] std::chrono::nanoseconds worked() const { return std::chrono::nanoseconds{worked_}; }

 private:
  static std::int64_t cpu_time() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
  }

  std::atomic<std::int64_t> worked_{0};
  std::atomic<bool> end_{false};
  std::atomic<int> started_{0};
  std::vector<std::thread> threads_;
};

std::vector<int> cpus_here() {
  const CpuSet all = CpuSet::of_thread(0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < 8192 && static_cast<int>(cpus.size()) < all.count(); ++cpu) {
    try {
      CpuSet one;
      one.add(cpu);
      one.bind(0);
      cpus.push_back(cpu);
    } catch (const std::system_error&) {
      // Not one of ours.
    }
  }
  all.bind(0);
  return cpus;
}

void finds_and_binds(Checks& check, const std::vector<int>& cpus) {
  const Pool earlier(1, false);
  LibraryThreads threads(2, {cpus.front(), cpus.back()});
  check.that(threads.binding() == Binding::together, "before anything was found, the CPUs are shared");
  const Pool pool(1, false);
  threads.bind();
  check.equal(threads.ids().size(), std::size_t{2},
              "the caller and the one thread that came later are found");
  check.that(threads.ids().front() == pibench::current_thread_id(), "the caller is the first of them");
  check.that(threads.binding() == Binding::each, "each is bound");
  for (const int id : threads.ids()) check.equal(CpuSet::of_thread(id).count(), 1, "to one CPU");
}

void prefers_those_that_work(Checks& check, const std::vector<int>& cpus) {
  if (cpus.size() < 2) return Checks::inform("one CPU: whether idle threads stand aside cannot be seen");
  LibraryThreads threads(2, {cpus.front(), cpus.back()});
  const Pool idle(1, false);
  const Pool working(1, true);
  // In CPU time, however late they get it; the kernel's own account of it is some ticks behind.
  while (working.worked() < idle.worked() + std::chrono::milliseconds{50})
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  threads.bind();
  check.equal(threads.ids().size(), std::size_t{3}, "one thread more than compute");
  CpuSet mine = CpuSet::of_thread(threads.ids().at(0));
  CpuSet second = CpuSet::of_thread(threads.ids().at(1));
  check.that(mine != second, "the one that works has a CPU of its own");
  check.that(mine == CpuSet::of_thread(threads.ids().at(2)), "the idle one shares the caller's");
}

void asks_each_once(Checks& check) {
  std::vector<int> ids(100);
  std::iota(ids.begin(), ids.end(), 0);
  // Who works on while it is asked: the later, the more.
  std::vector<int> asked(ids.size());
  std::uint64_t clock = 0;
  const auto ordered = pibench::stacks::busiest_first(ids, [&](int id) {
    ++asked[static_cast<std::size_t>(id)];
    return static_cast<std::uint64_t>(id % 10) * 1'000'000 + ++clock;
  });
  check.that(std::ranges::all_of(asked, [](int times) { return times == 1; }),
             "threads that go on working are asked once each");
  std::vector<int> tens;
  tens.reserve(ordered.size());
  for (const int id : ordered) tens.push_back(id % 10);
  check.that(ordered.size() == ids.size() && std::ranges::is_sorted(tens, std::greater{}),
             "those that worked longest come first, and none is lost");
}

void passes_over_the_ending(Checks& check) {
  using pibench::stacks::is_ending;
  check.that(!is_ending("77 (node) S 1 77 77 0 -1 4194368 100 0\n"),
             "a thread that sleeps is none that ends");
  check.that(is_ending("77 (node) R 1 77 77 0 -1 4194372 100 0\n"), "one that still runs and is ending is");
  check.that(!is_ending("77 (a) R 4 4) R 1 77 77 0 -1 4194304 100 0\n"), "whatever its name is");
  check.that(is_ending(""), "one that has gone has ended");
}

void leaves_the_caller_free(Checks& check, const std::vector<int>& cpus) {
  LibraryThreads threads(2, cpus);
  threads.bind();
  check.that(threads.binding() == Binding::together,
             "a library without threads of its own: nobody is bound to one CPU");
  check.equal(CpuSet::of_thread(0).count(), static_cast<int>(cpus.size()),
              "threads it makes inherit all CPUs");
}

void binds_nobody(Checks& check) {
  const int before = CpuSet::of_thread(0).count();
  LibraryThreads threads(2, {});
  const Pool pool(1, false);
  threads.bind();
  check.equal(threads.ids().size(), std::size_t{2}, "not bound: threads are found all the same");
  check.that(threads.binding() == Binding::none, "not bound: it says so");
  check.equal(CpuSet::of_thread(0).count(), before, "not bound: the caller stays free");
}

void finds_without_binding(Checks& check, const std::vector<int>& cpus) {
  LibraryThreads threads(2, cpus);
  const Pool pool(1, false);
  threads.find();
  check.equal(threads.ids().size(), std::size_t{2}, "threads that are looked for only are found");
  check.that(threads.binding() == Binding::together, "and stay on the CPUs of the case");
  for (const int id : threads.ids())
    check.equal(CpuSet::of_thread(id).count(), static_cast<int>(cpus.size()), "on all of them");
}

void waits(Checks& check) {
  {
    LibraryThreads threads(2, {});
    const Pool asleep(1, false);
    threads.bind();
    check.that(threads.wait_until_idle(), "threads that sleep are idle");
  }
  LibraryThreads threads(2, {});
  const Pool spinning(1, true);
  check.that(!threads.wait_until_idle(),
             "threads that spin for ever are not, also before they are looked for, and the wait ends");
  threads.bind();
  check.that(!threads.wait_until_idle(), "nor afterwards");
}

}  // namespace

int main() {
  Checks check;
  const CpuSet all = CpuSet::of_thread(0);
  const std::vector<int> cpus = cpus_here();
  finds_and_binds(check, cpus);
  all.bind(0);
  prefers_those_that_work(check, cpus);
  all.bind(0);
  asks_each_once(check);
  passes_over_the_ending(check);
  leaves_the_caller_free(check, cpus);
  all.bind(0);
  finds_without_binding(check, cpus);
  all.bind(0);
  binds_nobody(check);
  waits(check);
  return check.finish();
}
