#include "matmul_check.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "../matmul/operand.h"
#include "../matmul/verify.h"
#include "host_threads.h"

namespace pibench::cuda {
namespace {

// Shares of a verification on threads.
struct OnThreads {
  void operator()(std::int64_t count, std::int64_t each, const auto& part) const {
    on_threads(static_cast<std::size_t>(count), static_cast<std::size_t>(each),
               [&part](std::size_t first, std::size_t share) {
                 part(static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + share));
               });
  }
};

// All in one function, where what is the same for every element is looked at once.
template <typename T>
[[gnu::flatten]] void draw_share(T* elements, std::size_t first, std::size_t share, Element element,
                                 std::uint64_t stream, Drawn drawn) {
  for (std::size_t i = first; i < first + share; ++i)
    elements[i] = static_cast<T>(drawn_number(stream, i, element, drawn.values, drawn.limit));
}

// Matrices one behind the other.
template <typename T>
matmul::Operand<T> drawn_matrices(std::int64_t matrices, std::int64_t rows, std::int64_t columns,
                                  Element element, std::uint64_t stream, const Drawn& drawn) {
  matmul::Operand<T> elements(matrices, rows, columns);
  on_threads(elements.count(), [&](std::size_t first, std::size_t share) {
    draw_share(elements.data(), first, share, element, stream, drawn);
  });
  return elements;
}

template <typename E>
Verification check(const GemmProblem& p, const Drawn& drawn, const typename E::Result* c,
                   std::uint64_t seed) {
  using T = typename E::Operand;
  const matmul::Operand<T> a = drawn_matrices<T>(p.batch, p.m, p.k, p.element, drawn.a, drawn);
  const matmul::Operand<T> b = drawn_matrices<T>(p.batch, p.k, p.n, p.element, drawn.b, drawn);
  const auto product = [&](std::int64_t i) -> matmul::ProductOf<E> {
    return {p.m,
            p.n,
            p.k,
            {a.data() + i * p.m * p.k, p.k, 1},
            {b.data() + i * p.k * p.n, p.n, 1},
            c + i * p.m * p.n};
  };
  return matmul::verify_all<E>(product, p.batch, seed, OnThreads{});
}

template <typename E>
Verification check_bytes(const GemmProblem& problem, const Drawn& drawn, std::span<const std::byte> c,
                         std::uint64_t seed) {
  return check<E>(problem, drawn, reinterpret_cast<const typename E::Result*>(c.data()), seed);
}

struct ElementPlace {
  std::int64_t matrix, row, column;
};
ElementPlace place_of(const GemmProblem& p, std::size_t element) {
  const auto i = static_cast<std::int64_t>(element);
  return {i / (p.m * p.n), i / p.n % p.m, i % p.n};
}
std::string text_of(const GemmProblem& p, const ElementPlace& place) {
  const std::string matrix = p.batch > 1 ? "product " + std::to_string(place.matrix) + ": " : "";
  return matrix + "C[" + std::to_string(place.row) + "][" + std::to_string(place.column) + "]";
}

// How far an element is from its sum, as a multiple of the limit: its row of A and its column of B drawn for
// it alone.
template <typename E>
double error_of(const GemmProblem& p, const Drawn& drawn, const ElementPlace& place, typename E::Result got) {
  using Wide = typename E::Wide;
  Wide want = 0;
  double row = 0;
  double column = 0;
  for (std::int64_t l = 0; l < p.k; ++l) {
    const auto at_a = static_cast<std::uint64_t>((place.matrix * p.m + place.row) * p.k + l);
    const auto at_b = static_cast<std::uint64_t>((place.matrix * p.k + l) * p.n + place.column);
    const double a = drawn_number(drawn.a, at_a, p.element, drawn.values, drawn.limit);
    const double b = drawn_number(drawn.b, at_b, p.element, drawn.values, drawn.limit);
    want += static_cast<Wide>(a) * static_cast<Wide>(b);
    row += a * a;
    column += b * b;
  }
  const double difference = std::abs(static_cast<double>(static_cast<Wide>(got) - want));
  const double limit = matmul::detail::limit_of_norms<E>(p.k) * std::sqrt(row) * std::sqrt(column);
  if (difference == 0) return 0;
  return limit > 0 && std::isfinite(difference) ? difference / limit : HUGE_VAL;
}

template <typename E>
Verification check_differing(const GemmProblem& p, const Drawn& drawn, std::span<const std::byte> left,
                             std::span<const std::byte> again, Promise promise) {
  using Result = typename E::Result;
  // Of a library's, so many are held to their sums: enough to tell a fault from another order of summing.
  constexpr std::size_t kMostSums = 1000;
  const auto at = [](std::span<const std::byte> bytes, std::size_t i) {
    Result value;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    return value;
  };
  const std::size_t count = left.size() / sizeof(Result);
  const auto differ = [&](std::size_t first, std::size_t share) {
    return std::memcmp(&left[first * sizeof(Result)], &again[first * sizeof(Result)],
                       share * sizeof(Result)) != 0;
  };
  std::atomic<bool> any = false;
  on_threads(count, [&](std::size_t first, std::size_t share) {
    if (share > 0 && differ(first, share)) any = true;
  });
  std::vector<std::size_t> differing;
  if (any) {
    for (std::size_t i = 0; i < count; ++i) {
      if (differ(i, 1)) differing.push_back(i);
    }
  }
  Verification verification;
  verification.checked = count;
  const auto is_wrong = [&](std::size_t i, double error) {
    verification.worst_error = std::max(verification.worst_error, error);
    if (verification.wrong++ > 0) return;
    std::ostringstream text;
    text.precision(9);
    text << text_of(p, place_of(p, i)) << " is " << +at(left, i) << ", and of one call more "
         << +at(again, i);
    verification.first_wrong = text.str();
  };
  if (promise == Promise::same_bits) {
    for (const std::size_t i : differing) is_wrong(i, HUGE_VAL);
  } else {
    const std::size_t step = differing.size() / kMostSums + 1;
    for (std::size_t place = 0; place < differing.size(); place += step) {
      const std::size_t i = differing[place];
      const double error = error_of<E>(p, drawn, place_of(p, i), at(left, i));
      verification.worst_error = std::max(verification.worst_error, error);
      if (!(error <= 1)) is_wrong(i, error);
    }
  }
  verification.passed = verification.wrong == 0 && count > 0;
  verification.method = "same bits";
  verification.tolerance = promise == Promise::same_bits
                               ? "one call more: the same bits"
                               : "one call more: the same bits, or near to a wider sum where it differs";
  return verification;
}

// An element of a result as a whole number; what is none becomes one that no sum reaches.
template <typename Real>
struct WholeNumber {
  Real value;
  explicit(false) operator std::int64_t() const {
    constexpr auto kNone = std::int64_t{1} << 60;  // not 0 modulo the prime of Freivalds' check either
    constexpr Real kMost = 0x1p53;
    if (!(std::abs(value) < kMost)) return kNone;
    const auto whole = static_cast<std::int64_t>(value);
    return static_cast<Real>(whole) == value ? whole : kNone;
  }
};
template <typename Real>
struct InIntegersOf : InIntegers {
  using Result = WholeNumber<Real>;
};

}  // namespace

Verification check_real(const GemmProblem& problem, const Drawn& drawn, std::span<const std::byte> c,
                        std::uint64_t seed) {
  switch (problem.element) {
    case Element::float64:
      return check_bytes<InFloat64>(problem, drawn, c, seed);
    case Element::float32:
      return check_bytes<InFloat32>(problem, drawn, c, seed);
    case Element::float8_e4m3:
      return check_bytes<InFloat8Units>(problem, drawn, c, seed);
    case Element::int8:
    case Element::int32:
      return check_bytes<InInt32>(problem, drawn, c, seed);
    case Element::tf32:
    case Element::float16:
    case Element::bfloat16:
      return check_bytes<InMatrixUnits>(problem, drawn, c, seed);
  }
  return {};
}

Verification check_integers(const GemmProblem& problem, const Drawn& drawn, std::span<const std::byte> c,
                            std::uint64_t seed) {
  switch (result_of(problem.element)) {
    case Element::float64:
      return check_bytes<InIntegersOf<double>>(problem, drawn, c, seed);
    case Element::int32:
      return check_bytes<InInt32>(problem, drawn, c, seed);
    default:
      return check_bytes<InIntegersOf<float>>(problem, drawn, c, seed);
  }
}

Verification check_again(const GemmProblem& problem, const Drawn& drawn, std::span<const std::byte> left,
                         std::span<const std::byte> again, Promise promise) {
  switch (problem.element) {
    case Element::float64:
      return check_differing<InFloat64>(problem, drawn, left, again, promise);
    case Element::float32:
      return check_differing<InFloat32>(problem, drawn, left, again, promise);
    case Element::float8_e4m3:
      return check_differing<InFloat8Units>(problem, drawn, left, again, promise);
    case Element::int8:
    case Element::int32:
      return check_differing<InInt32>(problem, drawn, left, again, promise);
    case Element::tf32:
    case Element::float16:
    case Element::bfloat16:
      return check_differing<InMatrixUnits>(problem, drawn, left, again, promise);
  }
  return {};
}

Verification all_of(const Verification& real, const Verification& again, const Verification& integers) {
  Verification all = real;
  all.passed = real.passed && again.passed && integers.passed;
  all.method = real.method + " + same bits + exact integers";
  all.tolerance = real.tolerance + "; " + again.tolerance + "; a further product of whole numbers: exact";
  all.worst_error = std::max({real.worst_error, again.worst_error, integers.worst_error});
  all.checked += again.checked + integers.checked;
  all.wrong += again.wrong + integers.wrong;
  if (real.wrong > 0) return all;
  if (again.wrong > 0)
    all.first_wrong = again.first_wrong;
  else if (integers.wrong > 0)
    all.first_wrong = "of the product of whole numbers: " + integers.first_wrong;
  return all;
}

}  // namespace pibench::cuda
