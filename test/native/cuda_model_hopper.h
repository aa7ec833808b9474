// The functions of kernels/cuda/hopper_instructions.h and wgmma_instructions.h on the model of cuda_model.h,
// as the PTX ISA defines the instructions. To be included before the kernels, in the place of those.
#pragma once

#include <array>

#include "cuda_model_instructions.h"

namespace pibench::kernels::cuda {

// --- Hopper ---

inline void barrier_init(std::uint32_t barrier, std::uint32_t arrivals) {
  (void)device().self().block->at(barrier, 8);
  device().self().block->barriers[barrier] = {.arrivals = arrivals, .missing = arrivals};
}
inline void barrier_init_fence() {}
inline void barrier_expect(std::uint32_t barrier, std::uint32_t bytes) {
  model::PhaseBarrier& phase = device().self().block->barrier(barrier);
  if (phase.missing == 0) throw model::Failure("more have arrived at a barrier than were said to");
  phase.bytes += bytes;
  --phase.missing;
  phase.settle();
}
inline void barrier_arrive_at(std::uint32_t barrier, std::uint32_t rank) {
  model::PhaseBarrier& phase = device().blocks().at(rank).barrier(barrier);
  if (phase.missing == 0) throw model::Failure("more have arrived at a barrier than were said to");
  --phase.missing;
  phase.settle();
}
inline void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  const model::PhaseBarrier& phase = device().self().block->barrier(barrier);
  device().wait([&phase, parity] { return (phase.phase & 1) != parity; });
}
inline std::uint32_t rank_in_cluster() { return device().self().block->rank; }
inline void cluster_barrier() {
  model::meet(device().blocks().front().meetings[99],
              static_cast<std::uint32_t>(device().blocks().size()) * threads_of_block());
}
inline void cluster_begin() { cluster_barrier(); }
inline void prefetch_map(const TensorMap&) {}
inline void load_box_to(std::uint32_t to, const TensorMap& map, std::uint32_t barrier, std::int32_t x,
                        std::int32_t y, std::int32_t z, std::uint16_t blocks) {
  const model::Tensor* tensor = model::tensor_of(map);
  for (model::Block& block : device().blocks()) {
    if ((blocks >> block.rank & 1) == 0) continue;
    model::over_box(*tensor, to, x, y, z, [&](std::uint32_t place, const std::byte*, std::uint32_t bytes) {
      std::memset(block.at(place, bytes), model::kSpoilt, bytes);
    });
    device().later([=, &block] {
      model::over_box(*tensor, to, x, y, z,
                      [&](std::uint32_t place, const std::byte* from, std::uint32_t bytes) {
                        std::byte* at = block.at(place, bytes);
                        if (from != nullptr)
                          std::memcpy(at, from, bytes);
                        else
                          std::memset(at, 0, bytes);
                      });
      model::PhaseBarrier& phase = block.barrier(barrier);
      phase.bytes -= std::int64_t{tensor->outer} * 128;
      phase.settle();
    });
  }
}
inline void load_box(std::uint32_t to, const TensorMap& map, std::uint32_t barrier, std::int32_t x,
                     std::int32_t y, std::int32_t z) {
  load_box_to(to, map, barrier, x, y, z, static_cast<std::uint16_t>(1U << rank_in_cluster()));
}
inline void store_box(const TensorMap& map, std::uint32_t from, std::int32_t x, std::int32_t y,
                      std::int32_t z) {
  model::check_clean(thread_index() / 128 * 128, 128);
  model::Block& block = *device().self().block;
  const model::Tensor* tensor = model::tensor_of(map);
  device().self().stores.emplace_back([=, &block] {
    model::over_box(*tensor, from, x, y, z, [&](std::uint32_t place, std::byte* to, std::uint32_t bytes) {
      if (to != nullptr) std::memcpy(to, block.at(place, bytes), bytes);
    });
  });
}
inline void load_bytes(std::uint32_t to, const void* from, std::uint32_t bytes, std::uint32_t barrier) {
  model::Block& block = *device().self().block;
  std::byte* place = block.at(to, bytes);
  if (bytes % 16 != 0 || to % 16 != 0 || std::bit_cast<std::uintptr_t>(from) % 16 != 0)
    throw model::Failure("a bulk copy is not of whole 16 bytes");
  std::memset(place, model::kSpoilt, bytes);
  device().later([=, &block] {
    std::memcpy(place, from, bytes);
    model::PhaseBarrier& phase = block.barrier(barrier);
    phase.bytes -= bytes;
    phase.settle();
  });
}
inline void store_bytes(void* to, std::uint32_t from, std::uint32_t bytes) {
  const std::byte* place = device().self().block->at(from, bytes);
  device().self().stores.emplace_back([=] { std::memcpy(to, place, bytes); });
}
inline void commit_stores() { model::commit(device().self().stores, device().self().stored); }
template <int pending>
void wait_until_read() {
  model::finish(device().self().stored, pending);
}
inline void wait_until_written() { model::finish(device().self().stored, 0); }
inline void fence_for_engines() { device().self().dirty = false; }
template <int registers>
void give_registers() {}
template <int registers>
void take_registers() {}

// --- wgmma ---

inline void wgmma_fence() {}
inline void wgmma_commit() { model::commit(device().self().products, device().self().multiplied); }
template <int pending>
void wgmma_wait() {
  model::finish(device().self().multiplied, pending);
}
template <typename Sum, std::size_t count>
void hold(Sum (&)[count]) {}

// This lane's part of the product, which it computes when it is waited for.
template <Element element, typename Sum, std::size_t count>
void multiply_async(Sum (&d)[count], std::uint64_t a, std::uint64_t b, std::uint32_t add) {
  model::check_clean(0, threads_of_block());
  model::Block& block = *device().self().block;
  const std::uint32_t thread = thread_index() % 128;
  device().self().products.emplace_back([=, &block, &d] {
    constexpr bool kByRows = bytes_of(element) == 2;
    constexpr std::uint32_t kDepth = 32 / bytes_of(element);
    const auto part = [](std::uint64_t descriptor, int bit) {
      return static_cast<std::uint32_t>(descriptor >> bit & 0x3fff) << 4;
    };
    if (a >> 62 != 1 || b >> 62 != 1) throw model::Failure("a descriptor names another swizzle");
    const auto value = [&](std::uint32_t linear) {
      return model::number_in(element, block.at(swizzle_128(linear), bytes_of(element)));
    };
    // Two rows of A, and a column of B after the other: each value is read once, which is most of the work.
    std::array<std::array<double, kDepth>, 2> of_a{};
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t row = thread / 32 * 16 + half * 8 + thread % 32 / 4;
      for (std::uint32_t k = 0; k < kDepth; ++k)
        of_a[half][k] = value(part(a, 0) + row / 8 * part(a, 32) + row % 8 * 128 + k * bytes_of(element));
    }
    for (std::uint32_t i = 0; i < count / 2; ++i) {
      const std::uint32_t column = i / 2 * 8 + thread % 4 * 2 + i % 2;
      double sums[2] = {};
      for (std::uint32_t k = 0; k < kDepth; ++k) {
        const std::uint32_t linear =
            kByRows
                ? part(b, 0) + column / 64 * part(b, 16) + k / 8 * part(b, 32) + k % 8 * 128 + column % 64 * 2
                : part(b, 0) + column / 8 * part(b, 32) + column % 8 * 128 + k * bytes_of(element);
        const double of_b = value(linear);
        sums[0] += of_a[0][k] * of_b;
        sums[1] += of_a[1][k] * of_b;
      }
      for (std::uint32_t half = 0; half < 2; ++half) {
        Sum& to = d[i / 2 * 4 + half * 2 + i % 2];
        to = static_cast<Sum>((add != 0 ? to : Sum{0}) + sums[half]);
        device().count_multiply_adds(kDepth);
      }
    }
  });
}

}  // namespace pibench::kernels::cuda
