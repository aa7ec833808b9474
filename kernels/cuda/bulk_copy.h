// A copy by the bulk copy engine alone: one thread of each block gives the orders, from memory to a ring of
// places in shared memory and from there back to memory.
//
// Written over hopper_instructions.h, or a model of it, which has to be included before.
#pragma once

#include <cstdint>

#include "arguments.h"

namespace pibench::kernels::cuda {

// As contract.h's kBulkShared counts it.
inline constexpr std::uint32_t kBulkPlaces = 4, kBulkBytes = 16 * 1024;

PIBENCH_DEVICE void bulk_copy(const MemoryArguments& arguments) {
  if (thread_index() != 0) return;
  const std::uint32_t memory = shared_address(shared_memory());
  const std::uint32_t barriers = memory + kBulkPlaces * kBulkBytes;
  for (std::uint32_t place = 0; place < kBulkPlaces; ++place) barrier_init(barriers + place * 8, 1);
  barrier_init_fence();
  fence_for_engines();
  const std::uint64_t bytes = arguments.elements * 8 / 16 * 16;
  const std::uint64_t parts = (bytes + kBulkBytes - 1) / kBulkBytes;
  // Of this block's parts: the `index`-th.
  const auto part = [&](std::uint64_t index) { return block_index() + index * blocks_of_grid(); };
  const auto length = [&](std::uint64_t at) {
    const std::uint64_t rest = bytes - at * kBulkBytes;
    return static_cast<std::uint32_t>(rest < kBulkBytes ? rest : kBulkBytes);
  };
  const auto load = [&](std::uint64_t index) {
    const std::uint64_t at = part(index);
    if (at >= parts) return;
    const auto place = static_cast<std::uint32_t>(index % kBulkPlaces);
    barrier_expect(barriers + place * 8, length(at));
    load_bytes(memory + place * kBulkBytes,
               reinterpret_cast<const std::uint8_t*>(arguments.a) + at * kBulkBytes, length(at),
               barriers + place * 8);
  };
  for (std::uint64_t index = 0; index < kBulkPlaces - 1; ++index) load(index);
  for (std::uint64_t index = 0; part(index) < parts; ++index) {
    const auto place = static_cast<std::uint32_t>(index % kBulkPlaces);
    barrier_wait(barriers + place * 8, static_cast<std::uint32_t>(index / kBulkPlaces % 2));
    const std::uint64_t at = part(index);
    store_bytes(reinterpret_cast<std::uint8_t*>(arguments.out) + at * kBulkBytes, memory + place * kBulkBytes,
                length(at));
    commit_stores();
    wait_until_read<1>();  // the store before this one has left the place that is filled next
    load(index + kBulkPlaces - 1);
  }
  wait_until_written();
  if (arguments.elements % 2 != 0 && block_index() == 0)
    arguments.out[arguments.elements - 1] = arguments.a[arguments.elements - 1];
}

}  // namespace pibench::kernels::cuda
