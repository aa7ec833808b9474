// Cache sizes from sysfs, or, where it does not list them, from the C library, which reads CPUID on x86. In
// this order, because on a virtual machine the C library was seen to count the last cache of CPUs that the
// guest does not have: 508 MiB, all of a socket's, where sysfs and CPUID's list of caches were hidden and
// each eight cores share 32.
#include "cache_sizes.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <utility>

namespace pibench::kernels {
namespace {

// "48K", "2M" -> bytes; 0 when it is not a size.
std::int64_t parse_size(const std::string& text) {
  std::int64_t value = 0;
  std::size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && value < (1 << 30); ++at) {
    value = value * 10 + (text[at] - '0');
  }
  if (at < text.size() && text[at] == 'K') return value << 10;
  if (at < text.size() && text[at] == 'M') return value << 20;
  return value;
}

std::string first_word(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// The data or unified cache of one level of CPU 0; 0 when sysfs does not list it.
std::int64_t from_sysfs(int level) {
  constexpr int kMostCaches = 8;
  for (int index = 0; index < kMostCaches; ++index) {
    const std::string cache = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    if (first_word(cache + "level") != std::to_string(level)) continue;
    if (first_word(cache + "type") == "Instruction") continue;
    return parse_size(first_word(cache + "size"));
  }
  return 0;
}

std::int64_t from_libc([[maybe_unused]] int level) {
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  switch (level) {
    case 1:
      return sysconf(_SC_LEVEL1_DCACHE_SIZE);
    case 2:
      return sysconf(_SC_LEVEL2_CACHE_SIZE);
    default:
      return sysconf(_SC_LEVEL3_CACHE_SIZE);
  }
#else
  return 0;
#endif
}

std::int64_t cache_size(int level) {
  const std::int64_t size = from_sysfs(level);
  return size > 0 ? size : from_libc(level);
}

// As large as what the cores of one cluster share on most servers, and how many these are.
constexpr std::int64_t kMostL3OfLibc = 32 << 20;
constexpr long kSharersOfL3 = 8;

CacheSizes ask() {
  constexpr std::int64_t kUsualL1 = 32 << 10;
  constexpr std::int64_t kUsualL2 = 512 << 10;
  CacheSizes sizes{cache_size(1), cache_size(2), cache_size(3)};
  if (from_sysfs(3) <= 0) sizes.l3 = std::min(sizes.l3, kMostL3OfLibc);
  if (sizes.l1 <= 0) sizes.l1 = kUsualL1;
  if (sizes.l2 <= 0) sizes.l2 = std::max(sizes.l1, kUsualL2);
  sizes.l3 = std::max(sizes.l3, sizes.l2);
  return sizes;
}

// The CPUs that share the last cache of one, as sysfs lists them; empty where it does not.
std::string sharers_of_last_cache(int cpu) {
  constexpr int kMostCaches = 8;
  const std::string caches = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index";
  for (int index = kMostCaches - 1; index >= 0; --index) {
    const std::string cache = caches + std::to_string(index) + "/";
    if (first_word(cache + "level") == "3") return first_word(cache + "shared_cpu_list");
  }
  return {};
}

int count_last_caches() {
  const long cpus = sysconf(_SC_NPROCESSORS_CONF);
  std::set<std::string> caches;
  for (int cpu = 0; cpu < cpus; ++cpu) {
    if (std::string sharers = sharers_of_last_cache(cpu); !sharers.empty()) caches.insert(std::move(sharers));
  }
  if (!caches.empty()) return static_cast<int>(caches.size());
  // Without any list there may be more than one all the same.
  const bool hidden = from_sysfs(1) <= 0;
  return hidden ? static_cast<int>((std::max(1L, cpus) + kSharersOfL3 - 1) / kSharersOfL3) : 1;
}

}  // namespace

int last_caches() {
  static const int count = count_last_caches();
  return count;
}

const CacheSizes& cache_sizes() {
  static const CacheSizes sizes = ask();
  return sizes;
}

}  // namespace pibench::kernels
