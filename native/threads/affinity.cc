// CPU affinity by the kernel's own calls, which take sets of any size.
#include "affinity.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <string>
#include <system_error>

namespace pibench {

CpuSet CpuSet::of_thread(int thread_id) {
  CpuSet set;
  if (syscall(SYS_sched_getaffinity, thread_id, sizeof(set.words_), set.words_.data()) < 0) {
    throw std::system_error(errno, std::generic_category(), "cannot read the CPU affinity of a thread");
  }
  return set;
}

void CpuSet::add(int cpu) {
  if (cpu < 0 || cpu >= kMostCpus) {
    throw std::system_error(EINVAL, std::generic_category(), "no CPU " + std::to_string(cpu));
  }
  const auto bit = static_cast<unsigned>(cpu);
  words_[bit / kBitsPerWord] |= 1UL << (bit % kBitsPerWord);
}

void CpuSet::add(const CpuSet& others) noexcept {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= others.words_[i];
}

int CpuSet::count() const noexcept {
  int total = 0;
  for (const unsigned long word : words_) total += std::popcount(word);
  return total;
}

std::vector<int> CpuSet::list() const {
  std::vector<int> cpus;
  for (int cpu = 0; cpu < kMostCpus; ++cpu) {
    const auto bit = static_cast<unsigned>(cpu);
    if ((words_[bit / kBitsPerWord] >> (bit % kBitsPerWord) & 1UL) != 0) cpus.push_back(cpu);
  }
  return cpus;
}

void CpuSet::bind(int thread_id) const {
  if (syscall(SYS_sched_setaffinity, thread_id, sizeof(words_), words_.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot bind a thread to its CPU");
  }
}

int current_thread_id() noexcept { return static_cast<int>(syscall(SYS_gettid)); }

}  // namespace pibench
