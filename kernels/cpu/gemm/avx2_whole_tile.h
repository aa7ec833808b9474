// A whole tile of AVX2 as one sequence of instructions, of packed operands or of such as they lie. A core
// whose other hyperthread is at work, too, is given half of what it can decode, and then each instruction
// counts. 12 sums, two vectors of B and one element of A leave a compiler a single register: of four steps of
// packed operands it made 104 instructions, in place 89, and here they are 84 and 85. Sanitizers do not
// see what is read and written here: where they are at work, tiles are computed by compute_any, and where
// not, the checks end matrices with guarded pages. Everything is in an unnamed namespace, as in
// avx512_tile.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "instruction_set.h"

namespace pibench::kernels {
namespace {

// So many steps have one loop's instructions between them (8 are no better on Zen 3).
constexpr int kStepsAtOnce = 4;
// 12 sums, the vectors of B and one element of A: 15 of 16 registers. The last one is for what a product
// needs of its own.
constexpr int kWideRows = 6;
static_assert(kStepsAtOnce == 4 && kWideRows == 6, "as the text of the instructions has it");

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsWatched = true;
#else
constexpr bool kIsWatched = false;
#endif

// What a row of a tile is: its number, its sums and where its element of A is. `\on` is the step of a loop.
#define PIBENCH_ROWS(text, ...)                                                         \
  text(0, "%%ymm0", "%%ymm1", __VA_ARGS__) text(1, "%%ymm2", "%%ymm3", __VA_ARGS__)     \
      text(2, "%%ymm4", "%%ymm5", __VA_ARGS__) text(3, "%%ymm6", "%%ymm7", __VA_ARGS__) \
          text(4, "%%ymm8", "%%ymm9", __VA_ARGS__) text(5, "%%ymm10", "%%ymm11", __VA_ARGS__)
#define PIBENCH_PACKED(i) "(\\on * %c[rows] + " #i ") * %c[unit](%[a])"
#define PIBENCH_LYING(i) "\\on * %c[unit]" PIBENCH_LYING_##i
#define PIBENCH_LYING_0 "(%[a])"
#define PIBENCH_LYING_1 "(%[a],%[row])"
#define PIBENCH_LYING_2 "(%[a],%[row],2)"
#define PIBENCH_LYING_3 "(%[lower])"
#define PIBENCH_LYING_4 "(%[lower],%[row])"
#define PIBENCH_LYING_5 "(%[lower],%[row],2)"

// What is done to each row that the tile has.
#define PIBENCH_ZERO(i, first, second, ...)                                                                 \
  ".if %c[rows] > " #i "\n\tvpxor " first ", " first ", " first "\n\tvpxor " second ", " second ", " second \
  "\n\t.endif\n\t"
#define PIBENCH_MULTIPLY(i, first, second, element, spread, multiply_add, add)                     \
  ".if %c[rows] > " #i "\n\t" spread " " element(i) ", %%ymm14\n\t" multiply_add("%%ymm12", first) \
      multiply_add("%%ymm13", second) ".endif\n\t"
#define PIBENCH_ADD(i, first, second, spread, multiply_add, add)                                    \
  ".if %c[rows] > " #i "\n\t" add("(%[a])", first) add("(%[a],%[second])", second) PIBENCH_NEXT_ROW \
      ".endif\n\t"
#define PIBENCH_WRITE(i, first, second, instruction)                                      \
  ".if %c[rows] > " #i "\n\t" instruction " " first ", (%[a])\n\t" instruction " " second \
  ", (%[a],%[second])\n\t" PIBENCH_NEXT_ROW ".endif\n\t"
#define PIBENCH_NEXT_ROW "lea (%[a],%[loops],%c[result]), %[a]\n\t"

#define PIBENCH_STEP(on, b_first, b_second, ...)                         \
  ".irp on, " on "\n\tvmovups " b_first ", %%ymm12\n\tvmovups " b_second \
  ", %%ymm13\n\t" PIBENCH_ROWS(PIBENCH_MULTIPLY, __VA_ARGS__) ".endr\n\t"
#define PIBENCH_ASK \
  "prefetcht1 (%[asked])\n\tprefetcht1 (%[asked],%[apart])\n\tlea (%[asked],%[apart],2), %[asked]\n\t"

// Four steps and one, of packed operands and of such as they lie.
#define PIBENCH_PACKED_STEPS(ask, ...)                                                                  \
  ask PIBENCH_STEP("0, 1", "\\on * 64(%[b])", "\\on * 64(%[b],%[second])", PIBENCH_PACKED, __VA_ARGS__) \
  ask PIBENCH_STEP("2, 3", "\\on * 64(%[b])", "\\on * 64(%[b],%[second])", PIBENCH_PACKED,              \
                   __VA_ARGS__) "add $4 * %c[rows] * %c[unit], %[a]\n\tadd $4 * 64, %[b]\n\t"
#define PIBENCH_PACKED_LAST(...)                                               \
  PIBENCH_STEP("0", "(%[b])", "(%[b],%[second])", PIBENCH_PACKED, __VA_ARGS__) \
  "add $%c[rows] * %c[unit], %[a]\n\tadd $64, %[b]\n\t"
#define PIBENCH_LYING_STEPS(ask, ...)                                                                   \
  ask PIBENCH_STEP("0", "(%[b])", "32(%[b])", PIBENCH_LYING, __VA_ARGS__)                               \
      PIBENCH_STEP("1", "(%[b],%[b_row])", "32(%[b],%[b_row])", PIBENCH_LYING, __VA_ARGS__)             \
          ask PIBENCH_STEP("2", "(%[b],%[b_row],2)", "32(%[b],%[b_row],2)", PIBENCH_LYING, __VA_ARGS__) \
              PIBENCH_STEP("3", "(%[b],%[b_rows])", "32(%[b],%[b_rows])", PIBENCH_LYING,                \
                           __VA_ARGS__) "lea (%[b],%[b_row],4), %[b]\n\t" PIBENCH_LYING_FURTHER("4")
#define PIBENCH_LYING_LAST(...)                                       \
  PIBENCH_STEP("0", "(%[b])", "32(%[b])", PIBENCH_LYING, __VA_ARGS__) \
  "add %[b_row], %[b]\n\t" PIBENCH_LYING_FURTHER("1")
#define PIBENCH_LYING_FURTHER(steps) \
  "add $" steps " * %c[unit], %[a]\n\t.if %c[rows] > 3\n\tadd $" steps " * %c[unit], %[lower]\n\t.endif\n\t"

// Of a type, from zero to where the sums are written: onto C, past the caches, or as usual.
#define PIBENCH_TILE(four, one, ...) \
  asm volatile(PIBENCH_ROWS(PIBENCH_ZERO)                                                                \
               "cmpq $0, %[asking]\n\tje 2f\n"                                                           \
               "1:\n\t" four(PIBENCH_ASK, __VA_ARGS__) "decq %[asking]\n\tjnz 1b\n"                      \
               "2:\n\ttest %[loops], %[loops]\n\tjz 4f\n\t"                                              \
               ".p2align 6\n"                                                                            \
               "3:\n\t" four("", __VA_ARGS__) "dec %[loops]\n\tjnz 3b\n"                                 \
               "4:\n\tcmpq $0, %[left]\n\tje 6f\n"                                                       \
               "5:\n\t" one(__VA_ARGS__) "decq %[left]\n\tjnz 5b\n"                                      \
               "6:\n\tmov %[c], %[a]\n\tmov %[ldc], %[loops]\n\t"                                        \
               "cmpb $0, %[accumulate]\n\tje 7f\n\t"                                                     \
               PIBENCH_ROWS(PIBENCH_ADD, __VA_ARGS__) "mov %[c], %[a]\n"                                 \
               "7:\n\tcmpb $0, %[stream]\n\tjne 8f\n\t"                                                  \
               PIBENCH_ROWS(PIBENCH_WRITE, "vmovups") "jmp 9f\n"                                         \
               "8:\n\t" PIBENCH_ROWS(PIBENCH_WRITE, "vmovntps")                                          \
               "9:"                                                                                      \
               : [a] "+&r"(a), [lower] "+&r"(lower), [b] "+&r"(b), [asked] "+&r"(asked),                 \
                 [asking] "+&rm"(asking), [loops] "+&r"(loops), [left] "+&rm"(left)                      \
               : [row] "r"(row), [b_row] "r"(b_row), [b_rows] "r"(3 * b_row), [second] "r"(second),      \
                 [apart] "r"(apart), [c] "m"(c), [ldc] "m"(ldc), [accumulate] "m"(accumulate),           \
                 [stream] "m"(stream), [rows] "i"(rows), [unit] "i"(sizeof(Unit)),                       \
                 [result] "i"(sizeof(Result))                                                            \
               : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
                 "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")

#define PIBENCH_FMA_FLOAT32(vector, sum) "vfmadd231ps " vector ", %%ymm14, " sum "\n\t"
#define PIBENCH_ADD_FLOAT32(address, sum) "vaddps " address ", " sum ", " sum "\n\t"
#define PIBENCH_FMA_FLOAT64(vector, sum) "vfmadd231pd " vector ", %%ymm14, " sum "\n\t"
#define PIBENCH_ADD_FLOAT64(address, sum) "vaddpd " address ", " sum ", " sum "\n\t"
// Of pairs of int16.
#define PIBENCH_FMA_PAIRS(vector, sum) \
  "vpmaddwd " vector ", %%ymm14, %%ymm15\n\tvpaddd %%ymm15, " sum ", " sum "\n\t"
#define PIBENCH_ADD_PAIRS(address, sum) "vpaddd " address ", " sum ", " sum "\n\t"

// The rows of C are needed at the end. Into L2, because A and B fill L1 until then.
template <int rows, typename Result>
[[gnu::always_inline]] inline void ask_for_rows(const Result* c, std::int64_t ldc) noexcept {
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
    _mm_prefetch(reinterpret_cast<const char*>(c + i * ldc) + kEndOfLine, _MM_HINT_T1);
}

// A tile with no B to pack on the way, of packed operands or of an A in place and all columns, and those
// beside and below it. (Of packed operands the second vector may have columns of the first again.)
template <typename Arithmetic, int rows, bool in_place>
void compute_whole(const Tile& tile) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  constexpr std::int64_t kUnitBytes = sizeof(Unit);
  constexpr std::int64_t kColumns = 2 * Arithmetic::kLanes;
  static_assert(kColumns * kUnitBytes == 64 && sizeof(Unit) == sizeof(Result), "as the text has it");

  const std::int64_t row = tile.a_row * kUnitBytes;
  const std::int64_t b_row = tile.b_step * kUnitBytes;
  // From the first vector of a row of C, and of a packed B, to the second one.
  const std::int64_t second = (tile.columns - Arithmetic::kLanes) * std::int64_t{sizeof(Result)};
  const auto depth = static_cast<std::uint64_t>(tile.depth) / Arithmetic::kUnit;
  const auto* asked = static_cast<const std::byte*>(tile.asked);
  std::int64_t apart = 0;
  std::uint64_t asking = 0;
  if (tile.asked_units > 0) {
    asked += kEndOfLine;
    apart = tile.asked_step / Arithmetic::kUnit * kUnitBytes;
    auto units = static_cast<std::uint64_t>(tile.asked_units);
    for (; units % kStepsAtOnce > 0; --units, asked += apart) _mm_prefetch(asked, _MM_HINT_T1);
    asking = units / kStepsAtOnce < depth / kStepsAtOnce ? units / kStepsAtOnce : depth / kStepsAtOnce;
  }

  // Without optimisation each member of the tile would take a register.
  const std::int64_t ldc = tile.ldc;
  const bool accumulate = tile.accumulate;
  const bool stream = tile.stream_c;
  const auto* a_of_strip = static_cast<const std::byte*>(tile.a);
  auto* c_of_strip = static_cast<std::byte*>(tile.c);
  for (std::int64_t strips = tile.below + 1; strips > 0; --strips) {
    const auto* b_of_tile = static_cast<const std::byte*>(tile.b);
    auto* c = reinterpret_cast<Result*>(c_of_strip);
    for (std::int64_t tiles = tile.more + 1; tiles > 0; --tiles) {
      if (tile.prefetch_c && !tile.stream_c) ask_for_rows<rows>(c, tile.ldc);
      const std::byte* a = a_of_strip;
      const std::byte* lower = a + 3 * row;
      const std::byte* b = b_of_tile;
      std::uint64_t loops = depth / kStepsAtOnce - asking;
      std::uint64_t left = depth % kStepsAtOnce;
      if constexpr (std::is_same_v<Unit, float> && in_place) {
        PIBENCH_TILE(PIBENCH_LYING_STEPS, PIBENCH_LYING_LAST, "vbroadcastss", PIBENCH_FMA_FLOAT32,
                     PIBENCH_ADD_FLOAT32);
      } else if constexpr (std::is_same_v<Unit, float>) {
        PIBENCH_TILE(PIBENCH_PACKED_STEPS, PIBENCH_PACKED_LAST, "vbroadcastss", PIBENCH_FMA_FLOAT32,
                     PIBENCH_ADD_FLOAT32);
      } else if constexpr (std::is_same_v<Unit, double> && in_place) {
        PIBENCH_TILE(PIBENCH_LYING_STEPS, PIBENCH_LYING_LAST, "vbroadcastsd", PIBENCH_FMA_FLOAT64,
                     PIBENCH_ADD_FLOAT64);
      } else if constexpr (std::is_same_v<Unit, double>) {
        PIBENCH_TILE(PIBENCH_PACKED_STEPS, PIBENCH_PACKED_LAST, "vbroadcastsd", PIBENCH_FMA_FLOAT64,
                     PIBENCH_ADD_FLOAT64);
      } else {
        static_assert(std::is_same_v<Unit, std::int32_t> && !in_place);
        PIBENCH_TILE(PIBENCH_PACKED_STEPS, PIBENCH_PACKED_LAST, "vpbroadcastd", PIBENCH_FMA_PAIRS,
                     PIBENCH_ADD_PAIRS);
      }
      b_of_tile += tile.b_panel;
      c += kColumns;
    }
    a_of_strip += tile.a_strip;
    c_of_strip += tile.c_strip;
  }
  _mm256_zeroupper();
}

#undef PIBENCH_ROWS
#undef PIBENCH_PACKED
#undef PIBENCH_LYING
#undef PIBENCH_LYING_0
#undef PIBENCH_LYING_1
#undef PIBENCH_LYING_2
#undef PIBENCH_LYING_3
#undef PIBENCH_LYING_4
#undef PIBENCH_LYING_5
#undef PIBENCH_ZERO
#undef PIBENCH_MULTIPLY
#undef PIBENCH_ADD
#undef PIBENCH_WRITE
#undef PIBENCH_NEXT_ROW
#undef PIBENCH_STEP
#undef PIBENCH_ASK
#undef PIBENCH_PACKED_STEPS
#undef PIBENCH_PACKED_LAST
#undef PIBENCH_LYING_STEPS
#undef PIBENCH_LYING_LAST
#undef PIBENCH_LYING_FURTHER
#undef PIBENCH_TILE
#undef PIBENCH_FMA_FLOAT32
#undef PIBENCH_ADD_FLOAT32
#undef PIBENCH_FMA_FLOAT64
#undef PIBENCH_ADD_FLOAT64
#undef PIBENCH_FMA_PAIRS
#undef PIBENCH_ADD_PAIRS

}  // namespace
}  // namespace pibench::kernels
