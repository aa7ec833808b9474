// What memory lies on huge pages: told by the kernel's text for exactly what was asked about, or not at all.
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "../../native/telemetry/huge_pages.h"
#include "check.h"

namespace {

using pibench::Addresses;
using pibench::huge_pages_behind;
using pibench::huge_pages_in;
using pibench::HugePages;
using pibench::test::Checks;

constexpr std::size_t kMiB = std::size_t{1} << 20U;
constexpr std::size_t kHuge = 2 * kMiB;
constexpr std::uintptr_t kBase = 0x7f0000000000;

struct Told {
  std::size_t at, size;     // from kBase on
  std::size_t transparent;  // bytes
  std::size_t reserved = 0;
  std::size_t shared = 0;
};

// As Linux writes it, shortened.
std::string text_of(const std::vector<Told>& mappings) {
  std::ostringstream text;
  for (const auto& [at, size, transparent, reserved, shared] : mappings) {
    text << std::hex << kBase + at << '-' << kBase + at + size << std::dec << " rw-p 00000000 00:00 0 \n"
         << "Size:           " << size / 1024 << " kB\n"
         << "KernelPageSize: " << (reserved > 0 ? 1024 : 4) << " kB\n"
         << "AnonHugePages:  " << transparent / 1024 << " kB\n"
         << "ShmemPmdMapped: " << shared / 1024 << " kB\n"
         << "Shared_Hugetlb:        0 kB\n"
         << "Private_Hugetlb: " << reserved / 1024 << " kB\n"
         << "VmFlags: rd wr mr mw me ac hg \n";
  }
  return text.str();
}

struct Asked {
  std::size_t at, size;
};

Addresses addresses(const std::vector<Asked>& parts) {
  Addresses memory;
  for (const auto& [at, size] : parts)
    memory.emplace_back(reinterpret_cast<const std::byte*>(kBase + at),
                        size);  // NOLINT(performance-no-int-to-ptr)
  return memory;
}

std::optional<HugePages> told(const std::string& text, const std::vector<Asked>& parts,
                              std::size_t page = kHuge) {
  std::istringstream smaps(text);
  return huge_pages_in(smaps, addresses(parts), page);
}

void reads_what_the_kernel_tells(Checks& check) {
  const auto equals = [&](const std::optional<HugePages>& pages, HugePages want, const std::string& what) {
    check.that(pages.has_value(), what + ": known");
    if (!pages) return;
    check.equal(pages->bytes, want.bytes, what + ": bytes on huge pages");
    check.equal(pages->of, want.of, what + ": bytes asked about");
    check.equal(pages->possible, want.possible, what + ": bytes that huge pages have room for");
    check.equal(pages->page, want.page, what + ": bytes of a page");
  };
  const std::string mixed = text_of(
      {{0, kMiB, 0}, {kHuge, 3 * kHuge, 2 * kHuge}, {8 * kHuge, kHuge, kHuge}, {10 * kHuge, kMiB, 0}});
  equals(told(mixed, {{kHuge, 3 * kHuge}}), {2 * kHuge, 3 * kHuge, 3 * kHuge, kHuge}, "a part of a mapping");
  equals(told(mixed, {{8 * kHuge, kHuge}, {kHuge, 3 * kHuge}}), {3 * kHuge, 4 * kHuge, 4 * kHuge, kHuge},
         "two arrays in any order");
  equals(told(mixed, {{kHuge, kHuge}, {2 * kHuge, 2 * kHuge}}), {2 * kHuge, 3 * kHuge, 3 * kHuge, kHuge},
         "two arrays in one mapping");
  equals(told(mixed, {{10 * kHuge, 1000}}), {0, 1000, 0, kHuge}, "less than a huge page, on small ones");
  equals(told(mixed, {{8 * kHuge + kMiB, 1000}}), {1000, 1000, 1000, kHuge},
         "a part of a mapping that is huge");
  equals(told(text_of({{0, 2 * kHuge, 0}}), {{kMiB, kHuge}}), {0, kHuge, 0, kHuge},
         "no whole huge page fits in where it lies");
  equals(told(text_of({{kHuge, 3 * kMiB, kHuge}}), {{kHuge, 3 * kMiB - 100}}),
         {kHuge, 3 * kMiB - 100, kHuge, kHuge}, "what does not fill its last pages");
  equals(told(text_of({{0, 2 * kHuge, 0, 2 * kHuge}}), {{0, 2 * kHuge}}),
         {2 * kHuge, 2 * kHuge, 2 * kHuge, kMiB}, "huge pages that were set aside, of their own size");
  equals(told(text_of({{0, 2 * kHuge, 0, 0, kHuge}}), {{0, 2 * kHuge}}), {kHuge, 2 * kHuge, 2 * kHuge, kHuge},
         "memory that processes share");
}

void is_unknown_and_never_none(Checks& check) {
  const std::string partly = text_of({{0, 4 * kHuge, kHuge}});
  check.that(!told(partly, {{0, kHuge}}),
             "where a mapping holds other memory, too, which is on which is not known");
  check.that(told(partly, {{0, 4 * kHuge}}).has_value(), "of all of it it is");
  check.that(!told(text_of({{0, kHuge, kHuge}}), {{0, 2 * kHuge}}),
             "memory that no mapping holds is not known");
  check.that(!told("", {{0, kHuge}}), "nothing is known of an empty text");
  std::string old = partly;
  old.replace(old.find("AnonHugePages"), 4, "None");
  check.that(!told(old, {{0, 4 * kHuge}}), "nor of a kernel that does not count them");
  check.that(!told(partly, {{0, 4 * kHuge}}, 0), "nor of one that does not say how large they are");
  check.that(!told(partly, {}) && !huge_pages_behind({}), "nor of no memory");
}

// Memory of the kernel's own, as a sanitizer's allocator may lie on what it likes.
void knows_memory_of_this_process(Checks& check) {
  constexpr std::size_t kSize = 8 * kMiB;
  void* const memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  check.that(memory != MAP_FAILED, "there is memory");
  if (memory == MAP_FAILED) return;
  const bool on_small = madvise(memory, kSize, MADV_NOHUGEPAGE) == 0;
  std::memset(memory, 1, kSize);
  const auto pages = huge_pages_behind({{static_cast<const std::byte*>(memory), kSize}});
  if (pages && on_small) {
    check.equal(pages->bytes, std::size_t{0}, "memory that asked for small pages has no huge ones");
    check.equal(pages->of, kSize, "of all that was asked about");
    check.that(pages->possible >= kSize - 2 * pages->page || pages->page > kSize, "where they have room");
  }
  if (on_small && madvise(memory, kSize, MADV_DONTNEED) == 0 && madvise(memory, kSize, MADV_HUGEPAGE) == 0) {
    std::memset(memory, 1, kSize);
    const auto advised = huge_pages_behind({{static_cast<const std::byte*>(memory), kSize}});
    check.that(!advised || advised->bytes % advised->page == 0, "and with others it has whole ones");
  }
  munmap(memory, kSize);
}

}  // namespace

int main() {
  Checks check;
  reads_what_the_kernel_tells(check);
  is_unknown_and_never_none(check);
  knows_memory_of_this_process(check);
  return check.finish();
}
