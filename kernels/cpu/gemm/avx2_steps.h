// Some steps of a whole tile of AVX2, of packed operands, as one sequence of instructions. 12 sums, two
// vectors of B and one element of A leave a compiler a single register, and what it made of the same steps in
// C++ moved sums from register to register and read each vector of B several times: 104 instructions a loop
// of float32, here 86. Sanitizers do not see what it reads; a tile's last steps, which they see, are never
// these. Everything is in an unnamed namespace, as in avx512_tile.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace pibench::kernels {
namespace {

// So many steps have one loop's instructions between them: a core whose other hyperthread is at work, too, is
// given half of what it can decode, and then each instruction counts (measured on Zen 3: 1.1 beside one; 8
// steps no better). The narrow tiles' loops are not worth the room.
constexpr int kStepsAtOnce = 4;

// 12 accumulators, the vectors of B and one element of A: 15 of 16 registers.
constexpr int kWideRows = 6;
static_assert(kStepsAtOnce == 4 && kWideRows == 6, "as the text of the instructions has it");

constexpr std::size_t kBytesOfStep = 64;  // of a packed B: two vectors

// The assembler repeats what is between .irp and .endr, with `\on` for the step. `unit` is the size of an
// element of A, `multiply_add` text of a vector of B and a sum. An asm has 30 operands at most, of which a
// sum is two; so what a product needs of its own is ymm15.
#define PIBENCH_ROW(i, broadcast, unit, multiply_add)                                                      \
  broadcast " (\\on * 6 + " #i ") * " unit "(%[a]), %[element]\n\t" multiply_add("%[left]", "%[s" #i "0]") \
      multiply_add("%[right]", "%[s" #i "1]")
#define PIBENCH_SUMS(i) [s##i##0] "+x"(sums[i][0]), [s##i##1] "+x"(sums[i][1])
#define PIBENCH_STEPS(broadcast, unit, multiply_add)                                                      \
  asm volatile(                                                                                           \
      ".irp on, 0, 1, 2, 3\n\t"                                                                           \
      "vmovups \\on * 64(%[b]), %[left]\n\t"                                                              \
      "vmovups \\on * 64(%[second]), %[right]\n\t" PIBENCH_ROW(0, broadcast, unit, multiply_add)          \
          PIBENCH_ROW(1, broadcast, unit, multiply_add) PIBENCH_ROW(2, broadcast, unit, multiply_add)     \
              PIBENCH_ROW(3, broadcast, unit, multiply_add) PIBENCH_ROW(4, broadcast, unit, multiply_add) \
                  PIBENCH_ROW(5, broadcast, unit, multiply_add) ".endr"                                   \
      : PIBENCH_SUMS(0), PIBENCH_SUMS(1), PIBENCH_SUMS(2), PIBENCH_SUMS(3), PIBENCH_SUMS(4),              \
        PIBENCH_SUMS(5), [left] "=&x"(left), [right] "=&x"(right), [element] "=&x"(element)               \
      : [a] "r"(a), [b] "r"(b), [second] "r"(second)                                                      \
      : "memory", "xmm15")

// sums[i][j] += a[on][i] * b[on][j], of kStepsAtOnce steps `on` as they are packed: `a` has kWideRows
// elements of each; the two vectors of B begin at `b` and `second` and are 64 bytes further on in the next
// step.
[[gnu::always_inline]] inline void multiply_at_once(__m256 (&sums)[kWideRows][2], const float* a,
                                                    const float* b, const float* second) noexcept {
  __m256 left, right, element;
#define PIBENCH_MULTIPLY_ADD(vector, sum) "vfmadd231ps " vector ", %[element], " sum "\n\t"
  PIBENCH_STEPS("vbroadcastss", "4", PIBENCH_MULTIPLY_ADD);
#undef PIBENCH_MULTIPLY_ADD
}

[[gnu::always_inline]] inline void multiply_at_once(__m256d (&sums)[kWideRows][2], const double* a,
                                                    const double* b, const double* second) noexcept {
  __m256d left, right, element;
#define PIBENCH_MULTIPLY_ADD(vector, sum) "vfmadd231pd " vector ", %[element], " sum "\n\t"
  PIBENCH_STEPS("vbroadcastsd", "8", PIBENCH_MULTIPLY_ADD);
#undef PIBENCH_MULTIPLY_ADD
}

// Of pairs of int16.
[[gnu::always_inline]] inline void multiply_at_once(__m256i (&sums)[kWideRows][2], const std::int32_t* a,
                                                    const std::int32_t* b,
                                                    const std::int32_t* second) noexcept {
  __m256i left, right, element;
#define PIBENCH_MULTIPLY_ADD(vector, sum) \
  "vpmaddwd " vector ", %[element], %%ymm15\n\tvpaddd %%ymm15, " sum ", " sum "\n\t"
  PIBENCH_STEPS("vpbroadcastd", "4", PIBENCH_MULTIPLY_ADD);
#undef PIBENCH_MULTIPLY_ADD
}

#undef PIBENCH_STEPS
#undef PIBENCH_SUMS
#undef PIBENCH_ROW

}  // namespace
}  // namespace pibench::kernels
