// The kernels of AVX2, of its tiles of each height and width, and the loops for its peak. Everything is in an
// unnamed namespace, as in avx512_tile.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "avx2_packing.h"
#include "avx2_tile.h"
#include "instruction_set.h"
#include "peak_sums.h"

namespace pibench::kernels {
namespace {

// The functions for 1 .. most rows.
template <int most>
struct ByRows {
  ComputeTile functions[most];
};
template <typename Arithmetic, int vectors, bool in_place, int... below>
constexpr ByRows<sizeof...(below)> by_rows(std::integer_sequence<int, below...>) {
  return {{compute_tile<Arithmetic, vectors, below + 1, in_place>...}};
}
template <typename Arithmetic, int vectors, bool in_place>
constexpr auto kByRows = by_rows<Arithmetic, vectors, in_place>(
    std::make_integer_sequence<int, vectors == kWide ? kWideRows : kNarrowRows>{});

static_assert(kWideRows <= kMostLanes && kNarrowRows <= kMostLanes, "a strip can be packed");

// Tiles in place where packing leaves elements as they are.
template <typename A, int vectors, bool in_place>
constexpr MicroKernel kernel_of(DataType type, const Packing* packing) {
  MicroKernel kernel{type,
                     packing,
                     sizeof(typename A::Result),
                     vectors == kWide ? kWideRows : kNarrowRows,
                     vectors * A::kLanes,
                     kByRows<A, vectors, false>.functions};
  if constexpr (in_place) kernel.in_place = kByRows<A, vectors, true>.functions;
  kernel.any_columns = true;
  kernel.beside = true;
  return kernel;
}

template <typename A, bool in_place>
constexpr MicroKernel wide_kernel(const MicroKernel& narrow, const ThinKernel* thin) {
  MicroKernel kernel = kernel_of<A, kWide, in_place>(narrow.type, narrow.packing);
  kernel.narrow = &narrow;
  kernel.thin = thin;
  kernel.most_vectors = kMostVectors;
  if (A::kCopies && in_place) kernel.copies_b = kRowsToCopyFrom;
  kernel.copies_in_place = in_place;
  if (in_place) kernel.rows_of_pairs = kFlatRows;
  return kernel;
}

// Independent chains enough for two units of latency 4 or 5. Each multiply-add adds 1, as 1/2 * 2.
constexpr int kChains = 12;

template <typename Arithmetic>
std::uint64_t peak(typename Arithmetic::Vector half, typename Arithmetic::Vector two,
                   std::uint64_t iterations) noexcept {
  asm volatile("" : "+x"(half), "+x"(two));
  typename Arithmetic::Vector chains[kChains] = {};
  for (std::uint64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& chain : chains) {
      chain = Arithmetic::multiply_add(half, two, chain);
      asm volatile("" : "+x"(chain));
    }
  }
  if (!all_count<typename Arithmetic::Result>(chains, iterations, 1)) return 0;
  return iterations * kChains * Arithmetic::kLanes * 2;
}

}  // namespace
}  // namespace pibench::kernels
