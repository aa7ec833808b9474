// Which CPUs a thread may run on.
#pragma once

#include <array>
#include <vector>

namespace pibench {

// A set of CPUs, large enough for any machine (the C library's cpu_set_t ends at 1,024).
class CpuSet {
 public:
  // The CPUs that a thread may run on; the calling thread's when `thread_id` is 0. Throws std::system_error.
  static CpuSet of_thread(int thread_id);

  void add(int cpu);
  void add(const CpuSet& others) noexcept;
  [[nodiscard]] int count() const noexcept;
  [[nodiscard]] std::vector<int> list() const;
  [[nodiscard]] bool operator==(const CpuSet&) const noexcept = default;
  // Throws std::system_error when the system refuses.
  void bind(int thread_id) const;

 private:
  static constexpr int kBitsPerWord = 64;
  static constexpr int kMostCpus = 8192;
  std::array<unsigned long, kMostCpus / kBitsPerWord> words_{};
};

// The kernel's id of the calling thread.
int current_thread_id() noexcept;

}  // namespace pibench
