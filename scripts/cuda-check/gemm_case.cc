// One kernel for matrix products on a GPU: is it right on shapes with every kind of edge, does it give the
// same each time, and how fast is it beside cuBLASLt, turn by turn?
#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <vector>

#include "../../kernels/cuda/contract.h"
#include "../../native/cuda/cublas.h"
#include "../../native/cuda/device_gemm.h"
#include "../../native/cuda/host_threads.h"
#include "../../native/cuda/rates.h"
#include "cases.h"

namespace pibench::cuda_check {
namespace {

using namespace pibench::cuda;
using kernels::cuda::bytes_of;
using kernels::cuda::Gemm;
using kernels::cuda::Values;

constexpr std::uint64_t kStreamA = 0xa, kStreamB = 0xb, kStreamX = 0xc;
constexpr std::size_t kGuard = 4096;  // bytes before and after C, which nobody may write
constexpr std::uint32_t kPoison = 0xa5a5a5a5;
constexpr int kRepeats = 4;  // of each product: an error that moves is a race
constexpr int kRounds = 8;   // even: each of the two goes first in half of them
constexpr double kTurnSeconds = 0.03;

std::size_t bytes(std::int64_t elements, Element element) {
  return static_cast<std::size_t>(elements) * bytes_of(element);
}

// The operands and the result of one problem, on the device.
class Matrices {
 public:
  Matrices(Session& session, const GemmProblem& problem, Element result)
      : session_(session),
        problem_(problem),
        c_bytes_((bytes(problem.batch * problem.m * problem.n, result) + 3) / 4 * 4),
        a_(bytes(problem.batch * problem.m * problem.k, problem.element)),
        b_(bytes(problem.batch * problem.k * problem.n, problem.element)),
        c_(c_bytes_ + 2 * kGuard) {}

  void fill(Values values, std::uint32_t limit, bool b_transposed) {
    const Kernel fill = session_.kernel(kernels::cuda::kFill);
    const auto element = static_cast<std::uint32_t>(problem_.element);
    session_.launch(fill, kernels::cuda::FillArguments{pointer<void>(a_.address()), kStreamA, problem_.batch,
                                                       problem_.m, problem_.k, element, values, limit, 0});
    session_.launch(
        fill, kernels::cuda::FillArguments{pointer<void>(b_.address()), kStreamB, problem_.batch, problem_.k,
                                           problem_.n, element, values, limit, b_transposed ? 1U : 0U});
    session_.synchronize();
  }
  void poison() {
    session_.launch(
        session_.kernel(kernels::cuda::kPattern),
        kernels::cuda::PatternArguments{pointer<std::uint32_t>(c_.address()), c_.bytes() / 4, kPoison, 0});
  }
  [[nodiscard]] OperandSet set() const { return {a_.address(), b_.address(), c_.address() + kGuard}; }
  [[nodiscard]] std::vector<std::byte> result() const {
    std::vector<std::byte> out(c_.bytes());
    c_.download(out.data());
    return out;
  }
  [[nodiscard]] std::size_t c_bytes() const { return c_bytes_; }

 private:
  Session& session_;
  GemmProblem problem_;
  std::size_t c_bytes_;
  DeviceMemory a_, b_, c_;
};

std::int64_t whole_number(Element element, const std::byte* place) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, place, std::min<std::size_t>(4, bytes_of(element)));
  switch (element) {
    case Element::float64: {
      double value = 0;
      std::memcpy(&value, place, 8);
      return static_cast<std::int64_t>(value);
    }
    case Element::int32:
      return static_cast<std::int32_t>(bits);
    case Element::bfloat16:
      return static_cast<std::int64_t>(std::bit_cast<float>(bits << 16U));
    case Element::float16:
      return static_cast<std::int64_t>(decoded(bits, 5, 10));
    default:
      return static_cast<std::int64_t>(std::bit_cast<float>(bits));
  }
}

// The small random factor of a column in Freivalds' check, which is exact: all sums are modulo 2^64.
std::uint64_t factor(std::int64_t column) {
  return kernels::cuda::drawn(kStreamX, static_cast<std::uint64_t>(column));
}

std::uint64_t operand(std::uint64_t stream, std::int64_t i, Element element, std::uint32_t limit) {
  const double value =
      kernels::cuda::drawn_value(stream, static_cast<std::uint64_t>(i), element, Values::integers, limit);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

// How many rows of C are not those of A B, by C x = A (B x).
std::int64_t wrong_rows(const GemmProblem& p, Element result, std::uint32_t limit, const std::byte* c) {
  std::int64_t wrong = 0;
  std::mutex mutex;
  for (std::int64_t matrix = 0; matrix < p.batch; ++matrix) {
    std::vector<std::uint64_t> bx(static_cast<std::size_t>(p.k));
    on_threads(bx.size(), static_cast<std::size_t>(p.n), [&](std::size_t first, std::size_t count) {
      for (auto l = static_cast<std::int64_t>(first); l < static_cast<std::int64_t>(first + count); ++l) {
        std::uint64_t sum = 0;
        for (std::int64_t j = 0; j < p.n; ++j)
          sum += operand(kStreamB, (matrix * p.k + l) * p.n + j, p.element, limit) * factor(j);
        bx[static_cast<std::size_t>(l)] = sum;
      }
    });
    const auto of_row = static_cast<std::size_t>(p.k + p.n);
    on_threads(static_cast<std::size_t>(p.m), of_row, [&](std::size_t first, std::size_t count) {
      std::int64_t here = 0;
      for (auto i = static_cast<std::int64_t>(first); i < static_cast<std::int64_t>(first + count); ++i) {
        std::uint64_t want = 0;
        std::uint64_t got = 0;
        for (std::int64_t l = 0; l < p.k; ++l)
          want += operand(kStreamA, (matrix * p.m + i) * p.k + l, p.element, limit) *
                  bx[static_cast<std::size_t>(l)];
        const std::byte* row = c + bytes((matrix * p.m + i) * p.n, result);
        for (std::int64_t j = 0; j < p.n; ++j)
          got += static_cast<std::uint64_t>(whole_number(result, row + bytes(j, result))) * factor(j);
        here += want == got ? 0 : 1;
      }
      const std::scoped_lock lock(mutex);
      wrong += here;
    });
  }
  return wrong;
}

std::string text_of(const GemmProblem& p) {
  return std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k) + " batch " +
         std::to_string(p.batch);
}

void check_shape(Session& session, const Gemm& gemm, const GemmProblem& problem, Report& report) {
  // 16-bit results hold only small whole numbers.
  const std::uint32_t limit = bytes_of(gemm.result) == 2 ? 1 : integer_limit(problem.element, problem.k);
  Matrices matrices(session, problem, gemm.result);
  const auto product = make_own_gemm(session, problem, gemm);
  matrices.fill(Values::integers, limit, product->b_transposed());
  const OperandSet set = matrices.set();
  product->bind({&set, 1});
  std::vector<std::byte> first;
  for (int i = 0; i < kRepeats; ++i) {
    matrices.poison();
    product->enqueue(0);
    session.synchronize();
    std::vector<std::byte> got = matrices.result();
    if (i > 0) {
      report.that(got == first, text_of(problem) + ": another result the next time");
      continue;
    }
    first = std::move(got);
    std::size_t beside = 0;
    for (std::size_t at = 0; at < first.size(); ++at) {
      const bool inside =
          at >= kGuard && at < kGuard + bytes(problem.batch * problem.m * problem.n, gemm.result);
      if (!inside && first[at] != static_cast<std::byte>(kPoison & 0xff)) ++beside;
    }
    report.that(beside == 0,
                text_of(problem) + ": " + std::to_string(beside) + " bytes were written beside C");
    const std::int64_t wrong = wrong_rows(problem, gemm.result, limit, first.data() + kGuard);
    report.that(wrong == 0, text_of(problem) + ": " + std::to_string(wrong) + " rows are wrong");
  }
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Turn by turn with the library, so that both see the same clock and temperature; it gives what our kernel
// gives, of the same type: twice the bytes of C would be other work.
void time_shape(Session& session, const Gemm& gemm, const GemmProblem& problem, const Setting& setting,
                Report& report) {
  EventClock clock(session);
  Matrices matrices(session, problem, gemm.result);
  const OperandSet set = matrices.set();
  const auto own = make_own_gemm(session, problem, gemm);
  std::unique_ptr<DeviceGemm> library;
  matrices.fill(Values::real, 0, own->b_transposed());
  own->bind({&set, 1});
  try {
    if (!setting.cublaslt.empty())
      library = make_cublas_lt_gemm(session, problem, gemm.result, setting.cublaslt);
    // Where the library wants B the other way round, the same random elements are another B: as good to time.
    if (library != nullptr) library->bind({&set, 1});
  } catch (const std::exception& error) {
    report.named("cublaslt_" + std::to_string(problem.m), error.what());
  }
  const auto turn = [&](DeviceGemm& product, int calls) {
    return timed(clock,
                 [&] {
                   for (int i = 0; i < calls; ++i) product.enqueue(0);
                 }) /
           calls;
  };
  const auto calls_of = [&](DeviceGemm& product) {
    turn(product, 2);
    const double once = turn(product, 2);
    return std::clamp(static_cast<int>(kTurnSeconds / std::max(once, 1e-6)), 1, 300);
  };
  const int own_calls = calls_of(*own);
  const int library_calls = library != nullptr ? calls_of(*library) : 0;
  std::vector<double> own_seconds;
  std::vector<double> library_seconds;
  std::vector<double> ratios;
  const auto own_turn = [&] { own_seconds.push_back(turn(*own, own_calls)); };
  const auto library_turn = [&] { library_seconds.push_back(turn(*library, library_calls)); };
  for (int round = 0; round < kRounds; ++round) {
    const bool own_first = round % 2 == 0;
    if (own_first) own_turn();
    if (library != nullptr) library_turn();
    if (!own_first) own_turn();
    if (library != nullptr) ratios.push_back(library_seconds.back() / own_seconds.back());
  }
  session.synchronize();
  const double work = 2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                      static_cast<double>(problem.k) * 1e-12;
  const std::string size = std::to_string(problem.m);
  report.measured(std::string("tflops_") + size, work / median(own_seconds));
  if (library == nullptr) return;
  report.measured(std::string("cublaslt_tflops_") + size, work / median(library_seconds));
  report.measured(std::string("of_cublaslt_") + size, median(ratios));
}

// Edges along each dimension, less than a tile, several tiles and rounds of all multiprocessors, batches.
std::vector<GemmProblem> shapes_of(const Gemm& gemm, const Setting& setting) {
  const Element e = gemm.operand;
  // Of whole numbers from -1 to 1 the sums of so many products stay where bfloat16 holds each of them: 256 is
  // eight standard deviations.
  const std::int64_t deep = gemm.result == Element::bfloat16 ? 2048 : 4096;
  std::vector<GemmProblem> shapes;
  if (gemm.alignment == 16)
    shapes = {{1, 16, 16, 1, e},        {128, 256, 128, 1, e},   {200, 272, 144, 2, e},
              {1000, 1008, 1040, 1, e}, {65, 4112, 2064, 1, e},  {384, 128, 48, 67, e},
              {2048, 2048, 2048, 1, e}, {8192, 8192, deep, 1, e}};
  else
    shapes = {{1, 1, 1, 1, e}, {17, 19, 23, 3, e}, {129, 257, 131, 2, e}, {1001, 999, 1003, 1, e}};
  // What a CPU could compute too; and what needs no large matrices to be fetched, but has several tiles for
  // each multiprocessor.
  constexpr std::int64_t kQuick = std::int64_t{1} << 24U, kUntimed = std::int64_t{1} << 34U;
  if (!setting.timed()) {
    const std::int64_t most = setting.quick ? kQuick : kUntimed;
    std::erase_if(shapes, [most](const GemmProblem& p) { return p.m * p.n * p.k * p.batch > most; });
  }
  return shapes;
}

}  // namespace

bool run_gemm_case(const std::string& name, const Setting& setting, Report& report) {
  const auto* found = std::find_if(kernels::cuda::kGemms.begin(), kernels::cuda::kGemms.end(),
                                   [&](const Gemm& gemm) { return name == gemm.symbol; });
  if (found == kernels::cuda::kGemms.end()) return false;
  Session session(setting.ordinal, setting.kernels);
  if (!runs_on(found->target, session.capability())) {
    report.skip("needs compute capability " + std::to_string(found->target.least));
    return true;
  }
  for (const GemmProblem& problem : shapes_of(*found, setting)) check_shape(session, *found, problem, report);
  if (!setting.timed() || !report.right()) return true;
  for (const std::int64_t size :
       found->alignment == 16 ? std::vector<std::int64_t>{4096, 8192} : std::vector<std::int64_t>{1024})
    time_shape(session, *found, {size, size, size, 1, found->operand}, setting, report);
  return true;
}

}  // namespace pibench::cuda_check
