// cuBLASLt: the best algorithm by its own heuristics, found once and recorded.
#include <array>
#include <vector>

#include "../stacks/shared_library.h"
#include "cublas.h"
#include "cublas_types.h"

namespace pibench::cuda {
namespace {

using cublas::Status;
struct Handle;
struct Description;
struct MatrixLayout;
struct Preference;

// cublasLtMatmulAlgo_t and cublasLtMatmulHeuristicResult_t
struct Algorithm {
  std::array<std::uint64_t, 8> data;
};
struct Heuristic {
  Algorithm algorithm;
  std::size_t workspace;
  Status state;
  float waves;
  std::array<int, 4> reserved;
};

// Of the enumerations of attributes.
constexpr int kTransposeA = 3;
constexpr int kTransposeB = 4;
constexpr int kFastAccumulation = 25;
constexpr int kBatchCount = 5;
constexpr int kStride = 6;
constexpr int kMostWorkspace = 1;
constexpr int kAlgorithmId = 0;
constexpr int kTile = 1;
constexpr int kSplitK = 2;
constexpr int kStages = 6;
// What NVIDIA recommends for Hopper.
constexpr std::size_t kWorkspace = std::size_t{32} << 20U;

// Every function, found when the library is opened.
struct LtFunctions {
  explicit LtFunctions(const stacks::SharedLibrary& library) {
    find(library, create, "cublasLtCreate");
    find(library, destroy, "cublasLtDestroy");
    find(library, make_description, "cublasLtMatmulDescCreate");
    find(library, describe, "cublasLtMatmulDescSetAttribute");
    find(library, drop_description, "cublasLtMatmulDescDestroy");
    find(library, make_layout, "cublasLtMatrixLayoutCreate");
    find(library, lay_out, "cublasLtMatrixLayoutSetAttribute");
    find(library, drop_layout, "cublasLtMatrixLayoutDestroy");
    find(library, make_preference, "cublasLtMatmulPreferenceCreate");
    find(library, prefer, "cublasLtMatmulPreferenceSetAttribute");
    find(library, drop_preference, "cublasLtMatmulPreferenceDestroy");
    find(library, choose, "cublasLtMatmulAlgoGetHeuristic");
    find(library, ask, "cublasLtMatmulAlgoConfigGetAttribute");
    find(library, multiply, "cublasLtMatmul");
    find(library, version, "cublasLtGetVersion");
  }
  template <typename Function>
  static void find(const stacks::SharedLibrary& library, Function*& function, const char* name) {
    function = library.get<Function>(name);
  }

  Status (*create)(Handle**);
  Status (*destroy)(Handle*);
  Status (*make_description)(Description**, int compute_type, int scale_type);
  Status (*describe)(Description*, int attribute, const void* value, std::size_t bytes);
  Status (*drop_description)(Description*);
  Status (*make_layout)(MatrixLayout**, int type, std::uint64_t rows, std::uint64_t columns,
                        std::int64_t leading);
  Status (*lay_out)(MatrixLayout*, int attribute, const void* value, std::size_t bytes);
  Status (*drop_layout)(MatrixLayout*);
  Status (*make_preference)(Preference**);
  Status (*prefer)(Preference*, int attribute, const void* value, std::size_t bytes);
  Status (*drop_preference)(Preference*);
  Status (*choose)(Handle*, Description*, MatrixLayout* a, MatrixLayout* b, MatrixLayout* c, MatrixLayout* d,
                   Preference*, int most, Heuristic* results, int* found);
  Status (*ask)(const Algorithm*, int attribute, void* value, std::size_t bytes, std::size_t* written);
  Status (*multiply)(Handle*, Description*, const void* alpha, const void* a, MatrixLayout*, const void* b,
                     MatrixLayout*, const void* beta, const void* c, MatrixLayout*, void* d, MatrixLayout*,
                     const Algorithm*, void* workspace, std::size_t bytes, StreamHandle*);
  std::size_t (*version)();
};

template <typename T>
using Held = std::unique_ptr<T, Status (*)(T*)>;

std::string version_of(const LtFunctions& lt) { return "cuBLASLt " + cublas::version_text(lt.version()); }

class CublasLtGemm final : public DeviceGemm {
 public:
  CublasLtGemm(Session& session, const GemmProblem& problem, Element result, const std::string& path)
      : session_(session),
        problem_(problem),
        library_(path),
        lt_(library_),
        scalars_(problem.element),
        workspace_(kWorkspace) {
    const auto& [m, n, k, batch, element] = problem;
    Handle* handle = nullptr;
    check(lt_.create(&handle), "cublasLtCreate");
    handle_ = {handle, lt_.destroy};
    Description* description = nullptr;
    check(
        lt_.make_description(&description, cublas::compute_type(element), cublas::data_type(scalars_.type())),
        "cublasLtMatmulDescCreate");
    description_ = {description, lt_.drop_description};
    if (element == Element::float8_e4m3) {
      // As our kernels have it, which never bring sums of float8 products to more bits on the way.
      const std::int8_t fast = 1;
      check(lt_.describe(description, kFastAccumulation, &fast, sizeof fast),
            "cublasLtMatmulDescSetAttribute");
    }
    // By columns, as it reads matrices, the product is C' = B' A'.
    const int first = b_transposed() ? cublas::kOperationTransposed : cublas::kOperationNone;
    const int second = cublas::kOperationNone;
    check(lt_.describe(description, kTransposeA, &first, sizeof first), "cublasLtMatmulDescSetAttribute");
    check(lt_.describe(description, kTransposeB, &second, sizeof second), "cublasLtMatmulDescSetAttribute");
    b_ = b_transposed() ? layout(element, k, n, k * n) : layout(element, n, k, k * n);
    a_ = layout(element, k, m, m * k);
    c_ = layout(result, n, m, m * n);
    choose();
  }

  // 8-bit elements only so; tf32 and the others as our kernels would have them by rows.
  [[nodiscard]] bool b_transposed() const noexcept override {
    return cublas::wants_b_transposed(problem_.element);
  }
  void bind(std::span<const OperandSet> sets) override {
    sets_.assign(sets.begin(), sets.end());
    check(multiply(0), "cublasLtMatmul");
    session_.synchronize();
  }
  void enqueue(std::size_t set) noexcept override {
    const Status status = multiply(set);
    if (status != 0) session_.fail(std::string("cublasLtMatmul failed: ") + cublas::name_of(status));
  }
  [[nodiscard]] std::string implementation() const override {
    return "cublasLtMatmul " + chosen_ + (b_transposed() ? ", B transposed" : "");
  }
  [[nodiscard]] std::optional<LibraryReport> library() const override {
    return LibraryReport{version_of(lt_), chosen_, "none"};
  }

 private:
  void check(Status status, const char* call) const { cublas::check(status, call, version_of(lt_)); }

  [[nodiscard]] Held<MatrixLayout> layout(Element element, std::int64_t rows, std::int64_t columns,
                                          std::int64_t stride) const {
    MatrixLayout* made = nullptr;
    check(lt_.make_layout(&made, cublas::data_type(element), static_cast<std::uint64_t>(rows),
                          static_cast<std::uint64_t>(columns), rows),
          "cublasLtMatrixLayoutCreate");
    Held<MatrixLayout> held{made, lt_.drop_layout};
    const auto count = static_cast<std::int32_t>(problem_.batch);
    check(lt_.lay_out(made, kBatchCount, &count, sizeof count), "cublasLtMatrixLayoutSetAttribute");
    check(lt_.lay_out(made, kStride, &stride, sizeof stride), "cublasLtMatrixLayoutSetAttribute");
    return held;
  }

  void choose() {
    Preference* raw = nullptr;
    check(lt_.make_preference(&raw), "cublasLtMatmulPreferenceCreate");
    const Held<Preference> preference{raw, lt_.drop_preference};
    const std::uint64_t most = kWorkspace;
    check(lt_.prefer(raw, kMostWorkspace, &most, sizeof most), "cublasLtMatmulPreferenceSetAttribute");
    Heuristic best{};
    int found = 0;
    const Status status = lt_.choose(handle_.get(), description_.get(), b_.get(), a_.get(), c_.get(),
                                     c_.get(), raw, 1, &best, &found);
    if (status != 0 || found < 1)
      throw std::invalid_argument(
          "cuBLASLt has no algorithm for this product: " +
          (status == 0 ? "none was found"
                       : cublas::failure_text(status, "cublasLtMatmulAlgoGetHeuristic",
                                              version_text(Driver::get().version()), version_of(lt_))));
    algorithm_ = best.algorithm;
    chosen_ = "algorithm " + asked(kAlgorithmId) + ", tile " + asked(kTile) + ", stages " + asked(kStages) +
              ", split-k " + asked(kSplitK);
  }

  [[nodiscard]] std::string asked(int attribute) const {
    std::uint32_t value = 0;
    std::size_t written = 0;
    if (lt_.ask(&algorithm_, attribute, &value, sizeof value, &written) != 0) return "?";
    return std::to_string(value);
  }

  Status multiply(std::size_t place) noexcept {
    const OperandSet& set = sets_[place];
    auto* c = pointer<void>(set.c);
    return lt_.multiply(handle_.get(), description_.get(), scalars_.one(), pointer<const void>(set.b),
                        b_.get(), pointer<const void>(set.a), a_.get(), scalars_.zero(), c, c_.get(), c,
                        c_.get(), &algorithm_, pointer<void>(workspace_.address()), workspace_.bytes(),
                        session_.stream());
  }

  Session& session_;
  GemmProblem problem_;
  stacks::SharedLibrary library_;
  LtFunctions lt_;
  cublas::Scalars scalars_;
  DeviceMemory workspace_;
  Held<Handle> handle_{nullptr, nullptr};
  Held<Description> description_{nullptr, nullptr};
  Held<MatrixLayout> a_{nullptr, nullptr}, b_{nullptr, nullptr}, c_{nullptr, nullptr};
  Algorithm algorithm_{};
  std::string chosen_;
  std::vector<OperandSet> sets_;
};

}  // namespace

std::unique_ptr<DeviceGemm> make_cublas_lt_gemm(Session& session, const GemmProblem& problem, Element result,
                                                const std::string& path) {
  // Sides it takes in 64 bits.
  require_32_bits({1, 1, 1, problem.batch, problem.element}, "cuBLASLt");
  return std::make_unique<CublasLtGemm>(session, problem, result, path);
}

std::string cublas_lt_version(const std::string& path) {
  const stacks::SharedLibrary library(path);
  return version_of(LtFunctions(library));
}

}  // namespace pibench::cuda
