#include "matmul_workload.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../matmul/operand.h"
#include "../random.h"
#include "cublas.h"
#include "matmul_check.h"
#include "rates.h"

namespace pibench::cuda {
namespace {

using kernels::cuda::bytes_of;
using kernels::cuda::FillArguments;
using kernels::cuda::PatternArguments;
using kernels::cuda::Values;

// On huge pages, and nothing is written to them before the download.
using HostBytes = matmul::Operand<std::byte>;

// Apart from those of the CPU's matmul for any seed.
enum class Stream : std::uint64_t {
  a = 0x1a00'0000'0000'0000,
  b = 0x1b00'0000'0000'0000,
  check = 0x1c00'0000'0000'0000
};
std::uint64_t stream_of(std::uint64_t seed, Stream which) {
  return draw(static_cast<std::uint64_t>(which), seed);
}

// Not a number, and the least integer.
constexpr std::uint32_t kPoisonReal = 0x7fffffff;
constexpr std::uint32_t kPoisonInteger = 0x80000000;

void refuse_uncountable(const GemmProblem& p) {
  constexpr double kMost = 0x1p58;
  const auto side = [](std::int64_t length) { return static_cast<double>(length); };
  if (side(p.m) * side(p.n) * side(p.k) * side(p.batch) > kMost)
    throw std::invalid_argument("a product of so many multiply-adds would never end");
}

class MatmulWorkload final : public DeviceWorkload {
 public:
  explicit MatmulWorkload(const MatmulParameters& parameters)
      : DeviceWorkload(parameters.place),
        parameters_(parameters),
        fill_(session().kernel(kernels::cuda::kFill)),
        pattern_(session().kernel(kernels::cuda::kPattern)),
        gemm_(parameters.interface.empty() ? make_own_gemm(session(), parameters.problem, parameters.engine)
                                           : make_library_gemm(session(), parameters.problem,
                                                               parameters.interface, parameters.library)) {
    // A library's product may be made of a memset, the product and a sum of its parts.
    if (!parameters.interface.empty()) clock().expect_commands(3);
  }

  void prepare() override {
    const std::size_t count = set_count();
    a_ = DeviceMemory(count * step(bytes_a()));
    b_ = DeviceMemory(count * step(bytes_b()));
    c_ = DeviceMemory(count * step(bytes_c()));
    for (std::size_t i = 0; i < count; ++i)
      sets_.push_back({a_.address() + i * step(bytes_a()), b_.address() + i * step(bytes_b()),
                       c_.address() + i * step(bytes_c())});
    for (const OperandSet& set : sets_) fill(set, random());
    poison();
    session().synchronize();
    gemm_->bind(sets_);
    // A first launch may make the driver wait for the device, so it must not stand behind a gate.
    gemm_->enqueue(0);
    session().synchronize();
    poison();
  }

  void run() noexcept override { gemm_->enqueue(current_); }
  // A library may do other things in a call than in the one before.
  [[nodiscard]] bool calls_alike() const override {
    return parameters_.interface.empty() && sets_.size() == 1;
  }
  void evict() noexcept override { current_ = (current_ + 1) % sets_.size(); }

  void poison() noexcept override {
    fetched_ = {};
    poison(c_.address(), c_.bytes());
  }

  Verification verify() override {
    const std::uint64_t seed = stream_of(parameters_.seed, Stream::check);
    const Verification real = check_real(parameters_.problem, random(), fetched(), seed);
    const Verification again = check_one_more();
    const Drawn whole{stream_of(parameters_.seed + 1, Stream::a), stream_of(parameters_.seed + 1, Stream::b),
                      Values::integers, integer_limit(parameters_.problem.element, parameters_.problem.k)};
    fill(sets_[current_], whole);
    poison_current();
    gemm_->enqueue(current_);
    const Verification integers = check_integers(parameters_.problem, whole, fetched(), seed);
    // A call that comes after is one of the operands of the repetitions again.
    fill(sets_[current_], random());
    finish();
    return all_of(real, again, integers);
  }
  // One of the same operands, and that of whole numbers.
  [[nodiscard]] bool verifies_one_call() const override { return true; }

  Ceilings ceilings(bool cold) override {
    Ceilings ceilings;
    if (const auto* peak = peak_loop(parameters_.problem.element, session().capability(), ""))
      ceilings.unused_instructions = unused_instructions(*peak, session().capability());
    ceilings.operations_per_second =
        measure_peak(session(), clock(), parameters_.problem.element, ceilings.instruction_set);
    const std::size_t bytes = bytes_a() + bytes_b() + bytes_c();
    // Cold operands come from memory: what is read then has to be larger than the L2 too.
    const std::size_t read = cold ? std::max(bytes, 4 * session().l2_bytes()) : bytes;
    ceilings.bytes_per_second = measure_read(session(), clock(), read);
    ceilings.bytes = static_cast<double>(read);
    return ceilings;
  }

  [[nodiscard]] std::string implementation() const override { return gemm_->implementation(); }
  [[nodiscard]] std::optional<LibraryReport> library() const override { return gemm_->library(); }

 protected:
  Output fetched_output() override { return {fetched(), bytes_of(result_of(parameters_.problem.element))}; }

 private:
  // From one set to the next, in one allocation: small operands would take millions of them. Aligned as the
  // driver's own are.
  [[nodiscard]] static std::size_t step(std::size_t bytes) {
    constexpr std::size_t kAlignment = 256;
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  // What the repetitions left, which is fetched, beside one call more. The operands too are made anew: a
  // fault in the memory where they lay shows as well.
  Verification check_one_more() {
    const HostBytes left = std::exchange(fetched_, {});
    fill(sets_[current_], random());
    poison_current();
    gemm_->enqueue(current_);
    const Promise promise = parameters_.interface.empty() ? Promise::same_bits : Promise::same_product;
    Verification again =
        check_again(parameters_.problem, random(), {left.data(), left.count()}, fetched(), promise);
    fetched_ = {};
    return again;
  }

  [[nodiscard]] std::size_t bytes_a() const { return bytes(parameters_.problem.m, parameters_.problem.k); }
  [[nodiscard]] std::size_t bytes_b() const { return bytes(parameters_.problem.k, parameters_.problem.n); }
  [[nodiscard]] std::size_t bytes_c() const {
    const auto& p = parameters_.problem;
    return static_cast<std::size_t>(p.batch * p.m * p.n) * bytes_of(result_of(p.element));
  }
  [[nodiscard]] std::size_t bytes(std::int64_t rows, std::int64_t columns) const {
    return static_cast<std::size_t>(parameters_.problem.batch * rows * columns) *
           bytes_of(parameters_.problem.element);
  }

  // Cold: until a set has its turn again, twice the L2 and more was read and written.
  [[nodiscard]] std::size_t set_count() const {
    if (!parameters_.cold) return 1;
    const std::size_t one = step(bytes_a()) + step(bytes_b()) + step(bytes_c());
    return 2 * session().l2_bytes() / one + 2;
  }

  [[nodiscard]] Drawn random() const {
    return {stream_of(parameters_.seed, Stream::a), stream_of(parameters_.seed, Stream::b), Values::real, 0};
  }

  void fill(const OperandSet& set, const Drawn& drawn) noexcept {
    const auto& p = parameters_.problem;
    const auto element = static_cast<std::uint32_t>(p.element);
    session().launch(fill_, FillArguments{pointer<void>(set.a), drawn.a, p.batch, p.m, p.k, element,
                                          drawn.values, drawn.limit, 0});
    session().launch(fill_, FillArguments{pointer<void>(set.b), drawn.b, p.batch, p.k, p.n, element,
                                          drawn.values, drawn.limit, gemm_->b_transposed() ? 1U : 0U});
  }

  void poison_current() noexcept { poison(sets_[current_].c, bytes_c()); }
  void poison(Address address, std::size_t bytes) noexcept {
    const std::uint32_t value =
        result_of(parameters_.problem.element) == Element::int32 ? kPoisonInteger : kPoisonReal;
    session().launch(
        pattern_, PatternArguments{pointer<std::uint32_t>(address), bytes / sizeof(std::uint32_t), value, 0});
  }

  // The result of the last call, on the host. Throws what failed.
  std::span<std::byte> fetched() {
    if (fetched_.count() == 0) {
      session().synchronize();
      HostBytes bytes(1, 1, static_cast<std::int64_t>(bytes_c()));
      c_.download_part(bytes.data(), current_ * step(bytes_c()), bytes_c());
      fetched_ = std::move(bytes);
    }
    return {fetched_.data(), fetched_.count()};
  }

  MatmulParameters parameters_;
  Kernel fill_, pattern_;
  std::unique_ptr<DeviceGemm> gemm_;
  DeviceMemory a_, b_, c_;
  std::vector<OperandSet> sets_;
  std::size_t current_ = 0;
  HostBytes fetched_;
};

}  // namespace

std::unique_ptr<Workload> make_matmul_workload(const MatmulParameters& parameters) {
  refuse_uncountable(parameters.problem);
  return std::make_unique<MatmulWorkload>(parameters);
}

}  // namespace pibench::cuda
