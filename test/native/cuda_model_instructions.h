// The functions of kernels/cuda/instructions.h, hopper_instructions.h and wgmma_instructions.h on the model
// of cuda_model.h, as the PTX ISA defines the instructions. To be included before the kernels, in the place
// of those.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "../../kernels/cuda/arithmetic.h"
#include "cuda_model.h"

#define PIBENCH_DEVICE inline
#define PIBENCH_UNROLL
#define PIBENCH_UNROLL_8

namespace pibench::model {

// What a TensorMap points to here.
struct Tensor {
  std::byte* data;
  std::int64_t extent[3];      // innermost first, in elements
  std::uint32_t inner, outer;  // of the box
  std::uint32_t bytes;         // of an element
};

inline Tensor* tensor_of(const kernels::cuda::TensorMap& map) {
  return std::bit_cast<Tensor*>(static_cast<std::uintptr_t>(map.opaque[0]));
}

// Calls `move(place in shared memory, bytes of the tensor or null)` for each element of a box.
inline void over_box(const Tensor& tensor, std::uint32_t address, std::int32_t x, std::int32_t y,
                     std::int32_t z, const auto& move) {
  if (tensor.inner * tensor.bytes != 128 || address % 1024 != 0)
    throw Failure("a box is not of 128 bytes a row, or not on a multiple of 1 KiB");
  for (std::uint32_t row = 0; row < tensor.outer; ++row) {
    for (std::uint32_t i = 0; i < tensor.inner; ++i) {
      const std::int64_t column = std::int64_t{x} + i;
      const std::int64_t line = std::int64_t{y} + row;
      const bool inside = column >= 0 && line >= 0 && z >= 0 && column < tensor.extent[0] &&
                          line < tensor.extent[1] && z < tensor.extent[2];
      const std::int64_t element = (z * tensor.extent[1] + line) * tensor.extent[0] + column;
      move(address + kernels::cuda::swizzle_128(row * 128 + i * tensor.bytes),
           inside ? tensor.data + element * tensor.bytes : nullptr);
    }
  }
}

// Values as numbers, from their bits.
inline double number_in(kernels::cuda::Element element, const std::byte* place) {
  using kernels::cuda::Element;
  const auto small = [](std::uint32_t bits, int exponent, int fraction) {
    const int bias = (1 << (exponent - 1)) - 1;
    const auto power = static_cast<int>(bits >> fraction & ((1U << exponent) - 1));
    const double part = std::ldexp(bits & ((1U << fraction) - 1), -fraction);
    const double size = power == 0 ? std::ldexp(part, 1 - bias) : std::ldexp(1 + part, power - bias);
    return (bits >> (exponent + fraction) & 1) != 0 ? -size : size;
  };
  std::uint32_t bits = 0;
  std::memcpy(&bits, place, std::min<std::size_t>(4, kernels::cuda::bytes_of(element)));
  switch (element) {
    case Element::bfloat16:
      return std::bit_cast<float>(bits << 16);
    case Element::float16:
      return small(bits, 5, 10);
    case Element::float8_e4m3:
      return small(bits, 4, 3);
    case Element::tf32:
      return std::bit_cast<float>(bits & ~0x1fffU);
    case Element::int8:
      return static_cast<std::int8_t>(bits);
    case Element::int32:
      return static_cast<std::int32_t>(bits);
    case Element::float64: {
      double value = 0;
      std::memcpy(&value, place, 8);
      return value;
    }
    default:
      return std::bit_cast<float>(bits);
  }
}

// All lanes of a warp give something and wait until the last has come, who computes from what all gave.
template <typename Given, typename Compute>
void with_warp(const Given& given, const Compute& compute) {
  Thread& self = device().self();
  Warp& warp = *self.warp;
  warp.given[self.index % 32] = &given;
  const std::uint32_t round = warp.round;
  const std::uint32_t all = std::min<std::uint32_t>(32, device().block_threads());
  if (++warp.here == all) {
    compute([&](std::uint32_t lane) -> const Given& { return *static_cast<const Given*>(warp.given[lane]); },
            all);
    warp.here = 0;
    ++warp.round;
    return;
  }
  device().wait([&warp, round] { return warp.round != round; });
}

inline void meet(Meeting& meeting, std::uint32_t all) {
  const std::uint32_t round = meeting.round;
  if (++meeting.here == all) {
    meeting.here = 0;
    ++meeting.round;
    return;
  }
  device().wait([&meeting, round] { return meeting.round != round; });
}

// Runs the groups but the last `pending`.
inline void finish(std::deque<std::vector<Work>>& groups, std::size_t pending) {
  while (groups.size() > pending) {
    for (const Work& work : groups.front()) work();
    groups.pop_front();
  }
}

inline void commit(std::vector<Work>& begun, std::deque<std::vector<Work>>& groups) {
  groups.push_back(std::move(begun));
  begun.clear();
}

inline void check_clean(std::uint32_t first, std::uint32_t count) {
  for (const Thread& thread : device().threads()) {
    if (thread.block == device().self().block && thread.index >= first && thread.index < first + count &&
        thread.dirty)
      throw Failure("an engine may read what thread " + std::to_string(thread.index) +
                    " wrote without a fence");
  }
}

}  // namespace pibench::model

namespace pibench::kernels::cuda {

using model::device;

inline std::uint32_t thread_index() { return device().self().index; }
inline std::uint32_t threads_of_block() { return device().block_threads(); }
inline std::uint32_t block_index() { return device().self().block->index; }
inline std::uint32_t blocks_of_grid() { return device().grid(); }
inline std::byte* shared_memory() { return device().self().block->shared.data(); }
inline std::uint32_t shared_address(const void* place) {
  return model::kWindow + static_cast<std::uint32_t>(static_cast<const std::byte*>(place) - shared_memory());
}
inline void named_barrier(std::uint32_t barrier, std::uint32_t threads) {
  model::meet(device().self().block->meetings[barrier], threads);
}
inline void block_barrier() { named_barrier(0, threads_of_block()); }
inline std::uint32_t of_whole_warp(std::uint32_t value) { return value; }
inline std::uint64_t sum_of_warp(std::uint64_t value) {
  struct Given {
    std::uint64_t value;
    std::uint64_t* sum;
  };
  std::uint64_t total = 0;
  model::with_warp(Given{value, &total}, [](const auto& of, std::uint32_t lanes) {
    std::uint64_t sum = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) sum += of(lane).value;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) *of(lane).sum = sum;
  });
  return total;
}

struct alignas(16) Words {
  std::uint32_t word[4];
};
inline Words load_streaming(const Words* from) { return *from; }
inline void store_streaming(Words* to, const Words& words) { *to = words; }
inline void add_atomically(std::uint64_t* to, std::uint64_t value) { *to += value; }
inline void lower_atomically(std::uint64_t* to, std::uint64_t value) { *to = std::min(*to, value); }
// A model has no host beside it: its gate is always open.
inline std::uint32_t load_from_host(const std::uint32_t*) { return 1; }
inline void store_to_host(std::uint32_t* to, std::uint32_t value) { *to = value; }
inline std::uint64_t nanoseconds() { return 0; }
inline std::uint32_t two_bfloat16(float low, float high) {
  return bfloat16_bits(low) | bfloat16_bits(high) << 16;
}
inline std::uint32_t two_float16(float low, float high) {
  return float16_bits(low) | float16_bits(high) << 16;
}

// --- cp.async ---

inline void copy_async(std::uint32_t to, const void* from, std::uint32_t bytes, std::uint32_t valid) {
  std::byte* place = device().self().block->at(to, bytes);
  if (to % bytes != 0 || std::bit_cast<std::uintptr_t>(from) % bytes != 0)
    throw model::Failure("a copy is not aligned to its size");
  std::memset(place, model::kSpoilt, bytes);
  device().self().copies.emplace_back([place, from, bytes, valid] {
    std::memset(place, 0, bytes);
    std::memcpy(place, from, valid);
  });
}
inline void copy_16_async(std::uint32_t to, const void* from, std::uint32_t valid) {
  copy_async(to, from, 16, valid);
}
inline void copy_4_async(std::uint32_t to, const void* from, std::uint32_t valid) {
  copy_async(to, from, 4, valid);
}
inline void commit_copies() { model::commit(device().self().copies, device().self().copied); }
template <int pending>
void wait_for_copies() {
  model::finish(device().self().copied, pending);
}
template <typename T>
void store_shared_bytes(std::uint32_t to, const T& value) {
  if (to % sizeof(T) != 0) throw model::Failure("a store is not aligned to its size");
  std::memcpy(device().self().block->at(to, sizeof(T)), &value, sizeof(T));
  device().self().dirty = true;
}
inline void store_shared(std::uint32_t to, const Words& words) { store_shared_bytes(to, words); }
inline void store_shared_2(std::uint32_t to, std::uint32_t first, std::uint32_t second) {
  if (to % 8 != 0) throw model::Failure("a store is not aligned to its size");
  store_shared_bytes(to, first);
  store_shared_bytes(to + 4, second);
}
inline void store_shared_2(std::uint32_t to, float first, float second) {
  store_shared_2(to, std::bit_cast<std::uint32_t>(first), std::bit_cast<std::uint32_t>(second));
}
inline void store_shared_1(std::uint32_t to, std::uint32_t word) { store_shared_bytes(to, word); }
inline double load_shared_double(std::uint32_t from) {
  double value = 0;
  std::memcpy(&value, device().self().block->at(from, 8), 8);
  return value;
}

// --- A warp's matrices ---

template <bool turned>
void load_matrices_of(std::uint32_t (&words)[4], std::uint32_t row) {
  struct Given {
    std::uint32_t row;
    std::uint32_t* words;
  };
  model::Block& block = *device().self().block;
  model::with_warp(Given{row, words}, [&block](const auto& of, std::uint32_t) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      for (std::uint32_t matrix = 0; matrix < 4; ++matrix) {
        std::uint16_t halves[2];
        for (std::uint32_t i = 0; i < 2; ++i) {
          // Element (l / 4, 2 (l % 4) + i), or of the turned matrix.
          const std::uint32_t line = turned ? lane % 4 * 2 + i : lane / 4;
          const std::uint32_t column = turned ? lane / 4 : lane % 4 * 2 + i;
          std::memcpy(&halves[i], block.at(of(matrix * 8 + line).row, 16) + std::size_t{column} * 2, 2);
        }
        of(lane).words[matrix] = halves[0] | static_cast<std::uint32_t>(halves[1]) << 16;
      }
    }
  });
}
inline void load_matrices(std::uint32_t (&words)[4], std::uint32_t row) {
  load_matrices_of<false>(words, row);
}
inline void load_matrices_turned(std::uint32_t (&words)[4], std::uint32_t row) {
  load_matrices_of<true>(words, row);
}

template <Element element, typename Sum>
void multiply_add(Sum (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  struct Given {
    const std::uint32_t* a;
    std::uint32_t b[2];
    Sum* c;
  };
  model::with_warp(Given{a, {b0, b1}, c}, [](const auto& of, std::uint32_t) {
    constexpr std::uint32_t kDepth = 32 / bytes_of(element);
    constexpr std::uint32_t kEach = 4 / bytes_of(element);  // elements in a register
    const auto in = [](const std::uint32_t& word, std::uint32_t i) {
      return model::number_in(element,
                              reinterpret_cast<const std::byte*>(&word) + std::size_t{i} * bytes_of(element));
    };
    for (std::uint32_t row = 0; row < 16; ++row) {
      for (std::uint32_t column = 0; column < 8; ++column) {
        double sum = 0;
        for (std::uint32_t k = 0; k < kDepth; ++k) {
          const std::uint32_t half = k / (kDepth / 2);
          const std::uint32_t in_half = k % (kDepth / 2);
          const auto& lane_a = of(row % 8 * 4 + in_half / kEach);
          const auto& lane_b = of(column * 4 + in_half / kEach);
          sum += in(lane_a.a[half * 2 + row / 8], in_half % kEach) * in(lane_b.b[half], in_half % kEach);
        }
        Sum& to = of(row % 8 * 4 + column / 2).c[row / 8 * 2 + column % 2];
        to = static_cast<Sum>(to + sum);
      }
    }
  });
}
inline void multiply_add_double(double (&c)[4], const double (&a)[8], const double (&b)[4]) {
  struct Given {
    const double *a, *b;
    double* c;
  };
  model::with_warp(Given{a, b, c}, [](const auto& of, std::uint32_t) {
    for (std::uint32_t row = 0; row < 16; ++row) {
      for (std::uint32_t column = 0; column < 8; ++column) {
        double& to = of(row % 8 * 4 + column / 2).c[row / 8 * 2 + column % 2];
        for (std::uint32_t k = 0; k < 16; ++k)
          to += of(row % 8 * 4 + k % 4).a[k / 4 * 2 + row / 8] * of(column * 4 + k % 4).b[k / 4];
      }
    }
  });
}

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
inline void barrier_wait_cluster(std::uint32_t barrier, std::uint32_t parity) {
  barrier_wait(barrier, parity);
}
inline std::uint32_t rank_in_cluster() { return device().self().block->rank; }
inline void cluster_barrier() {
  model::meet(device().blocks().front().meetings[99],
              static_cast<std::uint32_t>(device().blocks().size()) * threads_of_block());
}
inline void prefetch_map(const TensorMap&) {}
inline void load_box_to(std::uint32_t to, const TensorMap& map, std::uint32_t barrier, std::int32_t x,
                        std::int32_t y, std::int32_t z, std::uint16_t blocks) {
  const model::Tensor* tensor = model::tensor_of(map);
  for (model::Block& block : device().blocks()) {
    if ((blocks >> block.rank & 1) == 0) continue;
    model::over_box(*tensor, to, x, y, z, [&](std::uint32_t place, const std::byte*) {
      std::memset(block.at(place, tensor->bytes), model::kSpoilt, tensor->bytes);
    });
    device().later([=, &block] {
      model::over_box(*tensor, to, x, y, z, [&](std::uint32_t place, const std::byte* from) {
        std::byte* at = block.at(place, tensor->bytes);
        if (from != nullptr)
          std::memcpy(at, from, tensor->bytes);
        else
          std::memset(at, 0, tensor->bytes);
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
    model::over_box(*tensor, from, x, y, z, [&](std::uint32_t place, std::byte* to) {
      if (to != nullptr) std::memcpy(to, block.at(place, tensor->bytes), tensor->bytes);
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
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t row = thread / 32 * 16 + half * 8 + thread % 32 / 4;
      std::array<double, kDepth> of_a{};
      for (std::uint32_t k = 0; k < kDepth; ++k)
        of_a[k] = value(part(a, 0) + row / 8 * part(a, 32) + row % 8 * 128 + k * bytes_of(element));
      for (std::uint32_t i = 0; i < count / 2; ++i) {
        const std::uint32_t column = i / 2 * 8 + thread % 4 * 2 + i % 2;
        double sum = 0;
        for (std::uint32_t k = 0; k < kDepth; ++k) {
          const std::uint32_t linear =
              kByRows ? part(b, 0) + column / 64 * part(b, 16) + k / 8 * part(b, 32) + k % 8 * 128 +
                            column % 64 * 2
                      : part(b, 0) + column / 8 * part(b, 32) + column % 8 * 128 + k * bytes_of(element);
          sum += of_a[k] * value(linear);
        }
        Sum& to = d[i / 2 * 4 + half * 2 + i % 2];
        to = static_cast<Sum>((add != 0 ? to : Sum{0}) + sum);
      }
    }
  });
}

}  // namespace pibench::kernels::cuda
