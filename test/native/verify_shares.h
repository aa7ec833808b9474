// Verification in shares, on several threads: it finds the same, bit for bit, as all in one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "../../native/cuda/host_threads.h"
#include "../../native/cuda/matmul_check.h"
#include "check.h"
#include "matrices.h"

namespace pibench::test {

inline constexpr std::uint64_t kSeed = 2024;

inline std::string numbers(const Verification& result) {
  return std::to_string(result.wrong) + " wrong, worst " + std::to_string(result.worst_error) +
         " of the limit; " + result.first_wrong;
}

// Three shares, of which the first is done last.
struct InShares {
  void operator()(std::int64_t count, std::int64_t /*each*/, const auto& part) const {
    const std::int64_t step = count / 3 + 1;
    const auto share = [&](std::int64_t i) {
      part(std::min(i * step, count), std::min((i + 1) * step, count));
    };
    std::thread second([&share] { share(1); });
    std::thread third([&share] { share(2); });
    second.join();
    third.join();
    share(0);
  }
};

inline void check_same(Checks& check, const Verification& shared, const Verification& alone,
                       const std::string& what) {
  check.that(shared.passed == alone.passed && shared.method == alone.method &&
                 shared.tolerance == alone.tolerance && shared.worst_error == alone.worst_error &&
                 shared.checked == alone.checked && shared.wrong == alone.wrong &&
                 shared.first_wrong == alone.first_wrong,
             "in shares the same is found of " + what, numbers(shared) + "; alone: " + numbers(alone));
}

// One product, or every fifth of a batch, right and with ever more wrong rows.
template <typename E, DataType type>
void check_shares(Checks& check, Matrices<type> given, std::int64_t count, const std::string& name) {
  const auto right = given.c;
  const std::int64_t m = given.m;
  const std::int64_t n = given.n;
  const std::int64_t k = given.k;
  const auto check_it = [&](const std::string& what) {
    const auto product = [&](std::int64_t i) -> matmul::ProductOf<E> {
      const auto& c = i % 5 == 3 || count == 1 ? given.c : right;
      return {m, n, k, {given.a.data(), k, 1}, {given.b.data(), n, 1}, c.data()};
    };
    check_same(check, matmul::verify_all<E>(product, count, kSeed, InShares{}),
               matmul::verify_all<E>(product, count, kSeed), name + what);
  };
  check_it("a right product");
  for (const std::int64_t i : {m - 1, m / 2, std::int64_t{1}}) {
    given.at(i, 3) = given.at(i, 4);
    check_it("one with an element that is its neighbour, in row " + std::to_string(i) + " too");
  }
}

// Read by columns the operands are others, and C is not their product.
inline void check_shares_by_columns(Checks& check) {
  const Matrices<DataType::float64> given(7, 9, 8, kSeed);
  const matmul::Product<DataType::float64> product{
      7, 9, 8, {given.a.data(), 1, 7}, {given.b.data(), 1, 8}, given.c.data()};
  check_same(check, matmul::verify_freivalds_real(product, kSeed, InShares{}),
             matmul::verify_freivalds_real(product, kSeed), "operands by columns");
}

// What a GPU made is verified on as many threads as there are: of C there are enough elements for two.
inline void check_on_threads(Checks& check, cuda::Element element) {
  using namespace cuda;
  using kernels::cuda::Values;
  const GemmProblem p{300, 520, 160, 1, element};
  const std::string name = cuda::name_of(element) + " of a GPU: ";
  for (const Values values : {Values::real, Values::integers}) {
    const Drawn drawn{1, 2, values, integer_limit(element, p.k)};
    const auto matrix = [&](std::uint64_t stream, std::int64_t count) {
      std::vector<double> numbers(static_cast<std::size_t>(count));
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = drawn_number(stream, i, element, values, drawn.limit);
      return numbers;
    };
    const std::vector<double> a = matrix(drawn.a, p.m * p.k);
    const std::vector<double> b = matrix(drawn.b, p.k * p.n);
    std::vector<float> c;
    std::vector<double> row(static_cast<std::size_t>(p.n));
    for (std::int64_t i = 0; i < p.m; ++i) {
      std::ranges::fill(row, 0);
      for (std::int64_t l = 0; l < p.k; ++l) {
        for (std::int64_t j = 0; j < p.n; ++j)
          row[static_cast<std::size_t>(j)] +=
              a[static_cast<std::size_t>(i * p.k + l)] * b[static_cast<std::size_t>(l * p.n + j)];
      }
      for (const double sum : row) c.push_back(static_cast<float>(sum));
    }
    const std::vector<float> right = c;
    const auto bytes = [](const std::vector<float>& of) { return std::as_bytes(std::span(of)); };
    const auto verified = [&] {
      return values == Values::real ? check_real(p, drawn, bytes(c), kSeed)
                                    : check_integers(p, drawn, bytes(c), kSeed);
    };
    const Verification passed = verified();
    check.that(passed.passed && passed.checked == 300, name + "a right product passes", numbers(passed));
    for (const float wrong : {0.5F, std::numeric_limits<float>::quiet_NaN(), 0x1p100F}) {
      for (const std::int64_t row : {299, 151}) c[static_cast<std::size_t>(row * p.n + 519)] += wrong;
      const Verification refused = verified();
      check.that(refused.wrong == 2 && refused.first_wrong.starts_with("row 151 of C"),
                 name + "two rows with " + std::to_string(wrong) + " too much are wrong", numbers(refused));
      const Verification again = check_again(p, drawn, bytes(right), bytes(c), Promise::same_bits);
      check.that(again.wrong == 2 && again.first_wrong.starts_with("C[151][519]"),
                 name + "and differ from one call more", numbers(again));
      c = right;
    }
    const Verification same = check_again(p, drawn, bytes(right), bytes(c), Promise::same_bits);
    check.that(same.passed && same.checked == c.size(), name + "the same bits pass", numbers(same));
    c.back() = -c.back();
    const Verification last = check_again(p, drawn, bytes(right), bytes(c), Promise::same_bits);
    check.that(last.wrong == 1 && last.first_wrong.starts_with("C[299][519]"),
               name + "but for the very last, which is wrong", numbers(last));
  }
}

// Where the right sum is 0 what is no whole number is as wrong as elsewhere.
inline void check_no_whole_numbers(Checks& check) {
  using namespace cuda;
  const GemmProblem p{300, 520, 160, 1, Element::float32};
  const Drawn zeros{1, 2, kernels::cuda::Values::integers, 0};
  for (const float wrong : {0.5F, std::numeric_limits<float>::quiet_NaN(), 0x1p100F}) {
    std::vector<float> c(static_cast<std::size_t>(p.m * p.n));
    const auto verified = [&] { return check_integers(p, zeros, std::as_bytes(std::span(c)), kSeed); };
    check.that(verified().passed, "a product of zeros is one of zeros", numbers(verified()));
    c[520 * 7] = wrong;
    check.that(verified().wrong == 1, "and not with " + std::to_string(wrong) + " in it",
               numbers(verified()));
  }
}

// A thread that could not do its share is no end of the process, nor of the others' shares.
inline void check_throwing(Checks& check) {
  constexpr std::size_t kCount = 1 << 20;
  std::atomic<std::size_t> done = 0;
  std::string thrown;
  try {
    cuda::on_threads(kCount, [&](std::size_t first, std::size_t share) {
      if (first == 0) throw std::bad_alloc();
      done += share;
    });
  } catch (const std::bad_alloc&) {
    thrown = "as it is";
  }
  check.that(thrown == "as it is", "what a share throws comes out of all of them");
  check.that(done < kCount, "and that share is missing");
}

inline void check_shared_verification(Checks& check) {
  for_each_type([&check](auto type) {
    constexpr DataType kType = type.value;
    using E = matmul::Elements<kType>;
    const std::string name = name_of(kType) + ", ";
    check_shares<E>(check, Matrices<kType>(37, 41, 64, kSeed), 1, name + "every element: ");
    check_shares<E>(check, Matrices<kType>(260, 260, 260, kSeed), 1, name + "Freivalds: ");
    check_shares<E>(check, Matrices<kType>(9, 10, 11, kSeed), 17, name + "a batch, every element: ");
    check_shares<E>(check, Matrices<kType>(104, 104, 104, kSeed), 17, name + "a batch, Freivalds: ");
  });
  check_shares<cuda::InFloat8Units>(check, Matrices<DataType::float32>(64, 640, 640, kSeed), 1,
                                    "coarse sums: ");
  check_shares_by_columns(check);
  check_on_threads(check, cuda::Element::float32);
  check_on_threads(check, cuda::Element::bfloat16);
  check_no_whole_numbers(check);
  check_throwing(check);
}

}  // namespace pibench::test
