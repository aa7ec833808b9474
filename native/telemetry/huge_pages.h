// What memory lies on huge pages, as the kernel tells for each mapping of this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <span>
#include <vector>

namespace pibench {

struct HugePages {
  std::size_t bytes = 0;     // on huge pages
  std::size_t of = 0;        // that were asked about
  std::size_t possible = 0;  // of these, as many as whole huge pages have room for where they lie
  std::size_t page = 0;      // of one of them
};

using Addresses = std::vector<std::span<const std::byte>>;

// Nothing where there is no memory to ask about, or the kernel does not tell: without /proc/self/smaps or the
// size of its huge pages, and where a mapping that has some holds other memory, too. Takes some tenths of a
// millisecond, and some milliseconds for each GiB on small pages.
std::optional<HugePages> huge_pages_behind(const Addresses& memory);

// The same by the text of such a file, on a kernel with huge pages of this size.
std::optional<HugePages> huge_pages_in(std::istream& smaps, const Addresses& memory, std::size_t page);

}  // namespace pibench
