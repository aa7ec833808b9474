#include "cublas.h"

#include <vector>

#include "../stacks/shared_library.h"
#include "cublas_types.h"

namespace pibench::cuda {
namespace {

using cublas::Status;
struct Handle;

using StridedBatched = Status(Handle*, int op_a, int op_b, int m, int n, int k, const void* alpha,
                              const void* a, int type_a, int lda, long long stride_a, const void* b,
                              int type_b, int ldb, long long stride_b, const void* beta, void* c, int type_c,
                              int ldc, long long stride_c, int batch, int compute_type, int algorithm);

std::string version_of(const stacks::SharedLibrary& library) {
  auto* get = library.get<Status(int, int*)>("cublasGetProperty");
  int major = 0;
  int minor = 0;
  int patch = 0;
  if (get(0, &major) != 0 || get(1, &minor) != 0 || get(2, &patch) != 0)
    throw std::runtime_error("cuBLAS does not tell its version");
  return "cuBLAS " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

// cublasGemmStridedBatchedEx with the algorithm that cuBLAS chooses. It reads matrices by columns, so it is
// given the product turned over: C' = B' A'.
class CublasGemm final : public DeviceGemm {
 public:
  CublasGemm(Session& session, const GemmProblem& problem, const std::string& path)
      : session_(session),
        problem_(problem),
        library_(path),
        destroy_(library_.get<Status(Handle*)>("cublasDestroy_v2")),
        multiply_(library_.get<StridedBatched>(kMultiply)),
        scalars_(problem.element) {
    if (problem.element == Element::float8_e4m3)
      throw std::invalid_argument("cuBLAS has no product of float8: use --stack cublaslt");
    auto* create = library_.get<Status(Handle**)>("cublasCreate_v2");
    auto* set_stream = library_.get<Status(Handle*, StreamHandle*)>("cublasSetStream_v2");
    check(create(&handle_), "cublasCreate_v2");
    const Status status = set_stream(handle_, session.stream());
    if (status != 0) destroy_(handle_);
    check(status, "cublasSetStream_v2");
  }
  ~CublasGemm() override { destroy_(handle_); }

  [[nodiscard]] bool b_transposed() const noexcept override {
    return cublas::wants_b_transposed(problem_.element);
  }
  void bind(std::span<const OperandSet> sets) override {
    sets_.assign(sets.begin(), sets.end());
    // What it refuses it refuses at once; its first call also allocates.
    check(multiply(0), kMultiply);
    session_.synchronize();
  }
  void enqueue(std::size_t set) noexcept override {
    const Status status = multiply(set);
    if (status != 0) session_.fail(std::string(kMultiply) + " failed: " + cublas::name_of(status));
  }
  [[nodiscard]] std::string implementation() const override {
    return std::string(kMultiply) + (b_transposed() ? ", B transposed" : "");
  }
  [[nodiscard]] std::optional<LibraryReport> library() const override {
    return LibraryReport{version_of(library_), "", "none"};
  }

 private:
  static constexpr const char* kMultiply = "cublasGemmStridedBatchedEx";
  void check(Status status, const char* call) const { cublas::check(status, call, version_of(library_)); }
  Status multiply(std::size_t place) noexcept {
    constexpr int kChosenByCublas = -1;
    const auto& [m, n, k, batch, element] = problem_;
    const OperandSet& set = sets_[place];
    const int type = cublas::data_type(element);
    const auto whole = [](std::int64_t value) { return static_cast<int>(value); };
    return multiply_(handle_, b_transposed() ? cublas::kOperationTransposed : cublas::kOperationNone,
                     cublas::kOperationNone, whole(n), whole(m), whole(k), scalars_.one(),
                     pointer<const void>(set.b), type, whole(b_transposed() ? k : n), k * n,
                     pointer<const void>(set.a), type, whole(k), m * k, scalars_.zero(), pointer<void>(set.c),
                     cublas::data_type(result_of(element)), whole(n), m * n, whole(batch),
                     cublas::compute_type(element), kChosenByCublas);
  }

  Session& session_;
  GemmProblem problem_;
  stacks::SharedLibrary library_;
  Status (*destroy_)(Handle*);
  StridedBatched* multiply_;
  cublas::Scalars scalars_;
  Handle* handle_ = nullptr;
  std::vector<OperandSet> sets_;
};

}  // namespace

std::unique_ptr<DeviceGemm> make_cublas_gemm(Session& session, const GemmProblem& problem,
                                             const std::string& path) {
  require_32_bits(problem, "cuBLAS");
  return std::make_unique<CublasGemm>(session, problem, path);
}

std::string cublas_version(const std::string& path) { return version_of(stacks::SharedLibrary(path)); }

std::unique_ptr<DeviceGemm> make_library_gemm(Session& session, const GemmProblem& problem,
                                              const std::string& interface, const std::string& path) {
  if (interface == "cublas") return make_cublas_gemm(session, problem, path);
  if (interface == "cublaslt") return make_cublas_lt_gemm(session, problem, result_of(problem.element), path);
  throw std::invalid_argument("no interface " + interface + " for libraries on GPUs is known");
}

}  // namespace pibench::cuda
