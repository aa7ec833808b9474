// The micro-kernels of every AVX-512 instruction set: 14 rows of two vectors of 512 bits, or, where C is
// narrow, 28 rows of one. What one step of the depth does, the template's Arithmetic says.
//
// Everything is in an unnamed namespace: each file that includes this gets code of its own, compiled with its
// own flags.
#pragma once

#include <immintrin.h>

#include <type_traits>

#include "avx512_requests.h"
#include "instruction_set.h"

namespace pibench::kernels {
namespace {

// 28 accumulators, the vectors of B and one element of A: 31 of 32 registers.
constexpr int kWideRows = 14;
constexpr int kNarrowRows = 28;

// Rows of A where they lie are addressed from a few bases, so that the addresses fit into the scalar
// registers. An instruction that multiplies by what it reads itself has to find it at a base: one that also
// adds a register to it is two. So there is a base for every other row.
constexpr int kRowsPerBase = 5;
constexpr int kRowsPerBaseRead = 2;

// Steps of the depth between which the bases stay where they are.
constexpr int kStepsOfBases = 2;

// Lower tiles do not pack the B that they read: they would be as many loops again to compile. So many rows
// before they do the others ask for it.
constexpr int kRowsToCopyFrom = 7;
constexpr std::int64_t kCopyAhead = 16;

// So many steps ahead packed operands are asked for: a strip and a panel of a deep block are more than L1
// holds. (Measured on Zen 5, A of float32 alone, 4096 cubed: 1.01. On a Xeon both, in turns, the more the
// busier the other threads of its core: float32 512 cubed 1.01 to 1.06, 1024 cubed 1.00 to 1.04, float64 512
// cubed 1.07, 1024 cubed 1.04, of which half is A's. Not measured on Zen 4.)
constexpr std::int64_t kAheadOfA = 12;
constexpr std::int64_t kAheadOfB = 8;

// A register of zeros of its own: the compiler would make one and copy it, which takes an execution slot
// each.
template <typename Vector>
inline Vector zeros() noexcept {
  Vector zero;
  asm("vpxord %0, %0, %0" : "=v"(zero));
  return zero;
}

// Keeps the compiler from computing the addresses of all rows before the loop and spilling them.
template <typename T>
inline T* next_row(T* row, std::int64_t ld) noexcept {
  row += ld;
  asm("" : "+r"(row));
  return row;
}

// The lanes of a vector that exist, where so many columns are left.
template <typename Arithmetic>
inline typename Arithmetic::Mask lanes_from(std::int64_t columns) noexcept {
  using Mask = typename Arithmetic::Mask;
  if (columns <= 0) return Mask{0};
  if (columns >= Arithmetic::kLanes) return static_cast<Mask>(~Mask{0});
  return static_cast<Mask>((1U << static_cast<unsigned>(columns)) - 1U);
}

// Arithmetic:
//   Element      of A and B, where they lie
//   Unit         what is read of one lane at a time: one element, or the pair or quadruple of a dot product
//   kUnit        elements of a Unit
//   Result       element of C
//   Vector       accumulators; kLanes of them
//   Mask         which lanes of a vector exist
//   broadcast(const Unit*), load(Mask, const Unit*), multiply_add(a, b, sum)
//   kOwnInstruction  whether multiply_add is written as an instruction
//   kReadsFactor  whether there is multiply_add_from(const Unit*, b, Vector&), which reads and spreads one
//                element of A itself. Every second row goes by it: that is an instruction less for the row,
//                and one load more. (Measured on a Xeon, n = 1024 and 2048, A packed: from nothing to 5 %
//                faster; n = 64 to 256, A in place: from nothing, where the core is ours alone, to 10 %.
//                On Zen 5 an A that is packed is 1 to 3 % slower by it, and one in place up to 7 %, where
//                its rows meet in few sets of L1, or 1 % faster: `spreading` does without.)
//   kAsksForA, kAsksForB  whether wide tiles ask L2 for what they will read of a packed operand
//   kCopies      whether tiles can pack the B that they read
//   broadcast_source(const Unit*)  the same of A where it lies, at any address
//   start(const void* trailer, vector)  what the sums begin with; the trailer is what follows the panel of B
//   read(Mask, const Result*), write(Result*, Mask, Vector), stream(Result*, Vector), add(a, b)
//
// So many elements further on where A lies: its rows may begin in the middle of a unit.
template <typename Arithmetic>
inline const typename Arithmetic::Unit* further(const typename Arithmetic::Unit* from,
                                                std::int64_t elements) noexcept {
  using Element = typename Arithmetic::Element;
  return reinterpret_cast<const typename Arithmetic::Unit*>(reinterpret_cast<const Element*>(from) +
                                                            elements);
}

// The same arithmetic for Zen 5: without multiply_add_from, and asking for less.
template <typename Arithmetic>
struct Spreading : Arithmetic {
  static constexpr bool kReadsFactor = false;
  static constexpr bool kAsksForA = sizeof(typename Arithmetic::Element) == sizeof(float);
  static constexpr bool kAsksForB = false;
};

// A tile of two steps of the depth or more. `whole`: every lane exists, so that no instruction needs a mask.
//
// `rows` is a constant of each caller, into which all of this is put. As a parameter of the template it would
// have the compiler make every function in here for each of the heights.
template <typename Arithmetic, int vectors, bool in_place, bool whole>
[[gnu::always_inline]] inline void compute_steps(const Tile& tile, const int rows) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  using Vector = typename Arithmetic::Vector;
  using Mask = typename Arithmetic::Mask;
  constexpr int kLanes = Arithmetic::kLanes;
  constexpr int kMostRows = vectors == kWide ? kWideRows : kNarrowRows;
  // Each factor of a narrow tile is used once: its rows are too many for bases of their own.
  constexpr bool bases_are_read = Arithmetic::kReadsFactor && vectors == kWide;
  constexpr int rows_per_base = bases_are_read ? kRowsPerBaseRead : kRowsPerBase;
  constexpr int kMostBases = (kMostRows + rows_per_base - 1) / rows_per_base;
  constexpr bool can_copy = Arithmetic::kCopies && !in_place && whole && vectors == kWide;

  const auto* a = static_cast<const Unit*>(tile.a);
  const auto* b = static_cast<const Unit*>(tile.b);
  auto* c = static_cast<Result*>(tile.c);
  [[maybe_unused]] auto* copy = static_cast<Result*>(tile.copy);
  const std::int64_t ldc = tile.ldc;
  const std::int64_t units = tile.depth / Arithmetic::kUnit;
  const std::int64_t a_step = tile.a_step / Arithmetic::kUnit;
  const std::int64_t b_step = tile.b_step / Arithmetic::kUnit;
  const std::int64_t a_row = tile.a_row;
  const int base_count = (rows + rows_per_base - 1) / rows_per_base;
  const Unit* bases[kMostBases];
#pragma GCC unroll 8
  for (int i = 0; i < base_count; ++i) bases[i] = further<Arithmetic>(a, a_row * i * rows_per_base);
  Mask masks[vectors]{};
  if constexpr (!whole) {
    on_vectors<vectors>([&](int j) __attribute__((always_inline)) {
      masks[j] = lanes_from<Arithmetic>(tile.columns - std::int64_t{j} * kLanes);
    });
  }

  Vector sums[kMostRows][vectors];
#pragma GCC unroll 32
  for (int i = 0; i < rows; ++i) {
    on_vectors<vectors>([&](int j) __attribute__((always_inline)) {
      sums[i][j] = Arithmetic::start(b + units * b_step, j);
    });
  }

  const auto load = [&](const Unit* from, int j) __attribute__((always_inline)) {
    if constexpr (whole)
      return Arithmetic::load(from + j * kLanes);
    else
      return Arithmetic::load(masks[j], from + j * kLanes);
  };
  // Element of A of row i, `ahead` units further down the depth.
  const auto element = [&](int i, std::int64_t ahead) __attribute__((always_inline)) {
    if constexpr (in_place)
      return Arithmetic::broadcast_source(
          further<Arithmetic>(bases[i / rows_per_base], (i % rows_per_base) * a_row) + ahead);
    else
      return Arithmetic::broadcast(a + ahead * a_step + i);
  };
  // `copying`: packs the row of B. `on`: so many steps after the bases were moved.
  const auto step = [&](auto copying, auto on) __attribute__((always_inline)) {
    decltype(load(b, 0)) columns[vectors];
    on_vectors<vectors>([&](int j) __attribute__((always_inline)) {
      columns[j] = load(b, j);
      if constexpr (copying.value) {
        _mm_prefetch(reinterpret_cast<const char*>(b + kCopyAhead * b_step + j * kLanes) + kEndOfLine,
                     _MM_HINT_T0);
        Arithmetic::write(copy + j * kLanes, columns[j]);
      }
    });
    if constexpr (copying.value) copy += vectors * kLanes;
    if constexpr (Arithmetic::kAsksForA && !in_place && vectors == kWide) {
      const auto* ahead = reinterpret_cast<const char*>(a + kAheadOfA * a_step);
#pragma GCC unroll 2
      for (int byte = 0; byte < rows * static_cast<int>(sizeof(Unit)); byte += kEndOfLine + 1)
        _mm_prefetch(ahead + byte, _MM_HINT_T0);
    }
    if constexpr (Arithmetic::kAsksForB && !in_place && !copying.value && vectors == kWide) {
      on_vectors<vectors>([&](int j) __attribute__((always_inline)) {
        _mm_prefetch(reinterpret_cast<const char*>(b + kAheadOfB * b_step + j * kLanes), _MM_HINT_T0);
      });
    }
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) {
      if constexpr (in_place && bases_are_read) {
        if (i % rows_per_base == 0) {
          on_vectors<vectors>([&](int j) __attribute__((always_inline)) {
            Arithmetic::multiply_add_from(bases[i / rows_per_base] + on.value, columns[j], sums[i][j]);
          });
          continue;
        }
      } else if constexpr (!in_place && Arithmetic::kReadsFactor) {
        if (i % 2 == 1) {
          on_vectors<vectors>([&](int j) __attribute__((always_inline)) {
            Arithmetic::multiply_add_from(a + i, columns[j], sums[i][j]);
          });
          continue;
        }
      }
      const auto factor = element(i, on.value);
      on_vectors<vectors>([&](int j) __attribute__((always_inline)) {
        sums[i][j] = Arithmetic::multiply_add(factor, columns[j], sums[i][j]);
      });
    }
    if constexpr (!in_place) a += a_step;
    b += b_step;
  };
  const auto move_bases = [&](auto steps) __attribute__((always_inline)) {
#pragma GCC unroll 16
    for (int i = 0; i < base_count; ++i) {
      bases[i] += steps.value;
      if constexpr (steps.value > 1) asm("" : "+r"(bases[i]));
    }
  };
  constexpr std::integral_constant<int, 0> none;
  constexpr std::integral_constant<int, 1> one;
  Requests<Arithmetic, vectors> requests(tile, rows);
  // The last two steps are of another kind.
  std::int64_t left = units - 2;
  // How many steps there are until something is asked for again.
  const auto until_next = [&]() __attribute__((always_inline)) {
    if (requests.done()) return left;
    requests.ask();
    return lesser(left, kStepsPerAsk);
  };
  if constexpr (in_place && whole && vectors == kWide) {
    if (tile.asks_evenly) {
      // The last byte of each line, as Requests asks.
      const auto* asked = static_cast<const char*>(tile.asked) + kEndOfLine;
      const auto ask = [&]() __attribute__((always_inline)) {
        on_vectors<vectors>([&](int j) __attribute__((always_inline)) {
          _mm_prefetch(asked + std::int64_t{j} * (kEndOfLine + 1), _MM_HINT_T1);
        });
        asked += b_step * static_cast<std::int64_t>(sizeof(Unit));
      };
      for (; left > kStepsOfBases; left -= kStepsOfBases) {
        ask();
        step(std::false_type{}, none);
        ask();
        step(std::false_type{}, one);
        move_bases(std::integral_constant<int, kStepsOfBases>{});
      }
    }
  }
  if constexpr (in_place && whole) {
    while (left >= kStepsOfBases) {
      if (!requests.done()) requests.ask();
      const std::int64_t until = requests.done() ? 1 : left - lesser(left, kStepsPerAsk) + 1;
      for (; left > until; left -= kStepsOfBases) {
        step(std::false_type{}, none);
        step(std::false_type{}, one);
        move_bases(std::integral_constant<int, kStepsOfBases>{});
      }
    }
  }
  if constexpr (can_copy) {
    if (rows >= kRowsToCopyFrom && copy != nullptr) {
      while (left > 0) {
        const std::int64_t now = until_next();
        for (std::int64_t p = 0; p < now; ++p) step(std::true_type{}, none);
        left -= now;
      }
      on_vectors<vectors>([&](int j) __attribute__((always_inline)) {
        Arithmetic::write(copy + j * kLanes, load(b, j));
        Arithmetic::write(copy + (vectors + j) * kLanes, load(b + b_step, j));
      });
    }
  }
  while (left > 0) {
    const std::int64_t now = until_next();
    for (std::int64_t p = 0; p < now; ++p) {
      step(std::false_type{}, none);
      if constexpr (in_place) move_bases(one);
    }
    left -= now;
  }

  if constexpr (Arithmetic::kOwnInstruction) {
    // Else the compiler, which does not know the instruction, copies sums there and back in each step.
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) {
      on_vectors<vectors>([&](int j) __attribute__((always_inline)) { asm("" : "+v"(sums[i][j])); });
    }
  }

  while (!requests.done()) requests.ask();

  // Stores vector j of one row, to which C's is added where the tile accumulates.
  const auto finish = [&](auto accumulate, auto stream, int j, Vector sum) __attribute__((always_inline)) {
    Result* at = c + j * kLanes;
    if constexpr (vectors == kWide) {
      if constexpr (stream.value) {
        Arithmetic::stream(at, sum);
        return;
      }
    }
    if constexpr (accumulate.value) {
      if constexpr (whole)
        sum = Arithmetic::add(sum, Arithmetic::read(at));
      else
        sum = Arithmetic::add(sum, Arithmetic::read(masks[j], at));
    }
    if constexpr (whole)
      Arithmetic::write(at, sum);
    else
      Arithmetic::write(at, masks[j], sum);
  };
  // The last two steps row by row, each row's stores behind it: one burst of stores at the end would keep
  // the next tile's multiplications waiting.
  const auto finish_all = [&](auto accumulate, auto stream) __attribute__((always_inline)) {
    // Else the compiler computes the first of them, and addresses of both, ahead of the branch between the
    // ways.
    asm volatile("" : "+r"(a), "+r"(b));
    if constexpr (in_place) {
#pragma GCC unroll 8
      for (int i = 0; i < base_count; ++i) asm volatile("" : "+r"(bases[i]));
    }
    decltype(load(b, 0)) columns[vectors];
    decltype(load(b, 0)) next_columns[vectors];
    on_vectors<vectors>([&](int j) __attribute__((always_inline)) {
      columns[j] = load(b, j);
      next_columns[j] = load(b + b_step, j);
    });
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) {
      const auto factor = element(i, 0);
      const auto next_factor = element(i, 1);
      on_vectors<vectors>([&](int j) __attribute__((always_inline)) {
        const Vector sum = Arithmetic::multiply_add(factor, columns[j], sums[i][j]);
        finish(accumulate, stream, j, Arithmetic::multiply_add(next_factor, next_columns[j], sum));
      });
      c = next_row(c, ldc);
    }
  };
  if (tile.accumulate) {
    finish_all(std::true_type{}, std::false_type{});
    return;
  }
  if constexpr (whole && vectors == kWide) {
    if (tile.stream_c) {
      finish_all(std::false_type{}, std::true_type{});
      return;
    }
  }
  finish_all(std::false_type{}, std::false_type{});
}

// A tile of one step. Its time goes into its stores, so one loop serves all heights.
template <typename Arithmetic, int vectors, bool in_place>
[[gnu::noinline]] void compute_one_step(const Tile& tile, int rows) noexcept {
  using Unit = typename Arithmetic::Unit;
  using Result = typename Arithmetic::Result;
  using Vector = typename Arithmetic::Vector;
  using Mask = typename Arithmetic::Mask;
  constexpr int kLanes = Arithmetic::kLanes;
  const auto* a = static_cast<const Unit*>(tile.a);
  const auto* b = static_cast<const Unit*>(tile.b);
  auto* c = static_cast<Result*>(tile.c);
  const std::int64_t a_row = tile.a_row;
  const std::int64_t ldc = tile.ldc;

  Mask masks[vectors];
  decltype(Arithmetic::load(b)) columns[vectors];
  Vector starts[vectors];
#pragma GCC unroll 2
  for (int j = 0; j < vectors; ++j) {
    masks[j] = lanes_from<Arithmetic>(tile.columns - std::int64_t{j} * kLanes);
    columns[j] = Arithmetic::load(masks[j], b + j * kLanes);
    starts[j] = Arithmetic::start(b + tile.b_step / Arithmetic::kUnit, j);
    if (!tile.prefetch_c) continue;
    for (int i = 0; i < rows; ++i)
      _mm_prefetch(reinterpret_cast<const char*>(c + i * ldc + j * kLanes) + kEndOfLine, _MM_HINT_T1);
  }
  const auto element = [&](int i) __attribute__((always_inline)) {
    if constexpr (in_place)
      return Arithmetic::broadcast_source(further<Arithmetic>(a, i * a_row));
    else
      return Arithmetic::broadcast(a + i);
  };
  const auto each_row = [&](const auto& finish) __attribute__((always_inline)) {
    for (int i = 0; i < rows; ++i) {
      const auto factor = element(i);
#pragma GCC unroll 2
      for (int j = 0; j < vectors; ++j) {
        finish(c + i * ldc + std::int64_t{j} * kLanes, masks[j],
               Arithmetic::multiply_add(factor, columns[j], starts[j]));
      }
    }
  };
  if (tile.columns < std::int64_t{vectors} * kLanes) {
    each_row([&](Result * at, Mask mask, Vector sum) __attribute__((always_inline)) {
      Arithmetic::write(at, mask, tile.accumulate ? Arithmetic::add(sum, Arithmetic::read(mask, at)) : sum);
    });
    return;
  }
  if (tile.accumulate) {
    each_row([](Result * at, Mask, Vector sum) __attribute__((always_inline)) {
      Arithmetic::write(at, Arithmetic::add(sum, Arithmetic::read(at)));
    });
    return;
  }
  if constexpr (vectors == kWide) {
    if (tile.stream_c) {
      each_row([](Result * at, Mask, Vector sum)
                   __attribute__((always_inline)) { Arithmetic::stream(at, sum); });
      return;
    }
  }
  each_row([](Result * at, Mask, Vector sum) __attribute__((always_inline)) { Arithmetic::write(at, sum); });
}

template <typename Arithmetic, int vectors, int rows, bool in_place>
void compute_tile(const Tile& tile) noexcept {
  if (tile.depth <= Arithmetic::kUnit) {
    compute_one_step<Arithmetic, vectors, in_place>(tile, rows);
    return;
  }
  // The narrow kernel always masks: its tiles are seldom whole, and all its rows twice take long to compile.
  if (vectors == kNarrow || tile.columns < vectors * Arithmetic::kLanes) {
    compute_steps<Arithmetic, vectors, in_place, false>(tile, rows);
    return;
  }
  if constexpr (vectors == kWide) compute_steps<Arithmetic, vectors, in_place, true>(tile, rows);
}

}  // namespace
}  // namespace pibench::kernels
