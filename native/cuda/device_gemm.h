// What multiplies matrices on a GPU: our kernels, or a library in their place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "../../kernels/cuda/contract_gemm.h"
#include "../measure/workload.h"
#include "elements.h"
#include "session.h"

namespace pibench::cuda {

struct GemmProblem {
  std::int64_t m, n, k, batch;
  Element element;  // of the operands; result_of(element) that of the result
};

// Of whoever counts elements in 32 bits. Throws std::invalid_argument.
inline void require_32_bits(const GemmProblem& problem, const std::string& who) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (std::max({problem.m, problem.n, problem.k, problem.batch}) > kMost)
    throw std::invalid_argument("a side of the product, or its batch, is longer than " + who + " can count");
}

// Matrices that lie one behind the other, dense: A m x k and C m x n by rows, B k x n by rows or transposed.
struct OperandSet {
  Address a, b, c;
};

class DeviceGemm {
 public:
  DeviceGemm() = default;
  DeviceGemm(const DeviceGemm&) = delete;
  DeviceGemm& operator=(const DeviceGemm&) = delete;
  virtual ~DeviceGemm() = default;

  // Whether B has to lie transposed, n x k by rows.
  [[nodiscard]] virtual bool b_transposed() const noexcept = 0;
  // The sets with which enqueue() will be called, by their place. Throws what the driver or the library
  // refuses.
  virtual void bind(std::span<const OperandSet> sets) = 0;
  // One product of each of the batch; what fails is kept in the session.
  virtual void enqueue(std::size_t set) noexcept = 0;
  [[nodiscard]] virtual std::string implementation() const = 0;
  [[nodiscard]] virtual std::optional<LibraryReport> library() const { return std::nullopt; }
};

// Our kernel of the engine named (wgmma, mma, scalar), or with "" the preferred one. Throws
// std::invalid_argument where there is none for the problem on this device.
std::unique_ptr<DeviceGemm> make_own_gemm(Session& session, const GemmProblem& problem,
                                          const std::string& engine);

// The kernel given; the problem has to fit it (`fits`). For checks, which ask for each.
std::unique_ptr<DeviceGemm> make_own_gemm(Session& session, const GemmProblem& problem,
                                          const kernels::cuda::Gemm& gemm);

}  // namespace pibench::cuda
