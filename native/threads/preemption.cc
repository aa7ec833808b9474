// The trip wire by restartable sequences (rseq). The C library registers a `struct rseq` per thread and
// exports where it lies; its field `rseq_cs`, at byte 8 by the kernel's ABI, is the wire. The C library's
// header is not needed and its symbols are weak, so that this builds and loads with older ones, where the
// wire is not available.
#include "preemption.h"

#include <cstddef>
#include <cstdint>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define PIBENCH_HAS_RSEQ 1
#endif

#ifdef PIBENCH_HAS_RSEQ

extern "C" {
// NOLINTBEGIN(clang-diagnostic-reserved-identifier): names of the C library
extern const std::ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));
// NOLINTEND(clang-diagnostic-reserved-identifier)
}

namespace pibench {
namespace {

// As uapi/linux/rseq.h has it.
struct alignas(32) Sequence {
  std::uint32_t version;
  std::uint32_t flags;
  std::uint64_t start_ip;
  std::uint64_t post_commit_offset;
  std::uint64_t abort_ip;
};

// A sequence of one instruction that is jumped over. The kernel checks that the signature, which the C
// library gave it at registration, stands right before the abort address, and ends the process when it does
// not. The addresses are found at run time because this code is position independent.
Sequence never_executed() noexcept {
  std::uint64_t start = 0;
  std::uint64_t abort = 0;
#if defined(__x86_64__)
  asm volatile(
      "lea 1f(%%rip), %0\n\t"
      "lea 2f(%%rip), %1\n\t"
      "jmp 3f\n"
      "1:\tnop\n\t"
      ".long 0x53053053\n"
      "2:\tud2\n"
      "3:"
      : "=&r"(start), "=&r"(abort));
#else
  asm volatile(
      "adr %0, 1f\n\t"
      "adr %1, 2f\n\t"
      "b 3f\n"
      "1:\tnop\n\t"
      ".inst 0xd428bc00\n"
      "2:\tbrk #0\n"
      "3:"
      : "=&r"(start), "=&r"(abort));
#endif
  return {0, 0, start, 1, abort};
}

const Sequence kSequence = never_executed();

// The calling thread's `rseq_cs`. Volatile: the kernel writes it. Only where available() is true.
volatile std::uint64_t& wire() noexcept {
  constexpr std::ptrdiff_t kOffsetOfRseqCs = 8;
  char* area = static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset;
  return *reinterpret_cast<volatile std::uint64_t*>(area + kOffsetOfRseqCs);
}

}  // namespace

bool PreemptionWire::available() noexcept { return &__rseq_size != nullptr && __rseq_size > 0; }

void PreemptionWire::arm() noexcept {
  if (available()) wire() = reinterpret_cast<std::uint64_t>(&kSequence);
}

bool PreemptionWire::tripped() noexcept { return available() && wire() == 0; }

void PreemptionWire::disarm() noexcept {
  if (available()) wire() = 0;
}

PreemptionWire::OfThread PreemptionWire::of_thread() noexcept {
  OfThread own;
  if (!available()) return own;
  own.wire_ = &wire();
  own.armed_ = reinterpret_cast<std::uint64_t>(&kSequence);
  return own;
}

}  // namespace pibench

#else

namespace pibench {

bool PreemptionWire::available() noexcept { return false; }
void PreemptionWire::arm() noexcept {}
bool PreemptionWire::tripped() noexcept { return false; }
void PreemptionWire::disarm() noexcept {}
PreemptionWire::OfThread PreemptionWire::of_thread() noexcept { return {}; }

}  // namespace pibench

#endif
