// Brings a range of memory out of every cache of every core, where a CPU can be told to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace pibench {

inline constexpr bool kCanFlush =
#if defined(__x86_64__) || defined(__aarch64__)
    true;
#else
    false;
#endif

// Throws std::runtime_error where caches are to be cold and cannot be made so.
inline void require_flush(bool can_flush) {
  if (!can_flush)
    throw std::runtime_error(
        "caches cannot be flushed on this CPU, only on x86-64 and arm64: measure with --cache hot");
}

inline void flush(const void* memory, std::size_t bytes) noexcept {
  constexpr std::size_t kLine = 64;
  const char* first = static_cast<const char*>(memory);
#if defined(__x86_64__)
  for (std::size_t at = 0; at < bytes; at += kLine) _mm_clflush(first + at);
  _mm_mfence();
#elif defined(__aarch64__)
  for (std::size_t at = 0; at < bytes; at += kLine)
    asm volatile("dc civac, %0" : : "r"(first + at) : "memory");
  asm volatile("dsb sy" : : : "memory");
#else
  static_cast<void>(first);
  static_cast<void>(bytes);
#endif
}

}  // namespace pibench
