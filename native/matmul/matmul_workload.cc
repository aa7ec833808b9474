#include "matmul_workload.h"

#include <algorithm>
#include <stdexcept>

#include "../cache_flush.h"
#include "../memory/bandwidth.h"
#include "../peak/peak_workload.h"
#include "../threads/team.h"
#include "elements.h"
#include "operand.h"
#include "verify.h"

namespace pibench::matmul {
namespace {

using kernels::DataType;

// Streams of the random generator, apart from each other for any seed.
enum class Stream : std::uint64_t {
  a = 0x0a00'0000'0000'0000,
  b = 0x0b00'0000'0000'0000,
  check = 0x0c00'0000'0000'0000
};

std::uint64_t stream(std::uint64_t seed, Stream which) {
  return draw(static_cast<std::uint64_t>(which), seed);
}

// Calls `part(first, count)` on every member for its share of `count` elements, in whole pages, and
// waits for all.
template <typename Part>
void share_out(Team& team, std::size_t count, std::size_t element, Part part) noexcept {
  struct Context {
    Part* part;
    std::size_t count, step;
  };
  const std::size_t page = std::max<std::size_t>(1, 4096 / element);
  const auto members = static_cast<std::size_t>(team.size());
  const std::size_t step = (count / members / page + 1) * page;
  Context context{&part, count, step};
  team.run(
      [](void* raw, int member) {
        const auto& c = *static_cast<Context*>(raw);
        const std::size_t first = std::min(c.count, static_cast<std::size_t>(member) * c.step);
        (*c.part)(first, std::min(c.step, c.count - first));
      },
      &context);
}

// Before anybody multiplies the sides of a shape whose products no integer holds.
void refuse_uncountable(const kernels::GemmShape& shape) {
  constexpr double kMost = 0x1p58;  // multiply-adds: days of a whole machine, and no count of bytes overflows
  const auto side = [](std::int64_t length) { return static_cast<double>(length); };
  if (side(shape.m) * side(shape.n) * side(shape.k) * side(shape.batch) > kMost)
    throw std::invalid_argument("a product of so many multiply-adds would never end");
}

template <DataType type>
class MatmulWorkload final : public Workload {
  using E = Elements<type>;

 public:
  explicit MatmulWorkload(const Parameters& parameters)
      : parameters_(parameters),
        team_(parameters.threads, parameters.cpus),
        gemm_(kernels::make_gemm(type, parameters.shape, parameters.isa.c_str(), team_)) {}

  void prepare() override {
    const auto& [m, n, k, transpose_a, transpose_b, batch, prepack_b] = parameters_.shape;
    a_ = Operand<typename E::Operand>(batch, m, k);
    b_ = Operand<typename E::Operand>(batch, k, n);
    c_ = Operand<typename E::Result>(batch, m, n);
    fill(a_, stream(parameters_.seed, Stream::a));
    fill(b_, stream(parameters_.seed, Stream::b));
    poison();
    operands_ = {a_.data(), b_.data(), c_.data(), transpose_a ? m : k, transpose_b ? k : n, n,
                 m * k,     k * n,     m * n};
    gemm_->prepack(operands_);
  }

  void run() noexcept override { gemm_->run(operands_); }

  void evict() noexcept override {
    evict_range(a_.data(), a_.bytes());
    evict_range(b_.data(), b_.bytes());
    evict_range(c_.data(), c_.bytes());
  }

  void poison() noexcept override {
    auto* c = c_.data();
    share_out(team_, c_.count(), sizeof(typename E::Result),
              [c](std::size_t first, std::size_t count) { std::fill_n(c + first, count, E::poison()); });
  }

  Verification verify() override {
    const auto& shape = parameters_.shape;
    const auto product = [&](std::int64_t i) -> Product<type> {
      const auto view = [](const typename E::Operand* first, std::int64_t ld, bool transposed) {
        return Matrix<typename E::Operand>{first, transposed ? 1 : ld, transposed ? ld : 1};
      };
      return {shape.m,
              shape.n,
              shape.k,
              view(a_.data() + i * operands_.stride_a, operands_.lda, shape.transpose_a),
              view(b_.data() + i * operands_.stride_b, operands_.ldb, shape.transpose_b),
              c_.data() + i * operands_.stride_c};
    };
    return matmul::verify<type>(product, shape.batch, stream(parameters_.seed, Stream::check));
  }

  Ceilings ceilings(bool cold) override {
    Ceilings ceilings;
    ceilings.operations_per_second = peak::measure(type, team_);
    ceilings.instruction_set = kernels::peak_loop_isa(type, "");
    const auto [rate, bytes] = memory::measure_read(a_.bytes() + b_.bytes() + c_.bytes(), cold, team_);
    ceilings.bytes_per_second = rate;
    ceilings.bytes = bytes;
    return ceilings;
  }

  Output output() noexcept override {
    return {{reinterpret_cast<std::byte*>(c_.data()), c_.bytes()}, sizeof(typename E::Result)};
  }
  [[nodiscard]] std::string implementation() const override {
    const int working = gemm_->members();
    std::string name = gemm_->isa();
    if (working < team_.size()) {
      name += ", " + std::to_string(working) + " of " + std::to_string(team_.size()) + " threads at work";
    }
    return name;
  }
  Team& team() noexcept override { return team_; }

 private:
  void fill(Operand<typename E::Operand>& operand, std::uint64_t stream) noexcept {
    auto* data = operand.data();
    share_out(team_, operand.count(), sizeof(typename E::Operand),
              [data, stream](std::size_t first, std::size_t count) {
                for (std::size_t i = first; i < first + count; ++i) data[i] = E::random(stream, i);
              });
  }

  void evict_range(const void* memory, std::size_t bytes) noexcept {
    const auto* first_byte = static_cast<const std::byte*>(memory);
    share_out(team_, bytes, 1,
              [first_byte](std::size_t first, std::size_t count) { flush(first_byte + first, count); });
  }

  Parameters parameters_;
  Team team_;
  std::unique_ptr<kernels::Gemm> gemm_;
  Operand<typename E::Operand> a_, b_;
  Operand<typename E::Result> c_;
  kernels::GemmOperands operands_{};
};

}  // namespace

std::unique_ptr<Workload> make_workload(const Parameters& parameters) {
  refuse_uncountable(parameters.shape);
  switch (parameters.type) {
    case DataType::float32:
      return std::make_unique<MatmulWorkload<DataType::float32>>(parameters);
    case DataType::float64:
      return std::make_unique<MatmulWorkload<DataType::float64>>(parameters);
    case DataType::bfloat16:
      return std::make_unique<MatmulWorkload<DataType::bfloat16>>(parameters);
    case DataType::int8:
      return std::make_unique<MatmulWorkload<DataType::int8>>(parameters);
  }
  throw std::invalid_argument("unknown data type");
}

}  // namespace pibench::matmul
