// Up to three rows of two tiles that lie beside each other, four vectors wide, of an A in place, as one
// sequence of instructions. As many sums as a tile of six rows and two vectors has, of seven loads in each
// step instead of eight: where B stays in L1 it does not matter that it is read twice as often. Three
// elements of A, spread, stay in registers, and one vector of B at a time. Like
// avx2_whole_tile.h, for builds that no sanitizer watches.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "avx2_whole_tile.h"
#include "instruction_set.h"

namespace pibench::kernels {
namespace {

constexpr int kFlatRows = 3;
constexpr int kTilesOfFlat = 2;

// The vectors of B, each with what is added to it in the rows that the tiles have.
#define PIBENCH_FLAT_ROW(i, instruction) ".if %c[rows] > " #i "\n\t" instruction "\n\t.endif\n\t"
#define PIBENCH_FLAT_VECTOR(load, first, second, third, multiply_add)      \
  "vmovups " load ", %%ymm15\n\t" multiply_add " %%ymm15, %%ymm12, " first \
  "\n\t" PIBENCH_FLAT_ROW(1, multiply_add " %%ymm15, %%ymm13, " second)    \
      PIBENCH_FLAT_ROW(2, multiply_add " %%ymm15, %%ymm14, " third)
#define PIBENCH_FLAT_STEP(on, b_row, spread, multiply_add)                                             \
  spread " " on " * %c[unit](%[a]), %%ymm12\n\t" PIBENCH_FLAT_ROW(                                     \
      1, spread " " on " * %c[unit](%[a],%[row]), %%ymm13")                                            \
      PIBENCH_FLAT_ROW(2, spread " " on " * %c[unit](%[a],%[row],2), %%ymm14") PIBENCH_FLAT_VECTOR(    \
          "(%[b]" b_row ")", "%%ymm0", "%%ymm4", "%%ymm8", multiply_add)                               \
          PIBENCH_FLAT_VECTOR("32(%[b]" b_row ")", "%%ymm1", "%%ymm5", "%%ymm9", multiply_add)         \
              PIBENCH_FLAT_VECTOR("(%[beside]" b_row ")", "%%ymm2", "%%ymm6", "%%ymm10", multiply_add) \
                  PIBENCH_FLAT_VECTOR("32(%[beside]" b_row ")", "%%ymm3", "%%ymm7", "%%ymm11", multiply_add)

// What is done to the sums of each row, where they belong in C.
#define PIBENCH_FLAT_SUMS(text, ...)                                                              \
  text("", "%%ymm0", "%%ymm1", "%%ymm2", "%%ymm3", __VA_ARGS__)                                   \
      PIBENCH_FLAT_ROW(1, text(",%[c_row]", "%%ymm4", "%%ymm5", "%%ymm6", "%%ymm7", __VA_ARGS__)) \
          PIBENCH_FLAT_ROW(2, text(",%[c_row],2", "%%ymm8", "%%ymm9", "%%ymm10", "%%ymm11", __VA_ARGS__))
#define PIBENCH_FLAT_ADD(row, first, second, third, fourth, add)                                        \
  add " (%[c]" row "), " first ", " first "\n\t" add " 32(%[c]" row "), " second ", " second "\n\t" add \
      " 64(%[c]" row "), " third ", " third "\n\t" add " 96(%[c]" row "), " fourth ", " fourth "\n\t"
#define PIBENCH_FLAT_WRITE(row, first, second, third, fourth, instruction)                               \
  instruction " " first ", (%[c]" row ")\n\t" instruction " " second ", 32(%[c]" row ")\n\t" instruction \
              " " third ", 64(%[c]" row ")\n\t" instruction " " fourth ", 96(%[c]" row ")\n\t"
#define PIBENCH_FLAT_ZERO                                                          \
  ".irp sum, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n\t.if %c[rows] * 4 > \\sum\n\t" \
  "vpxor %%xmm\\sum, %%xmm\\sum, %%xmm\\sum\n\t.endif\n\t.endr\n\t"

// The loop begins a line of instructions: half a line further on it was slower on Zen 3.
#define PIBENCH_FLAT_TILES(spread, multiply_add, plus) \
  asm volatile(PIBENCH_FLAT_ZERO                                                                             \
               "test %[loops], %[loops]\n\tjz 2f\n\t.p2align 6\n"                                            \
               "1:\n\t" PIBENCH_FLAT_STEP("0", "", spread, multiply_add)                                     \
               PIBENCH_FLAT_STEP("1", ",%[b_row]", spread, multiply_add)                                     \
               PIBENCH_FLAT_STEP("2", ",%[b_row],2", spread, multiply_add)                                   \
               PIBENCH_FLAT_STEP("3", ",%[b_rows]", spread, multiply_add)                                    \
               "lea (%[b],%[b_row],4), %[b]\n\tlea (%[beside],%[b_row],4), %[beside]\n\t"                    \
               "add $4 * %c[unit], %[a]\n\tdec %[loops]\n\tjnz 1b\n"                                         \
               "2:\n\tcmpq $0, %[left]\n\tje 4f\n"                                                           \
               "3:\n\t" PIBENCH_FLAT_STEP("0", "", spread, multiply_add)                                     \
               "add %[b_row], %[b]\n\tadd %[b_row], %[beside]\n\tadd $%c[unit], %[a]\n\t"                    \
               "decq %[left]\n\tjnz 3b\n"                                                                    \
               "4:\n\tcmpb $0, %[plainly]\n\tjne 6f\n\t"                                                     \
               "cmpb $0, %[accumulate]\n\tje 5f\n\t"                                                         \
               PIBENCH_FLAT_SUMS(PIBENCH_FLAT_ADD, plus) "jmp 6f\n"                                          \
               "5:\n\t" PIBENCH_FLAT_SUMS(PIBENCH_FLAT_WRITE, "vmovntps") "jmp 7f\n"                         \
               "6:\n\t" PIBENCH_FLAT_SUMS(PIBENCH_FLAT_WRITE, "vmovups")                                     \
               "7:"                                                                                          \
               : [a] "+&r"(a), [b] "+&r"(b), [beside] "+&r"(beside), [loops] "+&r"(loops), [left] "+&rm"(left) \
               : [row] "r"(row), [b_row] "r"(b_row), [b_rows] "r"(3 * b_row), [c] "r"(c), [c_row] "r"(c_row), \
                 [accumulate] "m"(accumulate), [plainly] "m"(plainly), [rows] "i"(rows),                     \
                 [unit] "i"(sizeof(Unit))                                                                    \
               : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",     \
                 "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")

// Of several tiles beside each other, and the strips below them, the pairs: of all columns and an A in place,
// with nothing to ask for of B; then the column of tiles that is left.
template <typename Arithmetic, int rows>
void compute_flat(const Tile& tile) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  constexpr std::int64_t kColumns = 2 * Arithmetic::kLanes;
  static_assert(rows <= kFlatRows && kColumns * sizeof(Unit) == 64 && sizeof(Unit) == sizeof(Result),
                "as the text has it");

  const std::int64_t row = tile.a_row * std::int64_t{sizeof(Unit)};
  const std::int64_t b_row = tile.b_step * std::int64_t{sizeof(Unit)};
  const std::int64_t c_row = tile.ldc * std::int64_t{sizeof(Result)};
  const bool accumulate = tile.accumulate;
  const bool plainly = !tile.accumulate && !tile.stream_c;
  const bool asks = tile.prefetch_c && !tile.stream_c;
  const auto depth = static_cast<std::uint64_t>(tile.depth);
  const std::int64_t pairs = (tile.more + 1) / kTilesOfFlat;
  // What a pair's text has gone on by the end.
  const std::int64_t all_of_b = tile.depth * b_row;
  const std::int64_t all_of_a = tile.depth * std::int64_t{sizeof(Unit)};
  const auto* a = static_cast<const std::byte*>(tile.a);
  auto* c_of_strip = static_cast<std::byte*>(tile.c);
  for (std::int64_t strips = tile.below + 1; strips > 0; --strips) {
    const auto* b = static_cast<const std::byte*>(tile.b);
    const std::byte* beside = b + tile.b_panel;
    std::byte* c = c_of_strip;
    for (std::int64_t more = pairs; more > 0; --more) {
      if (asks) {
        ask_for_rows<rows>(reinterpret_cast<Result*>(c), tile.ldc);
        ask_for_rows<rows>(reinterpret_cast<Result*>(c) + kColumns, tile.ldc);
      }
      std::uint64_t loops = depth / kStepsAtOnce;
      std::uint64_t left = depth % kStepsAtOnce;
      if constexpr (std::is_same_v<Unit, float>) {
        PIBENCH_FLAT_TILES("vbroadcastss", "vfmadd231ps", "vaddps");
      } else {
        static_assert(std::is_same_v<Unit, double>);
        PIBENCH_FLAT_TILES("vbroadcastsd", "vfmadd231pd", "vaddpd");
      }
      a -= all_of_a;
      b += kTilesOfFlat * tile.b_panel - all_of_b;
      beside += kTilesOfFlat * tile.b_panel - all_of_b;
      c += kTilesOfFlat * kColumns * sizeof(Result);
    }
    a += tile.a_strip;
    c_of_strip += tile.c_strip;
  }
  _mm256_zeroupper();
  if (tile.more % kTilesOfFlat != 0) return;
  // Alone, a tile had better be twice as high: with the strip after it, which lies below it or above.
  Tile last = tile;
  last.more = 0;
  last.b = static_cast<const std::byte*>(tile.b) + pairs * kTilesOfFlat * tile.b_panel;
  const auto* const last_a = static_cast<const std::byte*>(tile.a);
  auto* const last_c = static_cast<std::byte*>(tile.c) + pairs * kTilesOfFlat * kColumns * sizeof(Result);
  const std::int64_t high = (tile.below + 1) / 2;
  if (high > 0) {
    last.a = last_a + (tile.a_strip < 0 ? tile.a_strip : 0);
    last.c = last_c + (tile.c_strip < 0 ? tile.c_strip : 0);
    last.below = high - 1;
    last.a_strip = 2 * tile.a_strip;
    last.c_strip = 2 * tile.c_strip;
    compute_whole<Arithmetic, 2 * rows, true>(last);
  }
  if (tile.below % 2 != 0) return;
  last.a = last_a + tile.below * tile.a_strip;
  last.c = last_c + tile.below * tile.c_strip;
  last.below = 0;
  compute_whole<Arithmetic, rows, true>(last);
}

#undef PIBENCH_FLAT_ROW
#undef PIBENCH_FLAT_VECTOR
#undef PIBENCH_FLAT_STEP
#undef PIBENCH_FLAT_SUMS
#undef PIBENCH_FLAT_ADD
#undef PIBENCH_FLAT_WRITE
#undef PIBENCH_FLAT_ZERO
#undef PIBENCH_FLAT_TILES

}  // namespace
}  // namespace pibench::kernels
