// What one thread reads, in pieces, each with a sum that tells whether all of it was read.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pibench::memory {

// Each word another one, so that a sum tells which words were read.
constexpr std::uint64_t word(std::uint64_t i) noexcept { return (i + 1) * 0x9e37'79b9'7f4a'7c15; }

// On a line of its own.
struct alignas(64) Portion {
  double* first = nullptr;
  std::vector<std::uint64_t> expected;  // the sum of each piece

  // By the thread that will read it, so that it lies in that one's memory: pieces of so many words, as many
  // as there are sums, from word `begin` on of those of all threads.
  void fill(double* memory, std::size_t words, std::uint64_t begin) noexcept {
    first = memory;
    for (std::size_t i = 0; i < words * expected.size(); ++i) {
      first[i] = std::bit_cast<double>(word(begin + i));
      expected[i / words] += word(begin + i);
    }
  }
};

}  // namespace pibench::memory
