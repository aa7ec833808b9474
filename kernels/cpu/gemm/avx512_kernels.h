// The kernels of an AVX-512 instruction set, of its tiles of each height and width. Everything is in an
// unnamed namespace, as in avx512_tile.h.
#pragma once

#include <utility>

#include "avx512_flat_tile.h"
#include "avx512_plain_tile.h"
#include "avx512_tile.h"
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
template <typename Arithmetic, int vectors, int most, bool in_place>
constexpr auto kByRows = by_rows<Arithmetic, vectors, in_place>(std::make_integer_sequence<int, most>{});

template <typename Arithmetic, int... below>
constexpr ByRows<sizeof...(below)> flat_by_rows(std::integer_sequence<int, below...>) {
  return {{compute_flat<Arithmetic, below + 1>...}};
}
template <typename Arithmetic>
constexpr auto kFlatByRows = flat_by_rows<Arithmetic>(std::make_integer_sequence<int, kFlatRows>{});

template <typename Arithmetic, int... below>
constexpr ByRows<sizeof...(below)> plain_by_rows(std::integer_sequence<int, below...>) {
  return {{compute_plain<Arithmetic, below + 1>...}};
}
template <typename Arithmetic>
constexpr auto kPlainByRows = plain_by_rows<Arithmetic>(std::make_integer_sequence<int, kWideRows>{});

// The kernel for up to one vector of columns, and the one for two, which calls on it at the right edge.
template <typename Arithmetic>
constexpr MicroKernel narrow_kernel(DataType type, const Packing* packing) {
  MicroKernel kernel{type,
                     packing,
                     sizeof(typename Arithmetic::Result),
                     kNarrowRows,
                     Arithmetic::kLanes,
                     kByRows<Arithmetic, kNarrow, kNarrowRows, false>.functions};
  if constexpr (Arithmetic::kInPlace)
    kernel.in_place = kByRows<Arithmetic, kNarrow, kNarrowRows, true>.functions;
  kernel.any_columns = true;
  kernel.products = Arithmetic::kUnit;
  return kernel;
}

// The one for up to half a vector, on cores that take half as long for it.
template <typename Arithmetic>
constexpr MicroKernel half_kernel(const MicroKernel& narrow) {
  MicroKernel kernel{narrow.type,        narrow.packing,
                     narrow.result_size, kWideRows,
                     Arithmetic::kLanes, kByRows<Arithmetic, kNarrow, kWideRows, false>.functions};
  if constexpr (Arithmetic::kInPlace)
    kernel.in_place = kByRows<Arithmetic, kNarrow, kWideRows, true>.functions;
  kernel.any_columns = true;
  kernel.products = Arithmetic::kUnit;
  return kernel;
}

constexpr MicroKernel with_half(MicroKernel kernel, const MicroKernel& half) {
  kernel.half = &half;
  return kernel;
}

template <typename Arithmetic>
constexpr MicroKernel wide_kernel(const MicroKernel& narrow, const ThinKernel* thin = nullptr,
                                  int rows_in_place = 0) {
  MicroKernel kernel{narrow.type,
                     narrow.packing,
                     narrow.result_size,
                     kWideRows,
                     kWide * Arithmetic::kLanes,
                     kByRows<Arithmetic, kWide, kWideRows, false>.functions};
  if constexpr (Arithmetic::kReadsFactor)
    kernel.spreading = kByRows<Spreading<Arithmetic>, kWide, kWideRows, false>.functions;
  if constexpr (Arithmetic::kInPlace) kernel.in_place = kByRows<Arithmetic, kWide, kWideRows, true>.functions;
  if constexpr (Arithmetic::kReadsFactor && Arithmetic::kInPlace)
    kernel.spreading_in_place = kByRows<Spreading<Arithmetic>, kWide, kWideRows, true>.functions;
  if constexpr (Arithmetic::kCopies) {
    kernel.flat = kFlatByRows<Arithmetic>.functions;
    kernel.rows_of_pairs = kFlatRows;
    kernel.plain = kPlainByRows<Arithmetic>.functions;
  }
  kernel.any_columns = true;
  kernel.products = Arithmetic::kUnit;
  kernel.narrow = &narrow;
  kernel.thin = thin;
  kernel.most_vectors = kMostVectors;
  kernel.most_of_transposed = kMostOfTransposed;
  kernel.rows_in_place = rows_in_place;
  if (Arithmetic::kCopies) kernel.copies_b = kRowsToCopyFrom;
  return kernel;
}

}  // namespace
}  // namespace pibench::kernels
