// Random products of any shape, by any kernel and strategy, against the definition of the product.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "../../kernels/cpu/gemm/dispatch.h"
#include "../../kernels/cpu/gemm/gemm.h"
#include "../../kernels/cpu/gemm/instruction_set.h"
#include "../../kernels/cpu/gemm/loop_nest.h"
#include "../../kernels/cpu/gemm/swapped.h"
#include "../../kernels/cpu/gemm/thin.h"
#include "../../native/threads/team.h"
#include "matrices.h"

namespace pibench::test {

using kernels::GemmShape;
using kernels::InstructionSet;
using kernels::MicroKernel;
using kernels::Strategy;
using kernels::ThinStrategy;

using Random = std::mt19937_64;

inline std::int64_t pick(Random& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution(least, most)(random);
}

// Extents about the edges of tiles, vectors and the steps of packing, and primes.
inline std::int64_t pick_extent(Random& random) {
  constexpr std::array<std::int64_t, 18> kAwkward{1,  2,  3,  4,  5,  7,  13, 14, 15,
                                                  16, 17, 29, 31, 32, 33, 61, 97, 127};
  if (pick(random, 0, 1) == 0) return pick(random, 1, 90);
  return kAwkward.at(static_cast<std::size_t>(pick(random, 0, std::ssize(kAwkward) - 1)));
}

inline GemmShape pick_shape(Random& random) {
  GemmShape shape{pick_extent(random), pick_extent(random), pick_extent(random)};
  switch (pick(random, 0, 8)) {  // skinny in one direction
    case 0:
      shape = {pick(random, 500, 1500), pick(random, 1, 9), pick(random, 1, 40)};
      break;
    case 1:
      shape = {pick(random, 1, 9), pick(random, 500, 1500), pick(random, 1, 40)};
      break;
    case 2:
      shape = {pick(random, 1, 9), pick(random, 1, 40), pick(random, 500, 1500)};
      break;
    default:
      break;
  }
  return shape;
}

struct Given {
  const InstructionSet* set;
  const MicroKernel* kernel;
  GemmShape shape;
  std::optional<Strategy> strategy;  // none: chosen from the caches, through the public entry
  std::int64_t lda, ldb, ldc;
  std::optional<ThinStrategy> thin = std::nullopt;  // as a matrix and few vectors, in this way
  bool by_transpose = false;                        // of the result; then the strategy is for swapped(shape)
};

// What the strategy is for.
inline GemmShape computed_shape(const Given& given) {
  return given.by_transpose ? swapped(given.shape) : given.shape;
}

inline std::unique_ptr<kernels::Gemm> gemm_of(const Given& given, Team& team) {
  if (given.thin) return make_thin_gemm(*given.set, *given.kernel, given.shape, team, &*given.thin);
  if (given.by_transpose) {
    const Strategy* const strategy = given.strategy ? &*given.strategy : nullptr;
    return make_swapped_gemm(
        make_blocked_gemm(*given.set, *given.kernel, computed_shape(given), team, strategy), *given.kernel,
        given.shape, team);
  }
  if (given.strategy)
    return make_blocked_gemm(*given.set, *given.kernel, given.shape, team, &*given.strategy);
  // Not by name: another variant of the set may be the better one here.
  return make_gemm_by(*given.set, *given.kernel, given.shape, team);
}

inline std::string describe(const Given& given) {
  const auto& shape = given.shape;
  std::string text = std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " +
                     std::to_string(shape.k) + (shape.transpose_a ? ", A transposed" : "") +
                     (shape.transpose_b ? ", B transposed" : "") + (shape.prepack_b ? ", prepacked" : "") +
                     (given.by_transpose ? ", by the transpose" : "") + ", batch " +
                     std::to_string(shape.batch) + ", leading " + std::to_string(given.lda) + ", " +
                     std::to_string(given.ldb) + ", " + std::to_string(given.ldc);
  if (given.strategy) {
    const auto& [partition, blocking, a_in_place, b_in_place, stream_c, strip_rows, b_rows, by_lines, b_ahead,
                 b_copied, b_asked, evenly, next_asked, rows_outside, in_pairs, c_asked, halves, spreading,
                 plain, to_the_middle] = *given.strategy;
    text += ", grid " + std::to_string(partition.products) + ", " + std::to_string(partition.rows) + ", " +
            std::to_string(partition.columns) + (partition.own_b ? ", B each its own" : "") + ", blocks " +
            std::to_string(blocking.mc) + ", " + std::to_string(blocking.nc) + ", " +
            std::to_string(blocking.kc) + (a_in_place ? ", A in place" : "") +
            (b_in_place ? ", B in place" : "") + (stream_c ? ", C streamed" : "") +
            (b_rows > 0 ? ", B packed by " + std::to_string(b_rows) + " rows" : "") +
            (by_lines ? " by lines" : "") + (b_ahead ? ", B packed ahead" : "") +
            (b_copied ? ", B packed by tiles" : "") + (b_asked ? ", B asked for" : "") +
            (evenly ? " evenly" : "") + (next_asked ? ", next asked for" : "") +
            (rows_outside ? ", rows outside" : "") + (in_pairs ? " in pairs" : "") +
            (c_asked ? ", C asked for" : "") + (halves ? ", halves" : "") + (spreading ? ", A spread" : "") +
            (plain ? ", plain" : "") + (to_the_middle ? ", to the middle" : "") + ", strips of " +
            std::to_string(strip_rows);
  }
  if (given.thin) {
    text += ", thin, members " + std::to_string(given.thin->members) + ", block " +
            std::to_string(given.thin->block) + ", rows " + std::to_string(given.thin->rows) +
            (given.thin->ahead ? ", ahead" : "");
  }
  return text;
}

inline bool coin(Random& random) { return pick(random, 0, 1) == 1; }

// Any grid that so many members can form.
inline kernels::Partition pick_partition(Random& random, const GemmShape& shape, int members) {
  kernels::Partition partition;
  partition.products = static_cast<int>(pick(random, 1, std::min<std::int64_t>(members, shape.batch)));
  if (partition.products > 1) return partition;
  partition.rows = static_cast<int>(pick(random, 1, members));
  partition.columns = static_cast<int>(pick(random, 1, members / partition.rows));
  partition.own_b = coin(random);
  return partition;
}

inline Strategy pick_strategy(Random& random, const MicroKernel& kernel, const GemmShape& shape,
                              int members) {
  Strategy strategy;
  strategy.partition = pick_partition(random, shape, members);
  strategy.blocking = {pick(random, 1, 40), pick(random, 1, 40), kernel.nr * pick(random, 1, 3)};
  strategy.a_in_place = coin(random) && can_read_a_in_place(kernel, shape);
  strategy.b_in_place = (coin(random) || kernel.joins_b) && can_read_b_in_place(kernel, shape);
  strategy.b_rows = coin(random) ? static_cast<int>(pick(random, 1, 40)) : 0;
  strategy.by_lines = coin(random);
  if (strategy.b_rows > 0) strategy.blocking.kc = pick(random, 1, 200);
  strategy.b_ahead = coin(random);
  strategy.b_copied = coin(random) && !kernel.joins_b;
  if (strategy.b_copied) {
    strategy.a_in_place = strategy.a_in_place && kernel.copies_in_place;
    strategy.b_in_place = false;
    strategy.b_rows = 0;
  }
  strategy.b_asked = coin(random);
  strategy.evenly = coin(random);
  strategy.next_asked = coin(random);
  strategy.rows_outside = pick(random, 0, 2) == 0;
  strategy.in_pairs = coin(random);
  strategy.c_asked = coin(random);
  strategy.halves = coin(random);
  strategy.spreading = coin(random);
  strategy.plain = coin(random);
  strategy.to_the_middle = coin(random);
  strategy.stream_c = coin(random) && shape.k <= strategy.blocking.kc;
  if (kernel.row_multiple == 1) strategy.strip_rows = static_cast<int>(pick(random, 0, kernel.mr));
  return strategy;
}

// Any transposition, batch and distance between rows.
inline Given pick_given(Random& random, const InstructionSet& set, const MicroKernel& kernel,
                        const GemmShape& extents) {
  Given given{&set, &kernel, extents, std::nullopt, 0, 0, 0};
  GemmShape& shape = given.shape;
  shape.transpose_a = coin(random);
  shape.transpose_b = coin(random) && !kernel.joins_b;
  shape.prepack_b = pick(random, 0, 3) == 0 && !kernel.joins_b;
  given.by_transpose = !shape.prepack_b && !kernel.joins_b && pick(random, 0, 3) == 0;
  if (pick(random, 0, 3) == 0) shape.batch = pick(random, 2, 5);
  const auto padding = [&random] { return pick(random, 0, 1) * pick(random, 0, 9); };
  given.lda = (shape.transpose_a ? shape.m : shape.k) + padding();
  given.ldb = (shape.transpose_b ? shape.k : shape.n) + padding();
  given.ldc = shape.n + padding();
  return given;
}

inline Given pick_given(Random& random, const InstructionSet& set, const MicroKernel& kernel, int members,
                        bool own_strategy) {
  Given given = pick_given(random, set, kernel, pick_shape(random));
  if (own_strategy) given.strategy = pick_strategy(random, kernel, computed_shape(given), members);
  return given;
}

// A matrix with few vectors, in any way.
inline Given pick_thin(Random& random, const InstructionSet& set, const MicroKernel& kernel, int members) {
  GemmShape shape = pick_shape(random);
  (coin(random) ? shape.m : shape.n) = pick(random, 1, kernel.most_vectors);
  Given given = pick_given(random, set, kernel, shape);
  given.by_transpose = false;
  if (kernel.most_of_transposed > 0 && coin(random)) {
    given.shape.m = pick(random, 1, kernel.most_of_transposed);
    given.shape.transpose_b = true;
    given.lda = given.shape.transpose_a ? given.shape.m : given.shape.k;
    given.ldb = given.shape.k;
  }
  given.thin = {static_cast<int>(pick(random, 1, members)), pick(random, 1, 200), pick(random, 1, 200),
                coin(random)};
  return given;
}

template <typename Element>
Element random_element(Random& random) {
  if constexpr (std::is_integral_v<Element>) {
    return static_cast<Element>(
        pick(random, std::numeric_limits<Element>::min(), std::numeric_limits<Element>::max()));
  } else {
    const auto x = std::uniform_real_distribution<double>(-1, 1)(random);
    if constexpr (std::is_floating_point_v<Element>) {
      return static_cast<Element>(x);
    } else {
      return {static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(x)) >> 16U)};
    }
  }
}

// As many as there are, so that the address sanitizer sees what reads or writes beyond.
template <typename Element>
std::vector<Element> random_elements(Random& random, std::int64_t count) {
  std::vector<Element> elements(static_cast<std::size_t>(count));
  for (Element& element : elements) element = random_element<Element>(random);
  return elements;
}

template <typename Element>
bool is_same(const std::vector<Element>& one, const std::vector<Element>& other) {
  return one.size() == other.size() &&
         std::memcmp(one.data(), other.data(), one.size() * sizeof(Element)) == 0;
}

// Whether nobody has written here.
template <typename Result>
bool is_poison(Result x) {
  if constexpr (std::is_floating_point_v<Result>) {
    return std::isnan(x);
  } else {
    return x == matmul::Elements<DataType::int8>::poison();
  }
}

// Elements from the first of a matrix to its last.
inline std::int64_t extent(std::int64_t rows, std::int64_t columns, std::int64_t leading) {
  return (rows - 1) * leading + columns;
}

// How the matrices of a batch lie: each `rows` of so many neighbours, one element between two matrices.
struct Layout {
  std::int64_t count, rows, columns, leading;
  [[nodiscard]] std::int64_t stride() const { return extent(rows, columns, leading) + 1; }
  [[nodiscard]] std::int64_t elements() const { return count * stride() - 1; }
  [[nodiscard]] Layout wider() const { return {count, rows, columns, leading + 3}; }
};

// The rows of these matrices where they lie otherwise.
template <typename Element>
std::vector<Element> moved(const std::vector<Element>& elements, const Layout& from, const Layout& to) {
  std::vector<Element> result(static_cast<std::size_t>(to.elements()));
  for (std::int64_t i = 0; i < from.count; ++i) {
    for (std::int64_t row = 0; row < from.rows; ++row) {
      std::copy_n(elements.begin() + i * from.stride() + row * from.leading, from.columns,
                  result.begin() + i * to.stride() + row * to.leading);
    }
  }
  return result;
}

// Adds x times a row of B to sums and their sizes. Nearly all of a check's time goes here, so it is made fast
// whatever the program around it is compiled for, and sanitizers leave it out: what they are to watch are the
// kernels.
template <typename Wide>
__attribute__((no_sanitize("address", "thread", "undefined"), optimize("O3"))) void add_products(
    Wide x, const Wide* b, std::size_t count, Wide* sums, double* sizes) {
  for (std::size_t j = 0; j < count; ++j) {
    const Wide product = x * b[j];
    sums[j] += product;
    sizes[j] += static_cast<double>(product < 0 ? -product : product);
  }
}

// The first element that is wrong in one product of a batch, or nothing.
template <DataType type>
std::optional<std::string> wrong_in(const matmul::Product<type>& p, std::int64_t ldc, std::int64_t written) {
  using E = matmul::Elements<type>;
  using Wide = typename E::Wide;
  const auto columns = static_cast<std::size_t>(p.n);
  std::vector<Wide> b;
  b.reserve(columns * static_cast<std::size_t>(p.k));
  for (std::int64_t l = 0; l < p.k; ++l) {
    for (std::int64_t j = 0; j < p.n; ++j) b.push_back(matmul::detail::widen_to<Wide>(p.b.at(l, j)));
  }
  std::vector<Wide> sums(columns);
  std::vector<double> sizes(columns);
  for (std::int64_t i = 0; i < p.m; ++i) {
    std::fill(sums.begin(), sums.end(), Wide{0});
    std::fill(sizes.begin(), sizes.end(), 0.0);
    for (std::int64_t l = 0; l < p.k; ++l) {
      add_products(matmul::detail::widen_to<Wide>(p.a.at(i, l)), b.data() + l * p.n, columns, sums.data(),
                   sizes.data());
    }
    const auto* row = p.c + i * ldc;
    for (std::size_t j = 0; j < sums.size(); ++j) {
      // The bound of rounding in any order of summation, which no right kernel can pass (Higham 2002, 3.1).
      const double limit = E::kUnit * static_cast<double>(p.k + 2) * sizes[j];
      const auto difference = static_cast<double>(static_cast<Wide>(row[j]) - sums[j]);
      if (!(std::abs(difference) <= limit)) {
        return matmul::detail::place(i, static_cast<std::int64_t>(j), static_cast<double>(row[j]),
                                     static_cast<double>(sums[j]));
      }
    }
    for (std::int64_t j = p.n; j < ldc && i * ldc + j < written; ++j) {
      if (!is_poison(row[j])) return "written between the rows of C";
    }
  }
  return std::nullopt;
}

// The first thing that is wrong with one call, or nothing.
template <DataType type>
std::optional<std::string> wrong_with(const Given& given, Team& team, Random& random) {
  using E = matmul::Elements<type>;
  using Result = typename E::Result;
  const auto& shape = given.shape;
  const auto layout = [&](std::int64_t rows, std::int64_t columns, bool transposed, std::int64_t leading) {
    return transposed ? Layout{shape.batch, columns, rows, leading}
                      : Layout{shape.batch, rows, columns, leading};
  };
  const Layout of_a = layout(shape.m, shape.k, shape.transpose_a, given.lda);
  const Layout of_b = layout(shape.k, shape.n, shape.transpose_b, given.ldb);
  const Layout of_c = layout(shape.m, shape.n, false, given.ldc);
  const auto a = random_elements<typename E::Operand>(random, of_a.elements());
  const auto b = random_elements<typename E::Operand>(random, of_b.elements());
  std::vector<Result> c(static_cast<std::size_t>(of_c.elements()), E::poison());

  const auto gemm = gemm_of(given, team);
  if (std::string(gemm->isa()) != given.set->name)
    return "another instruction set: " + std::string(gemm->isa());
  const auto operands_at = [](const auto& a_at, const Layout& as, const auto& b_at, const Layout& bs,
                              auto& c_at, const Layout& cs) {
    return kernels::GemmOperands{a_at.data(), b_at.data(), c_at.data(), as.leading, bs.leading,
                                 cs.leading,  as.stride(), bs.stride(), cs.stride()};
  };
  const kernels::GemmOperands operands = operands_at(a, of_a, b, of_b, c, of_c);
  gemm->prepack(operands);
  gemm->run(operands);
  const auto first = c;
  gemm->run(operands);
  if (!is_same(first, c)) return "not the same twice";

  // The next call may be of operands of which any one lies otherwise.
  const auto elsewhere = [&](const Layout& as, const Layout& bs, const Layout& cs) {
    std::vector<Result> result(static_cast<std::size_t>(cs.elements()), E::poison());
    const auto a_there = moved(a, of_a, as);
    const auto b_there = moved(b, of_b, bs);
    gemm->run(operands_at(a_there, as, b_there, bs, result, cs));
    return is_same(moved(result, cs, of_c), moved(c, of_c, of_c));
  };
  switch (pick(random, 0, 2)) {
    case 0:
      if (!elsewhere(of_a.wider(), of_b, of_c)) return "not the same with an A of wider rows";
      break;
    case 1:
      if (!elsewhere(of_a, of_b.wider(), of_c)) return "not the same with a B of wider rows";
      break;
    default:
      if (!elsewhere(of_a, of_b, of_c.wider())) return "not the same with a C of wider rows";
  }

  for (std::int64_t i = 0; i < shape.batch; ++i) {
    const auto view = [](const auto* data, std::int64_t leading, bool transposed) {
      return matmul::Matrix<typename E::Operand>{data, transposed ? 1 : leading, transposed ? leading : 1};
    };
    const matmul::Product<type> product{shape.m,
                                        shape.n,
                                        shape.k,
                                        view(a.data() + i * of_a.stride(), given.lda, shape.transpose_a),
                                        view(b.data() + i * of_b.stride(), given.ldb, shape.transpose_b),
                                        c.data() + i * of_c.stride()};
    const std::int64_t written = i + 1 < shape.batch ? of_c.stride() : of_c.stride() - 1;
    if (auto wrong = wrong_in(product, given.ldc, written)) return wrong;
  }
  return std::nullopt;
}

inline std::optional<std::string> wrong_with(const Given& given, Team& team, Random& random) {
  std::optional<std::string> wrong;
  for_each_type([&](auto type) {
    if (type.value == given.kernel->type) wrong = wrong_with<type.value>(given, team, random);
  });
  return wrong;
}

}  // namespace pibench::test
