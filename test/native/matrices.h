// Random operands of a product, and the product as the definition has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../../kernels/cpu/data_type_name.h"
#include "../../native/matmul/verify.h"

namespace pibench::test {

using kernels::DataType;
using kernels::name_of;

// Calls `body` with each data type as a constant.
template <typename Body>
void for_each_type(const Body& body) {
  body(std::integral_constant<DataType, DataType::float32>{});
  body(std::integral_constant<DataType, DataType::float64>{});
  body(std::integral_constant<DataType, DataType::bfloat16>{});
  body(std::integral_constant<DataType, DataType::int8>{});
}

// Dense A and B of a data type and C = A B, summed in the wider type and rounded once.
template <DataType type>
struct Matrices {
  using E = matmul::Elements<type>;

  Matrices(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::uint64_t seed)
      : m(rows),
        n(columns),
        k(depth),
        a(random(rows * depth, 2 * seed)),
        b(random(depth * columns, 2 * seed + 1)),
        c(static_cast<std::size_t>(rows * columns)) {
    using Wide = typename E::Wide;
    std::vector<Wide> row(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < m; ++i) {
      std::fill(row.begin(), row.end(), Wide{0});
      for (std::int64_t p = 0; p < k; ++p) {
        const auto x = matmul::detail::widen_to<Wide>(a[static_cast<std::size_t>(i * k + p)]);
        const auto* of_b = &b[static_cast<std::size_t>(p * n)];
        for (std::size_t j = 0; j < row.size(); ++j) row[j] += x * matmul::detail::widen_to<Wide>(of_b[j]);
      }
      for (std::int64_t j = 0; j < n; ++j)
        at(i, j) = static_cast<typename E::Result>(row[static_cast<std::size_t>(j)]);
    }
  }

  static std::vector<typename E::Operand> random(std::int64_t count, std::uint64_t stream) {
    std::vector<typename E::Operand> elements(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = E::random(stream, i);
    return elements;
  }

  typename E::Result& at(std::int64_t i, std::int64_t j) { return c[static_cast<std::size_t>(i * n + j)]; }

  [[nodiscard]] matmul::Product<type> product() const { return {m, n, k, {a.data(), k, 1}, {b.data(), n, 1}, c.data()}; }

  std::int64_t m, n, k;
  std::vector<typename E::Operand> a, b;
  std::vector<typename E::Result> c;
};

}  // namespace pibench::test
