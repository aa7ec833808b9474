// wgmma, the matrix product of a warpgroup (sm_90a): 64 rows of A by N columns of B, 32 bytes of each along
// k, both in shared memory, to 64 x N results in registers. It is only begun here; wgmma_commit and
// wgmma_wait say when it is over. Of the results each thread has those of rows l / 4 and l / 4 + 8 of its
// warp's 16 rows (l: its lane): registers 4 i and 4 i + 1 of the first and 4 i + 2 and 4 i + 3 of the second,
// in columns 8 i + 2 (l % 4) and the next.
#pragma once

#include "hopper_instructions.h"

namespace pibench::kernels::cuda {

// The lists of registers, which assembly has to spell out; r is the constraint, i the first register.
#define PIBENCH_8(r, i) \
  r(d[i]), r(d[i + 1]), r(d[i + 2]), r(d[i + 3]), r(d[i + 4]), r(d[i + 5]), r(d[i + 6]), r(d[i + 7])
#define PIBENCH_32(r, i) PIBENCH_8(r, i), PIBENCH_8(r, i + 8), PIBENCH_8(r, i + 16), PIBENCH_8(r, i + 24)
#define PIBENCH_64(r) PIBENCH_32(r, 0), PIBENCH_32(r, 32)
#define PIBENCH_128(r) PIBENCH_64(r), PIBENCH_32(r, 64), PIBENCH_32(r, 96)
#define PIBENCH_NAMES_64                                                             \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define PIBENCH_NAMES_128                                                                        \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "             \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define PIBENCH_WGMMA_64(r, instruction, end)                                                               \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %66, 0;\n\twgmma.mma_async.sync.aligned.m64n128" instruction \
               " {" PIBENCH_NAMES_64 "}, %64, %65, p" end "; }"                                             \
               : PIBENCH_64(r)                                                                              \
               : "l"(a), "l"(b), "r"(add))
#define PIBENCH_WGMMA_128(r, instruction, end)                                                               \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %130, 0;\n\twgmma.mma_async.sync.aligned.m64n256" instruction \
               " {" PIBENCH_NAMES_128 "}, %128, %129, p" end "; }"                                           \
               : PIBENCH_128(r)                                                                              \
               : "l"(a), "l"(b), "r"(add))

// d = A B, or where `add` is not 0, d += A B. `a` and `b` are descriptors (arithmetic.h). B's rows lie along
// n for 16-bit elements, along k for all others. Twice as many columns as registers: 64 registers are 128
// columns.
template <Element element>
PIBENCH_DEVICE void multiply_async(float (&d)[64], std::uint64_t a, std::uint64_t b, std::uint32_t add) {
  if constexpr (element == Element::bfloat16) PIBENCH_WGMMA_64("+f", "k16.f32.bf16.bf16", ", 1, 1, 0, 1");
  if constexpr (element == Element::float16) PIBENCH_WGMMA_64("+f", "k16.f32.f16.f16", ", 1, 1, 0, 1");
  if constexpr (element == Element::tf32) PIBENCH_WGMMA_64("+f", "k8.f32.tf32.tf32", ", 1, 1");
  if constexpr (element == Element::float8_e4m3) PIBENCH_WGMMA_64("+f", "k32.f32.e4m3.e4m3", ", 1, 1");
}
template <Element element>
PIBENCH_DEVICE void multiply_async(std::int32_t (&d)[64], std::uint64_t a, std::uint64_t b,
                                   std::uint32_t add) {
  static_assert(element == Element::int8);
  PIBENCH_WGMMA_64("+r", "k32.s32.s8.s8", "");
}
template <Element element>
PIBENCH_DEVICE void multiply_async(float (&d)[128], std::uint64_t a, std::uint64_t b, std::uint32_t add) {
  if constexpr (element == Element::bfloat16) PIBENCH_WGMMA_128("+f", "k16.f32.bf16.bf16", ", 1, 1, 0, 1");
  if constexpr (element == Element::float16) PIBENCH_WGMMA_128("+f", "k16.f32.f16.f16", ", 1, 1, 0, 1");
  if constexpr (element == Element::tf32) PIBENCH_WGMMA_128("+f", "k8.f32.tf32.tf32", ", 1, 1");
  if constexpr (element == Element::float8_e4m3) PIBENCH_WGMMA_128("+f", "k32.f32.e4m3.e4m3", ", 1, 1");
}
template <Element element>
PIBENCH_DEVICE void multiply_async(std::int32_t (&d)[128], std::uint64_t a, std::uint64_t b,
                                   std::uint32_t add) {
  static_assert(element == Element::int8);
  PIBENCH_WGMMA_128("+r", "k32.s32.s8.s8", "");
}

// Says to the compiler that registers change here, so that it moves no use of them across an asynchronous
// product.
template <int count>
PIBENCH_DEVICE void hold(float (&d)[count]) {
  for (int i = 0; i < count; ++i) asm volatile("" : "+f"(d[i])::"memory");
}
template <int count>
PIBENCH_DEVICE void hold(std::int32_t (&d)[count]) {
  for (int i = 0; i < count; ++i) asm volatile("" : "+r"(d[i])::"memory");
}

#undef PIBENCH_WGMMA_128
#undef PIBENCH_WGMMA_64
#undef PIBENCH_NAMES_128
#undef PIBENCH_NAMES_64
#undef PIBENCH_128
#undef PIBENCH_64
#undef PIBENCH_32
#undef PIBENCH_8

}  // namespace pibench::kernels::cuda
