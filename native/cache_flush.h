// Brings a range of memory out of every cache of every core.
#pragma once

#include <cstddef>
#include <cstdint>

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
