// The functions of kernels/cuda/instructions.h on the model of cuda_model.h, as the PTX ISA defines the
// instructions. To be included before the kernels, in the place of those.
#pragma once

#include "cuda_model_parts.h"

#define PIBENCH_DEVICE inline
#define PIBENCH_UNROLL
#define PIBENCH_UNROLL_8
#define PIBENCH_ROLLED

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
    // Each value is read once, which is most of the work.
    double of_a[16][kDepth];
    double of_b[8][kDepth];
    for (std::uint32_t k = 0; k < kDepth; ++k) {
      const std::uint32_t half = k / (kDepth / 2);
      const std::uint32_t in_half = k % (kDepth / 2);
      for (std::uint32_t row = 0; row < 16; ++row)
        of_a[row][k] = in(of(row % 8 * 4 + in_half / kEach).a[half * 2 + row / 8], in_half % kEach);
      for (std::uint32_t column = 0; column < 8; ++column)
        of_b[column][k] = in(of(column * 4 + in_half / kEach).b[half], in_half % kEach);
    }
    for (std::uint32_t row = 0; row < 16; ++row) {
      for (std::uint32_t column = 0; column < 8; ++column) {
        double sum = 0;
        for (std::uint32_t k = 0; k < kDepth; ++k) sum += of_a[row][k] * of_b[column][k];
        device().count_multiply_adds(kDepth);
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
    constexpr std::uint32_t kDepth = 16;
    for (std::uint32_t row = 0; row < 16; ++row) {
      for (std::uint32_t column = 0; column < 8; ++column) {
        double& to = of(row % 8 * 4 + column / 2).c[row / 8 * 2 + column % 2];
        device().count_multiply_adds(kDepth);
        for (std::uint32_t k = 0; k < kDepth; ++k)
          to += of(row % 8 * 4 + k % 4).a[k / 4 * 2 + row / 8] * of(column * 4 + k % 4).b[k / 4];
      }
    }
  });
}

}  // namespace pibench::kernels::cuda
