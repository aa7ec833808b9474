// A whole tile of one vector's columns and an A in place, as one sequence of instructions: for products of so
// few columns, and for what wide tiles leave of others. Like avx2_whole_tile.h, for builds that no sanitizer
// watches.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "avx2_whole_tile.h"
#include "instruction_set.h"

namespace pibench::kernels {
namespace {

constexpr int kNarrowRows = 12;  // of one vector, as many accumulators as kWideRows of two

// Of the rows that the tile has: its number, its sums and where its element of A is, so many steps on.
#define PIBENCH_NARROW_ROWS(text, ...)                                                                \
  text(0, "%%ymm0", "(%[a])", __VA_ARGS__) text(1, "%%ymm1", "(%[a],%[row])", __VA_ARGS__)            \
      text(2, "%%ymm2", "(%[a],%[row],2)", __VA_ARGS__) text(3, "%%ymm3", "(%[second])", __VA_ARGS__) \
          text(4, "%%ymm4", "(%[second],%[row])", __VA_ARGS__)                                        \
              text(5, "%%ymm5", "(%[second],%[row],2)", __VA_ARGS__)                                  \
                  text(6, "%%ymm6", "(%[third])", __VA_ARGS__)                                        \
                      text(7, "%%ymm7", "(%[third],%[row])", __VA_ARGS__)                             \
                          text(8, "%%ymm8", "(%[third],%[row],2)", __VA_ARGS__)                       \
                              text(9, "%%ymm9", "(%[fourth])", __VA_ARGS__)                           \
                                  text(10, "%%ymm10", "(%[fourth],%[row])", __VA_ARGS__)              \
                                      text(11, "%%ymm11", "(%[fourth],%[row],2)", __VA_ARGS__)
#define PIBENCH_NARROW_ROW(i, instructions) ".if %c[rows] > " #i "\n\t" instructions ".endif\n\t"
#define PIBENCH_NARROW_ZERO(i, sum, element, ...) PIBENCH_NARROW_ROW(i, "vpxor " sum ", " sum ", " sum "\n\t")
#define PIBENCH_NARROW_MULTIPLY(i, sum, element, on, spread, multiply_add) \
  PIBENCH_NARROW_ROW(                                                      \
      i, spread " " on " * %c[unit]" element ", %%ymm13\n\t" multiply_add " %%ymm12, %%ymm13, " sum "\n\t")
#define PIBENCH_NARROW_ADD(i, sum, element, add) \
  PIBENCH_NARROW_ROW(i, add " (%[c]), " sum ", " sum "\n\tadd %[c_row], %[c]\n\t")
#define PIBENCH_NARROW_WRITE(i, sum, element, ...) \
  PIBENCH_NARROW_ROW(i, "vmovups " sum ", (%[c])\n\tadd %[c_row], %[c]\n\t")
#define PIBENCH_NARROW_STEP(on, b_row, spread, multiply_add) \
  "vmovups (%[b]" b_row                                      \
  "), %%ymm12\n\t" PIBENCH_NARROW_ROWS(PIBENCH_NARROW_MULTIPLY, on, spread, multiply_add)
#define PIBENCH_NARROW_FURTHER(steps)                                                                     \
  "add $" steps " * %c[unit], %[a]\n\t" PIBENCH_NARROW_ROW(3, "add $" steps " * %c[unit], %[second]\n\t") \
      PIBENCH_NARROW_ROW(6, "add $" steps " * %c[unit], %[third]\n\t")                                    \
          PIBENCH_NARROW_ROW(9, "add $" steps " * %c[unit], %[fourth]\n\t")

#define PIBENCH_NARROW_TILE(spread, multiply_add, plus) \
  asm volatile(PIBENCH_NARROW_ROWS(PIBENCH_NARROW_ZERO)                                                      \
               "test %[loops], %[loops]\n\tjz 2f\n\t.p2align 6\n"                                            \
               "1:\n\t" PIBENCH_NARROW_STEP("0", "", spread, multiply_add)                                   \
               PIBENCH_NARROW_STEP("1", ",%[b_row]", spread, multiply_add)                                   \
               PIBENCH_NARROW_STEP("2", ",%[b_row],2", spread, multiply_add)                                 \
               PIBENCH_NARROW_STEP("3", ",%[b_rows]", spread, multiply_add)                                  \
               "lea (%[b],%[b_row],4), %[b]\n\t" PIBENCH_NARROW_FURTHER("4") "dec %[loops]\n\tjnz 1b\n"       \
               "2:\n\tcmpq $0, %[left]\n\tje 4f\n"                                                           \
               "3:\n\t" PIBENCH_NARROW_STEP("0", "", spread, multiply_add)                                   \
               "add %[b_row], %[b]\n\t" PIBENCH_NARROW_FURTHER("1") "decq %[left]\n\tjnz 3b\n"               \
               "4:\n\tcmpb $0, %[accumulate]\n\tje 5f\n\tmov %[c], %[b]\n\t"                                 \
               PIBENCH_NARROW_ROWS(PIBENCH_NARROW_ADD, plus) "mov %[b], %[c]\n"                              \
               "5:\n\t" PIBENCH_NARROW_ROWS(PIBENCH_NARROW_WRITE)                                            \
               : [a] "+&r"(a), [second] "+&r"(second), [third] "+&r"(third), [fourth] "+&r"(fourth),         \
                 [b] "+&r"(b), [c] "+&r"(c), [loops] "+&r"(loops), [left] "+&rm"(left)                       \
               : [row] "r"(row), [b_row] "r"(b_row), [b_rows] "r"(3 * b_row), [c_row] "r"(c_row),            \
                 [accumulate] "m"(accumulate), [rows] "i"(rows), [unit] "i"(sizeof(Unit))                    \
               : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",     \
                 "xmm9", "xmm10", "xmm11", "xmm12", "xmm13")

// Of all columns of its vector, with nothing to ask for of B, and those below it; there are none beside it.
template <typename Arithmetic, int rows>
[[gnu::noinline]] void compute_narrow(const Tile& tile) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  static_assert(
      rows <= kNarrowRows && Arithmetic::kLanes * sizeof(Unit) == 32 && sizeof(Unit) == sizeof(Result),
      "as the text has it");

  const std::int64_t row = tile.a_row * std::int64_t{sizeof(Unit)};
  const std::int64_t b_row = tile.b_step * std::int64_t{sizeof(Unit)};
  const std::int64_t c_row = tile.ldc * std::int64_t{sizeof(Result)};
  const bool accumulate = tile.accumulate;
  const auto depth = static_cast<std::uint64_t>(tile.depth);
  const auto* a_of_strip = static_cast<const std::byte*>(tile.a);
  auto* c_of_strip = static_cast<std::byte*>(tile.c);
  for (std::int64_t strips = tile.below + 1; strips > 0; --strips) {
    std::byte* c = c_of_strip;
    if (tile.prefetch_c) ask_for_rows<rows>(reinterpret_cast<Result*>(c), tile.ldc);
    const auto* b = static_cast<const std::byte*>(tile.b);
    const std::byte* a = a_of_strip;
    const std::byte* second = a + 3 * row;
    const std::byte* third = second + 3 * row;
    const std::byte* fourth = third + 3 * row;
    std::uint64_t loops = depth / kStepsAtOnce;
    std::uint64_t left = depth % kStepsAtOnce;
    if constexpr (std::is_same_v<Unit, float>) {
      PIBENCH_NARROW_TILE("vbroadcastss", "vfmadd231ps", "vaddps");
    } else {
      static_assert(std::is_same_v<Unit, double>);
      PIBENCH_NARROW_TILE("vbroadcastsd", "vfmadd231pd", "vaddpd");
    }
    a_of_strip += tile.a_strip;
    c_of_strip += tile.c_strip;
  }
  _mm256_zeroupper();
}

#undef PIBENCH_NARROW_ROWS
#undef PIBENCH_NARROW_ROW
#undef PIBENCH_NARROW_ZERO
#undef PIBENCH_NARROW_MULTIPLY
#undef PIBENCH_NARROW_ADD
#undef PIBENCH_NARROW_WRITE
#undef PIBENCH_NARROW_STEP
#undef PIBENCH_NARROW_FURTHER
#undef PIBENCH_NARROW_TILE

}  // namespace
}  // namespace pibench::kernels
