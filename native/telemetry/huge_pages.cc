#include "huge_pages.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace pibench {
namespace {

// From the first address to that after the last.
struct Range {
  std::uintptr_t begin, end;
};

struct Mapping {
  Range at;
  bool told = false;            // what of it is on huge pages
  std::size_t transparent = 0;  // bytes, of its own or shared
  std::size_t reserved = 0;     // bytes of huge pages that were set aside (hugetlbfs)
  std::size_t reserved_page = 0;
};

// In whole small pages, as mappings are; in order, those that meet as one.
std::vector<Range> whole_pages(const Addresses& memory) {
  constexpr std::uintptr_t kPage = 4096;
  std::vector<Range> ranges;
  for (const auto& part : memory) {
    if (part.empty()) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(part.data());
    ranges.push_back({begin / kPage * kPage, (begin + part.size() + kPage - 1) / kPage * kPage});
  }
  std::ranges::sort(ranges, {}, &Range::begin);
  std::vector<Range> joined;
  for (const Range& range : ranges) {
    if (!joined.empty() && range.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, range.end);
    else
      joined.push_back(range);
  }
  return joined;
}

std::size_t bytes_of(const Range& range) { return range.end - range.begin; }

std::size_t common(const Range& one, const Range& other) {
  const auto begin = std::max(one.begin, other.begin);
  const auto end = std::min(one.end, other.end);
  return begin < end ? end - begin : 0;
}

// `7f00-7f40 rw-p ...`: digits alone before the dash, which no line of values has.
std::optional<Range> range_named(std::string_view line) {
  Range range{};
  const char* const end = line.data() + line.size();
  const auto first = std::from_chars(line.data(), end, range.begin, 16);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-') return std::nullopt;
  const auto last = std::from_chars(first.ptr + 1, end, range.end, 16);
  if (last.ec != std::errc{}) return std::nullopt;
  return range;
}

// Of `AnonHugePages:      2048 kB`.
std::optional<std::size_t> bytes_named(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return std::nullopt;
  line.remove_prefix(name.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  std::size_t kilobytes = 0;
  if (std::from_chars(line.data(), line.data() + line.size(), kilobytes).ec != std::errc{})
    return std::nullopt;
  return kilobytes * 1024;
}

void read_value(Mapping& mapping, std::string_view line) {
  if (const auto bytes = bytes_named(line, "KernelPageSize:")) mapping.reserved_page = *bytes;
  if (const auto bytes = bytes_named(line, "AnonHugePages:")) {
    mapping.told = true;
    mapping.transparent += *bytes;
  }
  // Of memory that processes share: not in the count of the others.
  if (const auto bytes = bytes_named(line, "ShmemPmdMapped:")) mapping.transparent += *bytes;
  for (const auto* const name : {"Private_Hugetlb:", "Shared_Hugetlb:"}) {
    if (const auto bytes = bytes_named(line, name)) mapping.reserved += *bytes;
  }
}

// Those that hold any of it.
std::vector<Mapping> mappings_of(std::istream& smaps, const std::vector<Range>& ranges) {
  std::vector<Mapping> mappings;
  std::string line;
  bool meant = false;
  while (std::getline(smaps, line)) {
    if (const auto range = range_named(line)) {
      meant = std::ranges::any_of(ranges, [&](const Range& one) { return common(one, *range) > 0; });
      if (meant) mappings.push_back({.at = *range});
    } else if (meant) {
      read_value(mappings.back(), line);
    }
  }
  return mappings;
}

// How much of the ranges that a mapping holds is on its huge pages. Which part of a mapping these are it does
// not say.
std::optional<std::size_t> huge_bytes(const Mapping& mapping, std::size_t held) {
  const std::size_t huge = mapping.transparent + mapping.reserved;
  if (!mapping.told) return std::nullopt;
  if (huge == 0) return 0;
  if (huge == bytes_of(mapping.at)) return held;
  return held == bytes_of(mapping.at) ? std::optional(huge) : std::nullopt;
}

std::size_t room(const Range& range, std::size_t page) {
  const std::uintptr_t begin = (range.begin + page - 1) / page * page;
  const std::uintptr_t end = range.end / page * page;
  return begin < end ? end - begin : 0;
}

std::size_t page_of_kernel() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
  std::size_t bytes = 0;
  return file >> bytes ? bytes : 0;
}

}  // namespace

std::optional<HugePages> huge_pages_in(std::istream& smaps, const Addresses& memory, std::size_t page) {
  const std::vector<Range> ranges = whole_pages(memory);
  if (ranges.empty() || page == 0) return std::nullopt;
  HugePages pages{.page = page};
  std::size_t seen = 0;
  for (const Mapping& mapping : mappings_of(smaps, ranges)) {
    std::size_t held = 0;
    for (const Range& range : ranges) held += common(range, mapping.at);
    const auto huge = huge_bytes(mapping, held);
    if (!huge) return std::nullopt;
    pages.bytes += *huge;
    seen += held;
    if (mapping.reserved > 0) pages.page = mapping.reserved_page;
  }
  std::size_t all = 0;
  for (const Range& range : ranges) {
    all += bytes_of(range);
    pages.possible += room(range, pages.page);
  }
  // Nobody said anything of the rest.
  if (seen != all) return std::nullopt;
  for (const auto& part : memory) pages.of += part.size();
  // Up to the end of a page, what was asked about is less than it takes.
  pages.bytes = std::min(pages.bytes, pages.of);
  pages.possible = std::min(std::max(pages.possible, pages.bytes), pages.of);
  return pages;
}

std::optional<HugePages> huge_pages_behind(const Addresses& memory) {
  if (memory.empty()) return std::nullopt;
  std::ifstream smaps("/proc/self/smaps");
  return huge_pages_in(smaps, memory, page_of_kernel());
}

}  // namespace pibench
