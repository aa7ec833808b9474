// Tiles that read B where it lies although its unit is a pair or a quadruple: the rows of a unit are joined
// in registers, each time they are used. Beside the multiplications that costs little, and where few rows of
// A use B, packing it first took most of the time.
//
// Everything is in an unnamed namespace, as in avx512_tile.h.
#pragma once

#include <utility>

#include "avx512_kernels.h"

namespace pibench::kernels {
namespace {

// The units of two vectors of columns.
struct Joined {
  __m512i first, second;
};

// Arithmetic: see avx512_tile.h, and
//   join(const Element*, row)                 so many rows as a unit has, `row` elements apart, as units
//   join(const Element*, row, rows, columns)  likewise where there are but so many: what lacks is zero
// and start() is given what follows the strip of A, and the row.
template <typename Arithmetic, int rows>
void compute_joining(const Tile& tile) noexcept {
  using Element = typename Arithmetic::Element;
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  using Vector = typename Arithmetic::Vector;
  using Mask = typename Arithmetic::Mask;
  constexpr int kUnit = Arithmetic::kUnit;
  constexpr int kLanes = Arithmetic::kLanes;
  constexpr std::int64_t kColumns = std::int64_t{kWide} * kLanes;
  const auto* a = static_cast<const Unit*>(tile.a);
  const auto* b = static_cast<const Element*>(tile.b);
  auto* c = static_cast<Result*>(tile.c);
  const std::int64_t a_step = tile.a_step / kUnit;
  const std::int64_t row = tile.b_step;
  const std::int64_t columns = tile.columns;
  const std::int64_t units = tile.depth / kUnit;
  const auto rest = static_cast<int>(tile.depth % kUnit);

  Vector sums[rows][kWide];
  const Unit* const trailer = a + (units + (rest > 0 ? 1 : 0)) * a_step;
#pragma GCC unroll 32
  for (int i = 0; i < rows; ++i) {
    on_vectors<kWide>([&](int j)
                          __attribute__((always_inline)) { sums[i][j] = Arithmetic::start(trailer, i); });
  }
  const auto step = [&](const Joined& joined) __attribute__((always_inline)) {
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) {
      const auto factor = Arithmetic::broadcast(a + i);
      sums[i][0] = Arithmetic::multiply_add(factor, joined.first, sums[i][0]);
      sums[i][1] = Arithmetic::multiply_add(factor, joined.second, sums[i][1]);
    }
    a += a_step;
    b += kUnit * row;
  };
  const bool whole = columns == kColumns;
  if (whole && tile.asked != nullptr) {
    // The same rows of the next panel, by the last byte of each.
    const auto* asked = static_cast<const Element*>(tile.asked) + kColumns;
    for (std::int64_t left = units; left > 0; --left) {
#pragma GCC unroll 4
      for (int r = 0; r < kUnit; ++r)
        _mm_prefetch(reinterpret_cast<const char*>(asked + r * row) - 1, _MM_HINT_T1);
      asked += kUnit * row;
      step(Arithmetic::join(b, row));
    }
  } else if (whole) {
    for (std::int64_t left = units; left > 0; --left) step(Arithmetic::join(b, row));
  } else {
    for (std::int64_t left = units; left > 0; --left) step(Arithmetic::join(b, row, kUnit, columns));
  }
  if (rest > 0) step(Arithmetic::join(b, row, rest, columns));

  const auto finish = [&](auto store) __attribute__((always_inline)) {
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) {
      on_vectors<kWide>([&](int j) __attribute__((always_inline)) { store(c + j * kLanes, j, sums[i][j]); });
      c = next_row(c, tile.ldc);
    }
  };
  if (!whole) {
    const Mask masks[kWide] = {lanes_from<Arithmetic>(columns), lanes_from<Arithmetic>(columns - kLanes)};
    finish([&](Result * at, int j, Vector sum) __attribute__((always_inline)) {
      Arithmetic::write(at, masks[j],
                        tile.accumulate ? Arithmetic::add(sum, Arithmetic::read(masks[j], at)) : sum);
    });
  } else if (tile.accumulate) {
    finish([](Result * at, int, Vector sum) __attribute__((always_inline)) {
      Arithmetic::write(at, Arithmetic::add(sum, Arithmetic::read(at)));
    });
  } else {
    finish([](Result * at, int, Vector sum) __attribute__((always_inline)) { Arithmetic::write(at, sum); });
  }
}

template <typename Arithmetic, int... below>
constexpr ByRows<sizeof...(below)> joining_by_rows(std::integer_sequence<int, below...>) {
  return {{compute_joining<Arithmetic, below + 1>...}};
}
template <typename Arithmetic>
constexpr auto kJoining = joining_by_rows<Arithmetic>(std::make_integer_sequence<int, kWideRows>{});

template <typename Arithmetic>
constexpr MicroKernel joining_kernel(DataType type, const Packing* packing) {
  MicroKernel kernel{type,
                     packing,
                     sizeof(typename Arithmetic::Result),
                     kWideRows,
                     kWide * Arithmetic::kLanes,
                     kJoining<Arithmetic>.functions};
  kernel.any_columns = true;
  kernel.products = Arithmetic::kUnit;
  kernel.joins_b = true;
  return kernel;
}

constexpr MicroKernel with_joining(MicroKernel kernel, const MicroKernel& joining) {
  kernel.joining = &joining;
  return kernel;
}

}  // namespace
}  // namespace pibench::kernels
