// The instructions of Hopper (compute capability 9.0): barriers in shared memory, clusters, the bulk copy
// engine, and how registers move between warpgroups. wgmma itself is in wgmma_instructions.h. As
// instructions.h, each is one function.
#pragma once

#include "instructions.h"

namespace pibench::kernels::cuda {

// --- Barriers in shared memory (mbarrier) ---

PIBENCH_DEVICE void barrier_init(std::uint32_t barrier, std::uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
// Makes what was initialised known to the cluster and to the copy engine.
PIBENCH_DEVICE void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
// Arrives, and announces so many bytes that copies will bring in this phase.
PIBENCH_DEVICE void barrier_expect(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
// Arrives at the same barrier of another block of the cluster. Nothing that this thread has stored is made
// known there: who waits may overwrite what was read. (With `.release.cluster` nvcc 13 puts a fence of the
// whole device in front, which would stand in each step of a product.)
PIBENCH_DEVICE void barrier_arrive_at(std::uint32_t barrier, std::uint32_t rank) {
  std::uint32_t there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(barrier), "r"(rank));
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
}
// Waits until the phase with this parity has ended.
PIBENCH_DEVICE void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  }
}

// --- Clusters ---

PIBENCH_DEVICE std::uint32_t rank_in_cluster() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
// All threads of all blocks of the cluster, after barrier_init_fence(), which has made known what there is.
PIBENCH_DEVICE void cluster_begin() {
  __syncwarp();
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}
// All threads of all blocks of the cluster; those of a warp together, also where one of them was on its own
// before.
PIBENCH_DEVICE void cluster_barrier() {
  __syncwarp();
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

// --- The bulk copy engine ---

PIBENCH_DEVICE void prefetch_map(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}
// One box of a tensor, whose first element has these coordinates, to shared memory; its bytes arrive at
// `barrier`.
PIBENCH_DEVICE void load_box(std::uint32_t to, const TensorMap& map, std::uint32_t barrier, std::int32_t x,
                             std::int32_t y, std::int32_t z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, "
      "%5}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z)
      : "memory");
}
// The same to the same place in each block of the cluster whose bit is set in `blocks`, and to its barrier
// there.
PIBENCH_DEVICE void load_box_to(std::uint32_t to, const TensorMap& map, std::uint32_t barrier, std::int32_t x,
                                std::int32_t y, std::int32_t z, std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], "
      "[%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z), "h"(blocks)
      : "memory");
}
PIBENCH_DEVICE void store_box(const TensorMap& map, std::uint32_t from, std::int32_t x, std::int32_t y,
                              std::int32_t z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&map),
      "r"(from), "r"(x), "r"(y), "r"(z)
      : "memory");
}
// Plain bytes, a multiple of 16.
PIBENCH_DEVICE void load_bytes(std::uint32_t to, const void* from, std::uint32_t bytes,
                               std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
PIBENCH_DEVICE void store_bytes(void* to, std::uint32_t from, std::uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes)
               : "memory");
}
PIBENCH_DEVICE void commit_stores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// Until at most `pending` of the groups committed last still have to read their shared memory.
template <int pending>
PIBENCH_DEVICE void wait_until_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}
PIBENCH_DEVICE void wait_until_written() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
// Makes this thread's plain stores to shared memory known to the copy engine and to wgmma.
PIBENCH_DEVICE void fence_for_engines() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// --- Registers ---

template <int registers>
PIBENCH_DEVICE void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
PIBENCH_DEVICE void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

// --- The order of wgmma (the products are in wgmma_instructions.h) ---

PIBENCH_DEVICE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
PIBENCH_DEVICE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int pending>
PIBENCH_DEVICE void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

}  // namespace pibench::kernels::cuda
