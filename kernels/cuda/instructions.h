// The instructions of the device that C++ has no words for, each as one function. The kernels are written
// over these alone, so that test/native/cuda_*_check.cc run the same kernels on a model of them, on
// any machine. Addresses of shared memory are the 32-bit ones of its own window. For what each does see the
// PTX ISA under its name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arguments.h"
#include "types.h"

#define PIBENCH_DEVICE __device__ __forceinline__
#define PIBENCH_UNROLL _Pragma("unroll")
#define PIBENCH_UNROLL_8 _Pragma("unroll 8")
#define PIBENCH_ROLLED _Pragma("unroll 1")

namespace pibench::kernels::cuda {

// --- Who and where ---

PIBENCH_DEVICE std::uint32_t thread_index() { return threadIdx.x; }
PIBENCH_DEVICE std::uint32_t threads_of_block() { return blockDim.x; }
PIBENCH_DEVICE std::uint32_t block_index() { return blockIdx.x; }
PIBENCH_DEVICE std::uint32_t blocks_of_grid() { return gridDim.x; }

// The dynamic shared memory. Copies into it are of 16 bytes, and of whole lines.
PIBENCH_DEVICE std::byte* shared_memory() {
  extern __shared__ __align__(128) std::byte memory[];
  return memory;
}
PIBENCH_DEVICE std::uint32_t shared_address(const void* place) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(place));
}
PIBENCH_DEVICE void block_barrier() { __syncthreads(); }
// Among `threads` threads that name the same barrier; 0 is that of the whole block.
PIBENCH_DEVICE void named_barrier(std::uint32_t barrier, std::uint32_t threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
// One value for the whole warp, which the compiler then knows to be one.
PIBENCH_DEVICE std::uint32_t of_whole_warp(std::uint32_t value) { return __shfl_sync(0xffffffff, value, 0); }
PIBENCH_DEVICE std::uint64_t sum_of_warp(std::uint64_t value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffff, value, distance);
  return value;
}

// --- Plain memory ---

struct alignas(16) Words {
  std::uint32_t word[4];
};

PIBENCH_DEVICE Words load_streaming(const Words* from) {
  const uint4 words = __ldcs(reinterpret_cast<const uint4*>(from));
  return {words.x, words.y, words.z, words.w};
}
PIBENCH_DEVICE void store_streaming(Words* to, const Words& words) {
  __stcs(reinterpret_cast<uint4*>(to),
         make_uint4(words.word[0], words.word[1], words.word[2], words.word[3]));
}
PIBENCH_DEVICE void add_atomically(std::uint64_t* to, std::uint64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
}
PIBENCH_DEVICE void lower_atomically(std::uint64_t* to, std::uint64_t value) {
  atomicMin(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
}
PIBENCH_DEVICE std::uint32_t load_from_host(const std::uint32_t* from) {
  std::uint32_t value;
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
PIBENCH_DEVICE void store_to_host(std::uint32_t* to, std::uint32_t value) {
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
PIBENCH_DEVICE std::uint64_t nanoseconds() {
  std::uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

// --- Conversions of two results to one word ---

PIBENCH_DEVICE std::uint32_t two_bfloat16(float low, float high) {
  std::uint32_t both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}
PIBENCH_DEVICE std::uint32_t two_float16(float low, float high) {
  std::uint32_t both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

// --- Copies to shared memory that nobody waits for (cp.async) ---

// 16 bytes, of which `valid` (0 or 16) are read and the rest become zero.
PIBENCH_DEVICE void copy_16_async(std::uint32_t to, const void* from, std::uint32_t valid) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(valid)
               : "memory");
}
PIBENCH_DEVICE void copy_4_async(std::uint32_t to, const void* from, std::uint32_t valid) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(valid) : "memory");
}
PIBENCH_DEVICE void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Until at most `pending` of the groups committed last are under way.
template <int pending>
PIBENCH_DEVICE void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}
PIBENCH_DEVICE void store_shared(std::uint32_t to, const Words& words) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(words.word[0]), "r"(words.word[1]),
               "r"(words.word[2]), "r"(words.word[3])
               : "memory");
}
PIBENCH_DEVICE void store_shared_2(std::uint32_t to, std::uint32_t first, std::uint32_t second) {
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(to), "r"(first), "r"(second) : "memory");
}
// Of its own for float32, so that sums stay what they are up to here: as bits they would be moved about.
PIBENCH_DEVICE void store_shared_2(std::uint32_t to, float first, float second) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to), "f"(first), "f"(second) : "memory");
}
PIBENCH_DEVICE void store_shared_1(std::uint32_t to, std::uint32_t word) {
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
}
PIBENCH_DEVICE double load_shared_double(std::uint32_t from) {
  double value;
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(from));
  return value;
}

// --- Matrices of a warp ---

// Four matrices of 8 rows of 16 bytes; lane l names row l % 8 of matrix l / 8.
PIBENCH_DEVICE void load_matrices(std::uint32_t (&words)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(row));
}
// The same, turned: elements of 16 bits.
PIBENCH_DEVICE void load_matrices_turned(std::uint32_t (&words)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(row));
}

// Adds the product of 16 rows of A and 8 columns of B, 32 bytes of each along k.
template <Element element>
PIBENCH_DEVICE void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                 std::uint32_t b1) {
#define PIBENCH_MMA(shape, types)                                    \
  asm volatile("mma.sync.aligned." shape ".row.col.f32." types       \
               ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, " \
               "{%0, %1, %2, %3};"                                   \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])      \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))
  if constexpr (element == Element::bfloat16) PIBENCH_MMA("m16n8k16", "bf16.bf16");
  if constexpr (element == Element::float16) PIBENCH_MMA("m16n8k16", "f16.f16");
  if constexpr (element == Element::tf32) PIBENCH_MMA("m16n8k8", "tf32.tf32");
  if constexpr (element == Element::float8_e4m3) PIBENCH_MMA("m16n8k32", "e4m3.e4m3");
#undef PIBENCH_MMA
}
template <Element element>
PIBENCH_DEVICE void multiply_add(std::int32_t (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                 std::uint32_t b1) {
  static_assert(element == Element::int8);
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
// float64, 16 x 8 x 16. a[i] is of row l / 4 + 8 (i % 2), column l % 4 + 4 (i / 2); b[i] of row l % 4 + 4 i,
// column l / 4.
PIBENCH_DEVICE void multiply_add_double(double (&c)[4], const double (&a)[8], const double (&b)[4]) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),
        "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
  for (int i = 0; i < 8; ++i) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c[i % 2 * 2]), "+d"(c[i % 2 * 2 + 1])
                 : "d"(a[i]), "d"(b[i / 2]));
  }
#endif
}

}  // namespace pibench::kernels::cuda
