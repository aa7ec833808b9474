// The ceiling of Hopper's matrix units: two warpgroups multiply the same operands in shared memory again and
// again.
//
// Written over hopper_instructions.h and wgmma_instructions.h, or a model of them, which has to be included
// before.
#pragma once

#include "peak_loops.h"

namespace pibench::kernels::cuda {

// 64 rows of A for each warpgroup and 256 columns of B, 128 bytes of each along k.
inline constexpr std::uint32_t kPeakBytesA = 2 * 64 * 128, kPeakBytesB = 256 * 128;

template <Element element>
PIBENCH_DEVICE void peak_wgmma(const PeakArguments& arguments) {
  using Sum = std::conditional_t<element == Element::int8, std::int32_t, float>;
  constexpr bool kByRows = bytes_of(element) == 2;
  const std::uint32_t memory = (shared_address(shared_memory()) + 1023) / 1024 * 1024;
  for (std::uint32_t word = thread_index(); word < (kPeakBytesA + kPeakBytesB) / 4;
       word += threads_of_block())
    store_shared_1(memory + word * 4, random_word(element, word));
  fence_for_engines();
  block_barrier();
  const std::uint32_t a = memory + of_whole_warp(thread_index() / 128) * (kPeakBytesA / 2);
  const std::uint32_t b = memory + kPeakBytesA;
  Sum sums[128];
  PIBENCH_UNROLL
  for (Sum& sum : sums) sum = 0;
  for (std::uint32_t round = 0; round < arguments.iterations; ++round) {
    hold(sums);
    wgmma_fence();
    PIBENCH_UNROLL
    for (std::uint32_t part = 0; part < 4; ++part) {
      const std::uint64_t of_b =
          kByRows ? wgmma_descriptor(b + part * 2048, 8192, 1024) : wgmma_descriptor(b + part * 32, 16, 1024);
      multiply_async<element>(sums, wgmma_descriptor(a + part * 32, 16, 1024), of_b, 1);
    }
    wgmma_commit();
    hold(sums);
    wgmma_wait<1>();
  }
  wgmma_wait<0>();
  hold(sums);
  std::uint64_t sum = 0;
  PIBENCH_UNROLL
  for (const Sum one : sums) sum += whole_bits(one);
  report_sum(arguments, sum);
}

}  // namespace pibench::kernels::cuda
