// Is C the product of A and B? Compared with arithmetic that is wider than what made it.
//
// Small products are computed again, every element. Large ones get Freivalds' check (1977): with a random
// vector x, C x must equal A (B x), which costs three matrix-vector products instead of a matrix product.
//
// Integers must agree exactly: element by element, or modulo the prime 2^61 - 1 with x drawn from its whole
// field, so that a wrong C passes with a probability of 2^-61.
//
// Floating point may differ by rounding. For operands with zero mean the rounding errors of an inner product
// of length k, in whatever order it is summed, are of the size u |a|_2 |b|_2 (Higham & Mary, SIAM J. Sci.
// Comput. 42, 2020: for random data with zero mean the backward error does not grow with k). The limit for
// element (i, j) is kSlack * u * |a_i|_2 * |b_j|_2, and for row i of Freivalds' check, with x of random
// signs and sizes from 1/2 to 1, kSlack * u * |a_i|_2 * |B|_F. The data type enters through the unit roundoff
// u, k through the norms. Arithmetic that drops what does not fit instead of rounding it, as matrix units do,
// errs in one direction: there the limit is max(1, sqrt(k) / 32) times as large. NaN and infinity never pass.
//
// What that can see: one element in the place of another changes C x by some 1.08 |a_i| |B|_F / sqrt(k n),
// and the limit of a row is 15 growth u sqrt(k n) times that. So one is seen, as far as k = n = 10^6 in
// float32, 60,000 where matrix units sum to float32 (u = 2^-23), and without end in float64; of float8 (u =
// 2^-13) as far as 550, and at 16384 only 14,000 in one row are. Where one is not seen for sure, one element
// of each 64 x 64 is compared with a sum of its own besides. The limit of that is 16 growth u sqrt(k) of a
// typical element: 0.06 at k = 1024, 0.25 at 4096, and 1 at 16384, where every second element in another's
// place is still seen: no tile of a kernel is wrong unseen. Whether a single element is, a device tells by
// another call (native/cuda/matmul_check.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "../measure/workload.h"
#include "elements.h"
#include "shares.h"

namespace pibench::matmul {

inline constexpr double kSlack = 16;
// Products up to this many multiply-adds are checked element by element.
inline constexpr double kWholeReference = 1 << 24;
// Of this many rows and columns one is compared element by element where Freivalds' check sees too little.
inline constexpr std::int64_t kSampled = 64;

// A matrix that lies in memory by rows or, transposed, by columns.
template <typename T>
struct Matrix {
  const T* data;
  std::int64_t row, column;  // elements from one row to the next, from one column to the next
  [[nodiscard]] const T& at(std::int64_t i, std::int64_t j) const { return data[i * row + j * column]; }
};

// The operands and the result, dense and row-major, of one product; `E` says what they hold, as elements.h
// does.
template <typename E>
struct ProductOf {
  std::int64_t m, n, k;
  Matrix<typename E::Operand> a, b;
  const typename E::Result* c;
};

template <DataType type>
using Product = ProductOf<Elements<type>>;

namespace detail {

template <typename E>
constexpr bool drops() {
  if constexpr (requires { E::kDrops; }) return E::kDrops;
  return false;
}

// The largest error of a sum of k products, of the norms of its factors.
template <typename E>
double limit_of_norms(std::int64_t k) {
  const double growth = drops<E>() ? std::max(1.0, std::sqrt(static_cast<double>(k)) / 32) : 1;
  return kSlack * growth * E::kUnit;
}

// How that reads, before the norms.
template <typename E>
std::string limit_in_words() {
  return drops<E>() ? "16 max(1, sqrt(k) / 32) u " : "16 u ";
}

// Collects comparisons: |difference| against its limit.
class Tally {
 public:
  void compare(double difference, double limit, const auto& describe) {
    ++result_.checked;
    // Written so that NaN is wrong, and what no limit bounds.
    const bool right = difference <= limit && limit < HUGE_VAL;
    const double error = std::isnan(difference) || !(limit < HUGE_VAL) ? HUGE_VAL
                         : limit > 0                                   ? difference / limit
                                                                       : (difference > 0 ? HUGE_VAL : 0);
    result_.worst_error = std::max(result_.worst_error, error);
    if (right) return;
    if (result_.wrong++ == 0) result_.first_wrong = describe();
  }
  Verification finish(std::string method, std::string tolerance) && {
    result_.method = std::move(method);
    result_.tolerance = std::move(tolerance);
    result_.passed = result_.wrong == 0 && result_.checked > 0;
    return std::move(result_);
  }

 private:
  Verification result_;
};

inline std::string place(std::int64_t i, std::int64_t j, double got, double want) {
  std::ostringstream text;
  text.precision(9);
  text << "C[" << i << "][" << j << "] is " << got << ", expected " << want;
  return text.str();
}

template <typename T>
double norm(const T* first, std::int64_t count, std::int64_t stride) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = widen(first[i * stride]);
    sum += x * x;
  }
  return std::sqrt(sum);
}

template <typename Wide, typename T>
Wide widen_to(T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<Wide>(x);
  else
    return static_cast<Wide>(widen(x));
}

// What each row of a matrix sums up to: `add(sum, element, column)` for every element of it, in the order of
// the columns, so that a sum is the same number however the matrix lies. A share's memory is read once, from
// its beginning to its end: of a matrix that lies by columns every row gets an element before any gets its
// next.
template <typename Sum, typename T>
std::vector<Sum> sum_rows(const Matrix<T>& matrix, std::int64_t rows, std::int64_t columns, const auto& share,
                          const auto& add) {
  std::vector<Sum> sums(static_cast<std::size_t>(rows));
  share(rows, columns, [&](std::int64_t first, std::int64_t end) {
    if (matrix.column <= matrix.row) {
      for (std::int64_t i = first; i < end; ++i) {
        Sum sum{};
        for (std::int64_t j = 0; j < columns; ++j) add(sum, matrix.at(i, j), static_cast<std::size_t>(j));
        sums[static_cast<std::size_t>(i)] = sum;
      }
    } else {
      for (std::int64_t j = 0; j < columns; ++j) {
        for (std::int64_t i = first; i < end; ++i)
          add(sums[static_cast<std::size_t>(i)], matrix.at(i, j), static_cast<std::size_t>(j));
      }
    }
  });
  return sums;
}

// Arithmetic modulo the Mersenne prime 2^61 - 1.
__extension__ using Int128 = __int128;
inline constexpr std::int64_t kPrime = (std::int64_t{1} << 61) - 1;
// A smaller number that is the same modulo the prime, where 2^61 is 1.
inline Int128 folded(Int128 x) { return (x & kPrime) + (x >> 61); }
inline std::int64_t in_field(Int128 x) {
  const auto rest = static_cast<std::int64_t>(x % kPrime);
  return rest < 0 ? rest + kPrime : rest;
}

}  // namespace detail

// `row_of(i)` and `column_of(j)` are the places by which an element is told.
template <typename E>
Verification verify_each(const ProductOf<E>& p, const auto& row_of, const auto& column_of,
                         const auto& share) {
  using Wide = typename E::Wide;
  std::vector<double> column_norm(static_cast<std::size_t>(p.n));
  if constexpr (E::kUnit > 0) {
    for (std::int64_t j = 0; j < p.n; ++j)
      column_norm[static_cast<std::size_t>(j)] = detail::norm(&p.b.at(0, j), p.k, p.b.row);
  }
  return verify_shares(p.m, p.n * p.k, share, [&](std::int64_t first, std::int64_t end) {
    detail::Tally tally;
    std::vector<Wide> row(static_cast<std::size_t>(p.n));
    for (std::int64_t i = first; i < end; ++i) {
      double row_norm = 0;
      if constexpr (E::kUnit > 0) row_norm = detail::norm(&p.a.at(i, 0), p.k, p.a.column);
      std::fill(row.begin(), row.end(), Wide{0});
      for (std::int64_t l = 0; l < p.k; ++l) {
        const Wide a = detail::widen_to<Wide>(p.a.at(i, l));
        for (std::int64_t j = 0; j < p.n; ++j)
          row[static_cast<std::size_t>(j)] += a * detail::widen_to<Wide>(p.b.at(l, j));
      }
      for (std::int64_t j = 0; j < p.n; ++j) {
        const auto want = row[static_cast<std::size_t>(j)];
        const auto got = static_cast<Wide>(p.c[i * p.n + j]);
        const double limit =
            detail::limit_of_norms<E>(p.k) * row_norm * column_norm[static_cast<std::size_t>(j)];
        tally.compare(static_cast<double>(got > want ? got - want : want - got), limit, [&] {
          return detail::place(row_of(i), column_of(j), static_cast<double>(got), static_cast<double>(want));
        });
      }
    }
    return std::move(tally).finish(
        "reference", E::kUnit > 0
                         ? detail::limit_in_words<E>() + "|a_i| |b_j|, every element against a wider sum"
                         : "exact, every element");
  });
}

template <typename E, typename Share = AllInOne>
Verification verify_whole(const ProductOf<E>& p, const Share& share = {}) {
  const auto itself = [](std::int64_t place) { return place; };
  return verify_each(p, itself, itself, share);
}

// Of each kSampled x kSampled elements one: the product of some rows of A and some columns of B, drawn one of
// each kSampled.
template <typename E>
Verification verify_sampled(const ProductOf<E>& p, std::uint64_t seed, const auto& share) {
  const auto one_of_each = [](std::int64_t length, std::uint64_t stream) {
    std::vector<std::int64_t> places;
    for (std::int64_t first = 0; first < length; first += kSampled) {
      const auto among = static_cast<std::uint64_t>(std::min(kSampled, length - first));
      places.push_back(first + static_cast<std::int64_t>(draw(stream, places.size()) % among));
    }
    return places;
  };
  const std::vector<std::int64_t> rows = one_of_each(p.m, draw(seed, 0));
  const std::vector<std::int64_t> columns = one_of_each(p.n, draw(seed, 1));
  std::vector<typename E::Operand> a, b;
  std::vector<typename E::Result> c;
  a.reserve(rows.size() * static_cast<std::size_t>(p.k));
  b.reserve(columns.size() * static_cast<std::size_t>(p.k));
  c.reserve(rows.size() * columns.size());
  for (const std::int64_t i : rows) {
    for (std::int64_t l = 0; l < p.k; ++l) a.push_back(p.a.at(i, l));
    for (const std::int64_t j : columns) c.push_back(p.c[i * p.n + j]);
  }
  for (std::int64_t l = 0; l < p.k; ++l) {
    for (const std::int64_t j : columns) b.push_back(p.b.at(l, j));
  }
  const auto m = static_cast<std::int64_t>(rows.size());
  const auto n = static_cast<std::int64_t>(columns.size());
  const auto of = [](const std::vector<std::int64_t>& places) {
    return [&places](std::int64_t i) { return places[static_cast<std::size_t>(i)]; };
  };
  return verify_each(ProductOf<E>{m, n, p.k, {a.data(), p.k, 1}, {b.data(), n, 1}, c.data()}, of(rows),
                     of(columns), share);
}

// Whether Freivalds' check sees an element that stands in the place of another, with a reserve of a half.
template <typename E>
bool sees_one_element(const ProductOf<E>& p) {
  const double typical = 1.08 / std::sqrt(static_cast<double>(p.k) * static_cast<double>(p.n));
  return detail::limit_of_norms<E>(p.k) < typical / 2;
}

// What two checks of the same product found.
inline Verification with_sampled(const Verification& rows, const Verification& sampled) {
  Verification both = rows;
  both.passed = rows.passed && sampled.passed;
  both.method = rows.method + ", sampled elements";
  both.tolerance = rows.tolerance + "; of each 64 x 64 elements one: " + sampled.tolerance;
  both.worst_error = std::max(rows.worst_error, sampled.worst_error);
  both.checked += sampled.checked;
  both.wrong += sampled.wrong;
  if (rows.wrong == 0) both.first_wrong = sampled.first_wrong;
  return both;
}

template <typename E, typename Share = AllInOne>
Verification verify_freivalds_integer(const ProductOf<E>& p, std::uint64_t seed, const Share& share = {}) {
  using namespace detail;
  using Factors = std::vector<std::int64_t>;
  Factors x(static_cast<std::size_t>(p.n));
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = in_field(draw(seed, j));
  const auto times = [&share](const auto& matrix, std::int64_t rows, const Factors& factors) {
    const auto columns = static_cast<std::int64_t>(factors.size());
    // Of elements up to 2^61 so many products fit into a sum.
    constexpr std::size_t kFitting = 16;
    const auto add = [&factors](Int128& sum, std::int64_t element, std::size_t j) {
      sum += Int128{element} * factors[j];
      if (j % kFitting == 0) sum = folded(sum);
    };
    Factors rest;
    for (const Int128 sum : sum_rows<Int128>(matrix, rows, columns, share, add))
      rest.push_back(in_field(sum));
    return rest;
  };
  const Factors want = times(p.a, p.m, times(p.b, p.k, x));
  const Factors got = times(Matrix<typename E::Result>{p.c, p.n, 1}, p.m, x);
  Tally tally;
  for (std::int64_t i = 0; i < p.m; ++i) {
    const bool same = got[static_cast<std::size_t>(i)] == want[static_cast<std::size_t>(i)];
    tally.compare(same ? 0 : 1, 0, [&] { return "row " + std::to_string(i) + " of C is not A times B"; });
  }
  return std::move(tally).finish("freivalds", "exact, modulo 2^61 - 1");
}

template <typename E, typename Share = AllInOne>
Verification verify_freivalds_real(const ProductOf<E>& p, std::uint64_t seed, const Share& share = {}) {
  using Wide = typename E::Wide;
  using namespace detail;
  std::vector<Wide> x(static_cast<std::size_t>(p.n));
  // Signs alone would not do: with equal signs, two columns in each other's place make no difference.
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double size = 0.75 + draw_real(seed, x.size() + j) / 4;
    x[j] = static_cast<Wide>((draw(seed, j) >> 63) != 0 ? size : -size);
  }
  struct RowSum {
    Wide product = 0;
    double square = 0;  // of its elements
  };
  const auto times = [](const std::vector<Wide>& factors) {
    return [&factors](RowSum& sum, const auto& element, std::size_t j) {
      sum.product += widen_to<Wide>(element) * factors[j];
      const double wide = widen(element);
      sum.square += wide * wide;
    };
  };
  std::vector<Wide> bx;
  bx.reserve(static_cast<std::size_t>(p.k));
  double square = 0;
  for (const RowSum& row : sum_rows<RowSum>(p.b, p.k, p.n, share, times(x))) {
    bx.push_back(row.product);
    square += row.square;
  }
  const double whole = std::sqrt(square);
  const std::vector<RowSum> of_a = sum_rows<RowSum>(p.a, p.m, p.k, share, times(bx));
  const std::vector<Wide> of_c = sum_rows<Wide>(
      Matrix<typename E::Result>{p.c, p.n, 1}, p.m, p.n, share,
      [&x](Wide& sum, typename E::Result element, std::size_t j) { sum += widen_to<Wide>(element) * x[j]; });
  Tally tally;
  for (std::int64_t i = 0; i < p.m; ++i) {
    const Wide got = of_c[static_cast<std::size_t>(i)];
    const Wide want = of_a[static_cast<std::size_t>(i)].product;
    const double limit = limit_of_norms<E>(p.k) * std::sqrt(of_a[static_cast<std::size_t>(i)].square) * whole;
    tally.compare(static_cast<double>(got > want ? got - want : want - got), limit, [&] {
      std::ostringstream text;
      text.precision(9);
      text << "row " << i << " of C: C x is " << static_cast<double>(got) << ", A (B x) is "
           << static_cast<double>(want);
      return text.str();
    });
  }
  return std::move(tally).finish("freivalds",
                                 limit_in_words<E>() + "|a_i| |B|, every row against a wider sum");
}

// One of `count` products of a batch.
template <typename E>
Verification verify_one(const ProductOf<E>& p, std::int64_t count, std::uint64_t seed, const auto& share) {
  const double work = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  if (work * static_cast<double>(count) <= kWholeReference) return verify_whole(p, share);
  if constexpr (E::kUnit > 0) {
    const Verification rows = verify_freivalds_real(p, seed, share);
    return sees_one_element(p) ? rows : with_sampled(rows, verify_sampled(p, seed, share));
  } else {
    return verify_freivalds_integer(p, seed, share);
  }
}

// Every product of a batch; `products(i)` is the i-th of `count`. `seed` draws the vectors of Freivalds'
// checks.
template <typename E, typename Share = AllInOne>
Verification verify_all(const auto& products, std::int64_t count, std::uint64_t seed,
                        const Share& share = {}) {
  const auto verify_some = [&](std::int64_t first, std::int64_t end, const auto& share_one) {
    Verification some;
    some.passed = first < end;
    for (std::int64_t i = first; i < end; ++i) {
      Verification one =
          verify_one<E>(products(i), count, draw(seed, static_cast<std::uint64_t>(i)), share_one);
      if (count > 1 && one.wrong > 0)
        one.first_wrong = "product " + std::to_string(i) + ": " + one.first_wrong;
      append(some, one);
    }
    return some;
  };
  // Of many each thread has some for itself; the rows of a few are shared out.
  constexpr std::int64_t kMany = 16;
  if (count < kMany) return verify_some(0, count, share);
  const ProductOf<E> p = products(0);
  return verify_shares(
      count, p.m * p.k + p.k * p.n + p.m * p.n, share,
      [&](std::int64_t first, std::int64_t end) { return verify_some(first, end, AllInOne{}); });
}

template <DataType type>
Verification verify(const Product<type>& product, std::uint64_t seed) {
  return verify_all<Elements<type>>([&product](std::int64_t) { return product; }, 1, seed);
}

}  // namespace pibench::matmul
