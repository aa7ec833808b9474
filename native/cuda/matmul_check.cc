#include "matmul_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../matmul/verify.h"
#include "host_threads.h"

namespace pibench::cuda {
namespace {

template <typename Operand>
std::vector<Operand> drawn_matrix(std::int64_t count, Element element, std::uint64_t stream,
                                  const Drawn& drawn) {
  std::vector<Operand> matrix(static_cast<std::size_t>(count));
  on_threads(matrix.size(), [&](std::size_t first, std::size_t share) {
    for (std::size_t i = first; i < first + share; ++i)
      matrix[i] = static_cast<Operand>(drawn_number(stream, i, element, drawn.values, drawn.limit));
  });
  return matrix;
}

template <typename E>
Verification check(const GemmProblem& p, const Drawn& drawn, const typename E::Result* c,
                   std::uint64_t seed) {
  using Operand = typename E::Operand;
  const auto a = drawn_matrix<Operand>(p.batch * p.m * p.k, p.element, drawn.a, drawn);
  const auto b = drawn_matrix<Operand>(p.batch * p.k * p.n, p.element, drawn.b, drawn);
  const auto product = [&](std::int64_t i) -> matmul::ProductOf<E> {
    return {p.m,
            p.n,
            p.k,
            {a.data() + i * p.m * p.k, p.k, 1},
            {b.data() + i * p.k * p.n, p.n, 1},
            c + i * p.m * p.n};
  };
  return matmul::verify_all<E>(product, p.batch, seed);
}

template <typename E>
Verification check_bytes(const GemmProblem& problem, const Drawn& drawn, std::span<const std::byte> c,
                         std::uint64_t seed) {
  return check<E>(problem, drawn, reinterpret_cast<const typename E::Result*>(c.data()), seed);
}

// What is no whole number becomes one that no sum reaches.
template <typename Result>
std::vector<std::int64_t> whole_numbers(std::span<const std::byte> bytes) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max() / 4;
  constexpr double kMost = 0x1p53;
  std::vector<std::int64_t> numbers(bytes.size() / sizeof(Result));
  const auto* values = reinterpret_cast<const Result*>(bytes.data());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto value = static_cast<double>(values[i]);
    numbers[i] =
        std::abs(value) < kMost && std::trunc(value) == value ? static_cast<std::int64_t>(value) : kNone;
  }
  return numbers;
}

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
  const Element result = result_of(problem.element);
  const auto numbers = result == Element::float64 ? whole_numbers<double>(c)
                       : result == Element::int32 ? whole_numbers<std::int32_t>(c)
                                                  : whole_numbers<float>(c);
  return check<InIntegers>(problem, drawn, numbers.data(), seed);
}

Verification both(const Verification& real, const Verification& integers) {
  Verification all = real;
  all.passed = real.passed && integers.passed;
  all.method = real.method + " + exact integers";
  all.tolerance = real.tolerance + "; a further product of whole numbers: exact";
  all.worst_error = std::max(real.worst_error, integers.worst_error);
  all.checked += integers.checked;
  all.wrong += integers.wrong;
  if (real.wrong == 0 && integers.wrong > 0)
    all.first_wrong = "of the product of whole numbers: " + integers.first_wrong;
  return all;
}

}  // namespace pibench::cuda
