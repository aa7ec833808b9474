// What a thread does between two looks while it spins: it leaves the core to whoever shares it.
#pragma once

namespace pibench {

inline void pause_cpu() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace pibench
