// Verification: right products pass, and each kind of wrong one does not, whether every element is compared
// (small shapes) or Freivalds' check is made (large ones).
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../../native/cuda/elements.h"
#include "../../native/matmul/verify.h"
#include "check.h"
#include "matrices.h"
#include "verify_shares.h"

namespace {

using pibench::Verification;
using pibench::kernels::DataType;
using pibench::test::Checks;
using pibench::test::kSeed;
using pibench::test::Matrices;
using pibench::test::numbers;

// A right product, and what it is called; each check wrongs a copy of its result.
template <DataType type>
struct Case {
  Checks& check;
  std::string name;
  bool whole;  // every element is compared
  Matrices<type> right;

  // `wrong_it` changes the result in row 2, and there column 3 first.
  template <typename WrongIt>
  void rejects(const std::string& what, const WrongIt& wrong_it) {
    const auto before = right.c;
    wrong_it(right);
    const Verification result = pibench::matmul::verify<type>(right.product(), kSeed);
    right.c = before;
    const std::string place = whole ? "C[2][3] is" : "row 2 of C";
    check.that(!result.passed && result.wrong > 0 && result.worst_error > 1, name + "rejects " + what,
               numbers(result));
    check.that(result.first_wrong.starts_with(place), name + "says that it is at " + place,
               result.first_wrong);
  }
};

// The value of a float32 after a trip through bfloat16.
float through_bfloat16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7fffU + ((bits >> 16U) & 1U)) & 0xffff0000U);
}

template <DataType type>
void check_shape(Checks& check, std::int64_t m, std::int64_t n, std::int64_t k, bool whole) {
  using E = pibench::matmul::Elements<type>;
  Case<type> given{check, pibench::test::name_of(type) + (whole ? " whole reference: " : " Freivalds: "),
                   whole, Matrices<type>(m, n, k, kSeed)};
  const Verification right = pibench::matmul::verify<type>(given.right.product(), kSeed);
  check.that(right.passed && right.wrong == 0 && right.worst_error <= 1 && right.first_wrong.empty(),
             given.name + "accepts a right product", numbers(right));
  check.equal(right.checked, static_cast<std::uint64_t>(whole ? m * n : m),
              given.name + "compares all of it");
  check.that(right.method == (whole ? "reference" : "freivalds"), given.name + "is what was meant",
             right.method);

  given.rejects("an element that is its neighbour", [](auto& c) { c.at(2, 3) = c.at(2, 4); });
  given.rejects("an element of poison", [](auto& c) { c.at(2, 3) = E::poison(); });
  given.rejects("poison left from an element on", [](auto& c) {
    std::fill(c.c.begin() + static_cast<std::ptrdiff_t>(2 * c.n + 3), c.c.end(), E::poison());
  });
  given.rejects("the last element of a row missing its product", [k](auto& c) {
    const auto a = pibench::matmul::detail::widen_to<double>(c.a[static_cast<std::size_t>(3 * k - 1)]);
    const auto b =
        pibench::matmul::detail::widen_to<double>(c.b[static_cast<std::size_t>((k - 1) * c.n + 3)]);
    c.at(2, 3) -= static_cast<typename E::Result>(a * b);
  });
  if constexpr (E::kUnit > 0) {
    using Limits = std::numeric_limits<typename E::Result>;
    given.rejects("NaN", [](auto& c) { c.at(2, 3) = Limits::quiet_NaN(); });
    given.rejects("infinity", [](auto& c) { c.at(2, 3) = Limits::infinity(); });
    given.rejects("negative infinity", [](auto& c) { c.at(2, 3) = -Limits::infinity(); });
    // A whole row is compared at once by Freivalds' check, so that its limit is as large as the row's.
    const double share = whole ? 1e-3 : 1e-2;
    given.rejects("an element that is wrong by " + std::to_string(share) + " of a typical one", [&](auto& c) {
      // The variance of the product of two numbers that are uniform in [-1, 1) is 1/9.
      c.at(2, 3) += static_cast<typename E::Result>(share * std::sqrt(static_cast<double>(k) / 9));
    });
  } else {
    given.rejects("an element that is too large by one", [](auto& c) { ++c.at(2, 3); });
    given.rejects("an element that is too small by one", [](auto& c) { --c.at(2, 3); });
    given.rejects("errors that add up to nothing", [](auto& c) {
      ++c.at(2, 3);
      --c.at(2, 4);
    });
  }
  if constexpr (type == DataType::float32) {
    given.rejects("a result that was rounded to bfloat16", [](auto& c) {
      for (auto i = static_cast<std::size_t>(2 * c.n + 3); i < c.c.size(); ++i)
        c.c[i] = through_bfloat16(c.c[i]);
    });
  }
  if constexpr (type == DataType::float64) {
    given.rejects("a result that was summed in float32", [](auto& c) {
      for (auto i = static_cast<std::size_t>(2 * c.n + 3); i < c.c.size(); ++i)
        c.c[i] = static_cast<float>(c.c[i]);
    });
  }

  // Two swapped columns must not hide behind an unlucky random vector.
  auto& wronged = given.right;
  const auto swap_columns = [&] {
    for (std::int64_t i = 0; i < m; ++i) std::swap(wronged.at(i, 2), wronged.at(i, 5));
  };
  swap_columns();
  int missed = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    if (pibench::matmul::verify<type>(wronged.product(), seed).passed) ++missed;
  }
  swap_columns();
  check.that(missed == 0, given.name + "rejects two swapped columns with each of 20 random vectors",
             std::to_string(missed) + " missed");

  // Two swapped rows are wrong in two places.
  for (std::int64_t j = 0; j < n; ++j) std::swap(wronged.at(2, j), wronged.at(5, j));
  const Verification swapped = pibench::matmul::verify<type>(wronged.product(), kSeed);
  check.that(!swapped.passed && swapped.wrong >= 2, given.name + "rejects two swapped rows",
             numbers(swapped));
  check.that(swapped.first_wrong.find(whole ? "C[2][" : "row 2") == 0,
             given.name + "says which is the first of them", swapped.first_wrong);
}

void check_tolerance(Checks& check) {
  // Many right products: the limit must leave room for what rounding does, and not much more.
  double worst = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Matrices<DataType::float32> right(24, 24, 1 + static_cast<std::int64_t>(seed) * 20, seed);
    Matrices<DataType::float32> summed = right;
    for (std::int64_t i = 0; i < right.m; ++i) {
      for (std::int64_t j = 0; j < right.n; ++j) {
        float sum = 0;  // one after the other, in the narrow type: the worst order that a kernel could take
        for (std::int64_t p = 0; p < right.k; ++p) {
          sum += right.a[static_cast<std::size_t>(i * right.k + p)] *
                 right.b[static_cast<std::size_t>(p * right.n + j)];
        }
        summed.at(i, j) = sum;
      }
    }
    worst = std::max(worst, pibench::matmul::verify<DataType::float32>(summed.product(), seed).worst_error);
  }
  check.that(worst < 1, "float32 sums in the order of the definition pass", std::to_string(worst));
  check.that(worst > 0.01, "and use more than a hundredth of the limit", std::to_string(worst));

  Matrices<DataType::float32> wide(8, 512, 512, kSeed);
  wide.at(7, 511) += static_cast<float>(1e-3 * std::sqrt(512.0 / 9));
  const Verification result = pibench::matmul::verify_whole(wide.product());
  check.that(!result.passed && result.first_wrong.starts_with("C[7][511]") && result.worst_error > 10,
             "float32, n = k = 512: a thousandth of a typical element is far beyond the limit",
             numbers(result));
}

void check_edges(Checks& check) {
  Matrices<DataType::float64> one(1, 1, 1, kSeed);
  check.that(pibench::matmul::verify<DataType::float64>(one.product(), kSeed).passed,
             "a single product is right");
  one.at(0, 0) = 0;  // what fault injection makes of it
  check.that(!pibench::matmul::verify<DataType::float64>(one.product(), kSeed).passed,
             "a single zero is wrong");

  Matrices<DataType::float32> zero(4, 4, 4, kSeed);
  std::fill(zero.a.begin(), zero.a.end(), 0.0F);
  std::fill(zero.c.begin(), zero.c.end(), 0.0F);
  check.that(pibench::matmul::verify<DataType::float32>(zero.product(), kSeed).passed,
             "zero times something is zero");
  zero.at(1, 1) = std::numeric_limits<float>::denorm_min();
  check.that(!pibench::matmul::verify<DataType::float32>(zero.product(), kSeed).passed, "and nothing else");

  // With an infinite operand the limit is infinite too.
  for (const bool whole : {true, false}) {
    Matrices<DataType::float32> endless(4, 4, 4, kSeed);
    endless.a.front() = std::numeric_limits<float>::infinity();
    const auto product = endless.product();
    const Verification result = whole ? pibench::matmul::verify_whole(product)
                                      : pibench::matmul::verify_freivalds_real(product, kSeed);
    check.that(!result.passed && result.wrong >= (whole ? 4U : 1U) && result.worst_error > 1,
               std::string("nothing is near to infinity, ") + (whole ? "whole reference" : "Freivalds"),
               numbers(result));
  }

  const Matrices<DataType::int8> none(0, 0, 1, kSeed);
  check.that(!pibench::matmul::verify<DataType::int8>(none.product(), kSeed).passed,
             "what nobody compared has not passed");
}

// Towards zero, as matrix units bring a sum to float32.
float dropped(double x) {
  const auto rounded = static_cast<float>(x);
  return std::abs(static_cast<double>(rounded)) > std::abs(x) ? std::nextafter(rounded, 0.0F) : rounded;
}

// A right product whose sums drop what does not fit, four products at a time: it passes, though its errors
// are beyond what rounding makes, and a result of fewer bits does not.
void check_dropping(Checks& check) {
  constexpr std::int64_t m = 8;
  constexpr std::int64_t n = 32;
  constexpr std::int64_t k = 65536;
  constexpr std::int64_t kAtOnce = 4;
  Matrices<DataType::float32> given(m, n, k, kSeed);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t p = 0; p < k; p += kAtOnce) {
        double products = 0;
        for (std::int64_t q = p; q < p + kAtOnce; ++q) {
          products += double{given.a[static_cast<std::size_t>(i * k + q)]} *
                      double{given.b[static_cast<std::size_t>(q * n + j)]};
        }
        sum = dropped(double{sum} + products);
      }
      given.at(i, j) = sum;
    }
  }
  const auto verified = [&given](auto arithmetic) {
    return pibench::matmul::verify_whole(pibench::matmul::ProductOf<decltype(arithmetic)>{
        m, n, k, {given.a.data(), k, 1}, {given.b.data(), n, 1}, given.c.data()});
  };
  using Rounding = pibench::cuda::Arithmetic<float, float, double, -23>;
  const Verification as_rounded = verified(Rounding{});
  check.that(!as_rounded.passed, "long sums that drop bits err by more than rounding does",
             numbers(as_rounded));
  const Verification right = verified(pibench::cuda::InMatrixUnits{});
  check.that(right.passed && right.worst_error > 0.1, "of matrix units they are right", numbers(right));
  for (float& element : given.c) element = through_bfloat16(element);
  const Verification coarse = verified(pibench::cuda::InMatrixUnits{});
  check.that(!coarse.passed, "of matrix units a result that was rounded to bfloat16 is wrong",
             numbers(coarse));
}

// Of sums as coarse as those of float8 a row has room for more wrong elements than a tile has columns: what
// is sampled sees the tile.
void check_coarse(Checks& check) {
  using Coarse = pibench::cuda::InFloat8Units;
  constexpr std::int64_t m = 4;
  constexpr std::int64_t n = 8192;
  constexpr std::int64_t k = 4096;
  constexpr std::int64_t kTile = 64;
  Matrices<DataType::float32> given(m, n, k, kSeed);
  const pibench::matmul::ProductOf<Coarse> product{
      m, n, k, {given.a.data(), k, 1}, {given.b.data(), n, 1}, given.c.data()};
  const auto verified = [&product] {
    return pibench::matmul::verify_all<Coarse>([&product](std::int64_t) { return product; }, 1, kSeed);
  };
  const Verification right = verified();
  check.that(right.passed && right.checked == m + n / 64, "a right product of coarse sums passes",
             numbers(right));
  for (std::int64_t i = 0; i < m; ++i)
    std::rotate(&given.at(i, 512), &given.at(i, 512 + 1), &given.at(i, 512 + kTile));
  const Verification rows = pibench::matmul::verify_freivalds_real(product, kSeed);
  check.that(rows.passed, "Freivalds' check alone does not see a tile of it that is wrong", numbers(rows));
  const Verification wrong = verified();
  const bool there = wrong.first_wrong.starts_with("C[") &&
                     std::stoll(wrong.first_wrong.substr(wrong.first_wrong.find("][") + 2)) / kTile == 8;
  check.that(!wrong.passed && there, "one element of each 64 x 64 does, and says where", numbers(wrong));
}

// An operand whose reads are noted.
struct Noted {
  float value;
  explicit Noted(float number) : value(number) {}
  Noted(const Noted& other) : value(other.value) { reads.push_back(&other); }
  Noted& operator=(const Noted&) = delete;
  ~Noted() = default;
  inline static std::vector<const Noted*> reads;
};
double widen(const Noted& x) {
  Noted::reads.push_back(&x);
  return x.value;
}

// Twice in a row is once: the element is there then. Copies are no elements.
bool read_once_along(const std::vector<Noted>& matrix) {
  std::vector<const Noted*> elements;
  for (const Noted* read : Noted::reads) {
    const bool within = read >= matrix.data() && read < matrix.data() + matrix.size();
    if (within && (elements.empty() || elements.back() != read)) elements.push_back(read);
  }
  return elements.size() == matrix.size() && std::ranges::is_sorted(elements);
}

struct NotedFloats {
  using Operand = Noted;
  using Result = float;
  using Wide = double;
  static constexpr double kUnit = 0x1p-24;
};

// A matrix by rows, as it would lie by columns.
template <typename T>
std::vector<T> by_columns(const std::vector<T>& by_rows, std::int64_t rows, std::int64_t columns) {
  std::vector<T> turned;
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i)
      turned.push_back(by_rows[static_cast<std::size_t>(i * columns + j)]);
  }
  return turned;
}

// However operands lie, the verdict is the same, and large ones are read as memory is fastest.
void check_layouts(Checks& check) {
  constexpr std::int64_t m = 5;
  constexpr std::int64_t n = 7;
  constexpr std::int64_t k = 6;
  const Matrices<DataType::float32> given(m, n, k, kSeed);
  const Verification by_rows = pibench::matmul::verify_freivalds_real(given.product(), kSeed);
  const auto noted = [](const std::vector<float>& numbers) {
    return std::vector<Noted>(numbers.begin(), numbers.end());
  };
  for (const auto& [turn_a, turn_b] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
    const std::vector<Noted> a = noted(turn_a ? by_columns(given.a, m, k) : given.a);
    const std::vector<Noted> b = noted(turn_b ? by_columns(given.b, k, n) : given.b);
    const pibench::matmul::ProductOf<NotedFloats> product{m,
                                                          n,
                                                          k,
                                                          {a.data(), turn_a ? 1 : k, turn_a ? m : 1},
                                                          {b.data(), turn_b ? 1 : n, turn_b ? k : 1},
                                                          given.c.data()};
    Noted::reads.clear();
    const Verification result = pibench::matmul::verify_freivalds_real(product, kSeed);
    const std::string name = std::string("Freivalds: A by ") + (turn_a ? "columns" : "rows") + ", B by " +
                             (turn_b ? "columns: " : "rows: ");
    check.that(
        result.passed && result.worst_error == by_rows.worst_error && result.checked == by_rows.checked,
        name + "the same numbers", numbers(result));
    check.that(read_once_along(a) && read_once_along(b), name + "each is read once, along memory");
  }

  // Padded, and of whole numbers.
  const Matrices<DataType::int8> whole(m, n, k, kSeed);
  constexpr std::int64_t ld = 11;
  std::vector<std::int8_t> a(static_cast<std::size_t>(k * ld), 77);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t l = 0; l < k; ++l)
      a[static_cast<std::size_t>(l * ld + i)] = whole.a[static_cast<std::size_t>(i * k + l)];
  }
  const auto b = by_columns(whole.b, k, n);
  auto c = whole.c;
  const pibench::matmul::Product<DataType::int8> product{m,       n, k, {a.data(), 1, ld}, {b.data(), 1, k},
                                                         c.data()};
  check.that(pibench::matmul::verify_freivalds_integer(product, kSeed).passed,
             "Freivalds: whole numbers by columns are right");
  ++c[static_cast<std::size_t>(2 * n + 3)];
  const Verification wrong = pibench::matmul::verify_freivalds_integer(product, kSeed);
  check.that(wrong.wrong == 1 && wrong.first_wrong.starts_with("row 2 of C"), "and a wrong one is not",
             numbers(wrong));
}

}  // namespace

int main() {
  Checks check;
  pibench::test::for_each_type([&check](auto type) {
    check_shape<type.value>(check, 37, 41, 64, true);
    // Few rows: what is slow is the check program's own product.
    check_shape<type.value>(check, 8, 1500, 1500, false);
  });
  check_tolerance(check);
  check_dropping(check);
  check_coarse(check);
  check_layouts(check);
  check_edges(check);
  pibench::test::check_shared_verification(check);
  return check.finish();
}
