#include "matmul_workload.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "../cache_flush.h"
#include "../memory/bandwidth.h"
#include "../peak/peak_workload.h"
#include "../stacks/gemm_provider.h"
#include "../stacks/library_threads.h"
#include "../threads/share_among.h"
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

// Shares a verification's rows, or products, among the members.
struct OnTeam {
  Team& team;
  void operator()(std::int64_t count, std::int64_t /*each*/, const auto& part) const {
    const auto all = static_cast<std::size_t>(count);
    const auto members = static_cast<std::size_t>(team.size());
    const auto range = [&part](std::size_t first, std::size_t some) {
      part(static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + some));
    };
    share_among(team, all, (all + members - 1) / members, range);
  }
};

// Before anybody multiplies the sides of a shape whose products no integer holds.
void refuse_uncountable(const kernels::GemmShape& shape) {
  constexpr double kMost = 0x1p58;  // multiply-adds: days of a whole machine, and no count of bytes overflows
  const auto side = [](std::int64_t length) { return static_cast<double>(length); };
  if (side(shape.m) * side(shape.n) * side(shape.k) * side(shape.batch) > kMost)
    throw std::invalid_argument("a product of so many multiply-adds would never end");
}

template <typename T>
auto bits_of(T value) noexcept {
  return std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
}

int library_threads(const Parameters& parameters) {
  return parameters.library_threads > 0 ? parameters.library_threads : parameters.threads;
}

// A library in the place of our kernels, and its threads.
struct Library {
  explicit Library(const Parameters& parameters)
      : threads(library_threads(parameters), parameters.cpus),
        provider(stacks::open_provider(parameters.interface, parameters.library)) {
    provider->set_threads(library_threads(parameters));
  }
  stacks::LibraryThreads threads;
  std::unique_ptr<stacks::GemmProvider> provider;
};

std::optional<Library> open_library(const Parameters& parameters) {
  if (parameters.interface.empty()) return std::nullopt;
  return std::optional<Library>(std::in_place, parameters);
}

const char* name_of(stacks::Binding binding) {
  switch (binding) {
    case stacks::Binding::none:
      return "none";
    case stacks::Binding::each:
      return "each";
    case stacks::Binding::together:
      return "together";
  }
  return "none";
}

template <DataType type>
class MatmulWorkload final : public Workload {
  using E = Elements<type>;

 public:
  explicit MatmulWorkload(const Parameters& parameters)
      : parameters_(parameters),
        library_(open_library(parameters)),
        // Beside a library's threads a team of ours would only be in their way: it is the caller alone, who
        // stays where the library's threads were told to be.
        team_(library_ ? 1 : parameters.threads, library_ ? std::vector<int>{} : parameters.cpus),
        gemm_(make_gemm(parameters.shape)) {}

  void prepare() override {
    const auto& [m, n, k, transpose_a, transpose_b, batch, prepack_b] = parameters_.shape;
    a_ = Operand<typename E::Operand>(batch, m, k);
    b_ = Operand<typename E::Operand>(batch, k, n);
    c_ = Operand<typename E::Result>(batch, m, n);
    // Every page is touched first by a thread on the CPUs of the case, also where a library will read it.
    with_team_of_all([this](Team& team) {
      fill(team);
      poison(team);
    });
    operands_ = {a_.data(), b_.data(), c_.data(), transpose_a ? m : k, transpose_b ? k : n, n,
                 m * k,     k * n,     m * n};
    gemm_->prepack(operands_);
  }

  void run() noexcept override { gemm_->run(operands_); }

  // The first products of the batch: the same work as that of the others.
  void prepare_again(double share) override {
    kernels::GemmShape some = parameters_.shape;
    const double products = share * static_cast<double>(some.batch);
    some.batch = std::llround(products);
    if (some.batch < 1 || std::abs(products - static_cast<double>(some.batch)) > 1e-9)
      throw std::invalid_argument("this share of a call is no whole number of its products");
    again_ = make_gemm(some);
    again_->prepack(operands_);
  }
  void run_again() noexcept override { again_->run(operands_); }

  void evict() noexcept override {
    evict_range(a_.data(), a_.bytes());
    evict_range(b_.data(), b_.bytes());
    evict_range(c_.data(), c_.bytes());
  }

  void poison() noexcept override { poison(team_); }

  void renew() override {
    ++drawn_;
    with_team_of_all([this](Team& team) { fill(team); });
    // Nothing else was made of their values; what else a stack keeps has to bear it.
    if (!parameters_.shape.prepack_b) return;
    gemm_->prepack(operands_);
    if (again_) again_->prepack(operands_);
  }

  Verification verify() override {
    // A right product of other operands than were given is none.
    if (Verification altered = check_operands(); !altered.passed) return altered;
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
    Verification found;
    with_team_of_all([&](Team& team) {
      found = verify_all<E>(product, shape.batch, stream(parameters_.seed, Stream::check), OnTeam{team});
    });
    return found;
  }

  Ceilings ceilings(bool cold) override {
    Ceilings ceilings;
    ceilings.unused_instructions = kernels::unused_by_peak_loop(type, "");
    // Beside threads that spin there is no ceiling.
    if (library_ && !library_->threads.wait_until_idle()) return ceilings;
    with_team_of_all([&](Team& team) {
      if (kernels::knows_peak(type)) {
        ceilings.operations_per_second = peak::measure(type, team);
        ceilings.instruction_set = kernels::peak_loop_isa(type, "");
      }
      const auto [rate, bytes] = memory::measure_read(a_.bytes() + b_.bytes() + c_.bytes(), cold, team);
      ceilings.bytes_per_second = rate;
      ceilings.bytes = bytes;
    });
    peak_ = ceilings.operations_per_second;
    return ceilings;
  }

  // Beside a library's threads, which spin for a while after each call, there is no looking.
  std::optional<double> glance_at_peak(Nanoseconds about) override {
    if (library_ || peak_ == 0) return std::nullopt;
    return peak::glance(type, team_, peak_, about);
  }

  Output output() noexcept override {
    return {{reinterpret_cast<std::byte*>(c_.data()), c_.bytes()}, sizeof(typename E::Result)};
  }
  [[nodiscard]] std::string implementation() const override {
    if (library_) {
      const std::string chose = library_->provider->chose();
      return gemm_->isa() + (chose.empty() ? "" : ", " + chose);
    }
    const int working = gemm_->members();
    std::string name = gemm_->isa();
    if (working < team_.size()) {
      name += ", " + std::to_string(working) + " of " + std::to_string(team_.size()) + " threads at work";
    }
    return name;
  }
  [[nodiscard]] std::optional<LibraryReport> library() const override {
    if (!library_) return std::nullopt;
    return LibraryReport{library_->provider->version(), library_->provider->chose(),
                         name_of(library_->threads.binding())};
  }
  void find_library_threads() override {
    if (library_) library_->threads.find();
  }
  void bind_library_threads() override {
    if (library_) library_->threads.bind();
  }
  [[nodiscard]] std::vector<int> thread_ids() override {
    return library_ ? library_->threads.ids() : team_.thread_ids();
  }
  [[nodiscard]] bool every_thread_is_watched() const override {
    return !library_ || library_threads(parameters_) == 1;
  }
  std::vector<std::span<const std::byte>> inputs() noexcept override {
    return {std::as_bytes(std::span(a_.data(), a_.count())), std::as_bytes(std::span(b_.data(), b_.count()))};
  }
  [[nodiscard]] std::vector<std::span<const std::byte>> arrays() const override {
    return {std::as_bytes(std::span(a_.data(), a_.count())), std::as_bytes(std::span(b_.data(), b_.count())),
            std::as_bytes(std::span(c_.data(), c_.count()))};
  }
  Team& team() noexcept override { return team_; }

 private:
  std::unique_ptr<kernels::Gemm> make_gemm(const kernels::GemmShape& shape) {
    return library_ ? library_->provider->make_gemm(type, shape, parameters_.threads)
                    : kernels::make_gemm(type, shape, parameters_.isa.c_str(), team_);
  }

  // Calls `action` with a team of as many threads as the case has.
  template <typename Action>
  void with_team_of_all(Action action) {
    if (!library_) return action(team_);
    Team all(parameters_.threads, parameters_.cpus);
    action(all);
  }

  void poison(Team& team) noexcept {
    auto* c = c_.data();
    share_out(team, c_.count(), sizeof(typename E::Result),
              [c](std::size_t first, std::size_t count) { std::fill_n(c + first, count, E::poison()); });
  }

  void fill(Team& team) noexcept {
    fill(team, a_, stream(parameters_.seed + drawn_, Stream::a));
    fill(team, b_, stream(parameters_.seed + drawn_, Stream::b));
  }

  // Whether A and B are what they were filled with.
  Verification check_operands() {
    Verification verification;
    verification.method = "operands";
    verification.tolerance = "exact: no call may write to what it reads";
    with_team_of_all([&](Team& team) {
      check_operand(team, a_, 'A', verification);
      check_operand(team, b_, 'B', verification);
    });
    verification.passed = verification.wrong == 0;
    if (!verification.passed) verification.worst_error = std::numeric_limits<double>::infinity();
    return verification;
  }

  void check_operand(Team& team, const Operand<typename E::Operand>& operand, char name,
                     Verification& verification) {
    std::mutex mutex;
    std::size_t wrong = 0;
    std::size_t first_wrong = operand.count();
    const auto* data = operand.data();
    const std::uint64_t drawn = stream(parameters_.seed + drawn_, name == 'A' ? Stream::a : Stream::b);
    share_out(team, operand.count(), sizeof(typename E::Operand), [&](std::size_t first, std::size_t count) {
      std::size_t found = 0;
      std::size_t place = operand.count();
      for (std::size_t i = first; i < first + count; ++i) {
        const bool as_filled = bits_of(data[i]) == bits_of(E::random(drawn, i));
        if (!as_filled && found++ == 0) place = i;
      }
      const std::scoped_lock lock(mutex);
      wrong += found;
      first_wrong = std::min(first_wrong, place);
    });
    verification.checked += operand.count();
    verification.wrong += wrong;
    if (wrong > 0 && verification.first_wrong.empty())
      verification.first_wrong = "element " + std::to_string(first_wrong) + " of " + name +
                                 ", which a call only reads, was changed by one";
  }

  void fill(Team& team, Operand<typename E::Operand>& operand, std::uint64_t stream) noexcept {
    auto* data = operand.data();
    share_out(team, operand.count(), sizeof(typename E::Operand),
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
  std::optional<Library> library_;
  Team team_;
  std::unique_ptr<kernels::Gemm> gemm_;
  std::unique_ptr<kernels::Gemm> again_;  // nothing but where work is repeated on purpose
  Operand<typename E::Operand> a_, b_;
  Operand<typename E::Result> c_;
  kernels::GemmOperands operands_{};
  std::uint64_t drawn_ = 0;  // how often the operands were renewed
  double peak_ = 0;          // operations per second, once the ceilings were measured
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
