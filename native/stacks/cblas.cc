// Libraries with the C interface of BLAS: OpenBLAS, BLIS, MKL, and any other by its path.
//
// Integers are always passed as 64 bits. A build with 64-bit integers (ILP64) reads all of them, one with
// 32-bit integers the lower half: on x86-64 and arm64 Linux every integer argument has a register or a stack
// slot of 64 bits to itself, lowest bits first. So no build is called with half an integer, whatever its
// functions are named.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "../../kernels/cpu/data_type_name.h"
#include "gemm_provider.h"
#include "mkl.h"
#include "shared_library.h"
#include "thread_count.h"

namespace pibench::stacks {
namespace {

using kernels::DataType;
using kernels::GemmOperands;
using kernels::GemmShape;

constexpr std::int64_t kRowMajor = 101;
constexpr std::int64_t kNotTransposed = 111;
constexpr std::int64_t kTransposed = 112;

// The same arguments for every element type; R is that of alpha, beta and the result.
template <typename R>
using Function = void(std::int64_t order, std::int64_t transpose_a, std::int64_t transpose_b, std::int64_t m,
                      std::int64_t n, std::int64_t k, R alpha, const void* a, std::int64_t lda, const void* b,
                      std::int64_t ldb, R beta, R* c, std::int64_t ldc);

// Names of a function in builds that prefix them (the wheels of NumPy and SciPy) or mark 64-bit integers.
std::array<std::string, 6> names_of(const std::string& name) {
  return {name, name + "64_", name + "_64", name + "_64_", "scipy_" + name, "scipy_" + name + "64_"};
}

// The one function that computes with a type; MKL's of bfloat16 has a name of its own.
std::vector<std::string> functions_of(DataType type) {
  switch (type) {
    case DataType::float32:
      return {"cblas_sgemm"};
    case DataType::float64:
      return {"cblas_dgemm"};
    case DataType::bfloat16:
      return {"cblas_sbgemm", "cblas_gemm_bf16bf16f32"};
    case DataType::int8:
      return {};  // the one there is, MKL's, takes operands of which one has no sign
  }
  return {};
}

// The functions by which libraries tell their version: who has none of a product's is another one.
constexpr const char* kOpenblasVersion = "openblas_get_config";
constexpr const char* kBlisVersion = "bli_info_get_version_str";
constexpr const char* kMklVersion = "MKL_Get_Version_String";

struct Found {
  std::string name;  // as the library has it
  void* address = nullptr;
};

template <typename R>
class CblasGemm final : public kernels::Gemm {
 public:
  CblasGemm(const Found& found, const GemmShape& shape, int threads, std::size_t operand)
      : name_(found.name),
        function_(reinterpret_cast<Function<R>*>(found.address)),
        shape_(shape),
        threads_(threads),
        operand_(static_cast<std::int64_t>(operand)) {}

  void prepack(const GemmOperands&) override {}

  void run(const GemmOperands& o) noexcept override {
    const auto& [m, n, k, transpose_a, transpose_b, batch, prepack_b] = shape_;
    const auto* a = static_cast<const std::byte*>(o.a);
    const auto* b = static_cast<const std::byte*>(o.b);
    auto* c = static_cast<R*>(o.c);
    for (std::int64_t i = 0; i < batch; ++i) {
      function_(kRowMajor, transpose_a ? kTransposed : kNotTransposed,
                transpose_b ? kTransposed : kNotTransposed, m, n, k, R{1}, a + i * o.stride_a * operand_,
                o.lda, b + i * o.stride_b * operand_, o.ldb, R{0}, c + i * o.stride_c, o.ldc);
    }
  }

  [[nodiscard]] const char* isa() const noexcept override { return name_.c_str(); }
  [[nodiscard]] int members() const noexcept override { return threads_; }

 private:
  std::string name_;
  Function<R>* function_;
  GemmShape shape_;
  int threads_;
  std::int64_t operand_;  // bytes of an element
};

class Cblas final : public GemmProvider {
 public:
  explicit Cblas(const std::string& path) : library_(path) {
    if (is_mkl(library_)) lend_openmp_to_mkl();
  }

  [[nodiscard]] std::string version() const override {
    for (const std::string& name : names_of(kOpenblasVersion)) {
      if (auto* config = library_.find<const char*()>(name)) return config();
    }
    if (auto* blis = library_.find<const char*()>(kBlisVersion)) return blis();
    if (auto* mkl = library_.find<void(char*, std::int64_t)>(kMklVersion)) {
      std::string text(256, ' ');
      mkl(text.data(), static_cast<std::int64_t>(text.size()));
      const auto last = text.find_last_not_of(std::string(" \0", 2));
      return text.substr(0, last == std::string::npos ? 0 : last + 1);
    }
    return {};
  }

  [[nodiscard]] std::string chose() const override {
    for (const auto* name : {"openblas_get_corename", "openblas_get_corename64_",
                             "scipy_openblas_get_corename", "scipy_openblas_get_corename64_"}) {
      if (auto* core = library_.find<const char*()>(name)) return core();
    }
    if (is_mkl(library_)) return mkl_kernels();
    // It decides when it is initialized. Asked before that, BLIS 0.9 aborts where a variable says what to
    // take.
    if (auto* initialize = library_.find<void()>("bli_init")) initialize();
    auto* query = library_.find<int()>("bli_arch_query_id");
    auto* name = library_.find<const char*(int)>("bli_arch_string");
    return query != nullptr && name != nullptr ? name(query()) : std::string();
  }

  [[nodiscard]] std::vector<DataType> types() const override {
    std::vector<DataType> having;
    for (const DataType type : {DataType::float32, DataType::float64, DataType::bfloat16, DataType::int8}) {
      if (find(type).address != nullptr) having.push_back(type);
    }
    return having;
  }

  // By any of the names that builds give it.
  [[nodiscard]] bool has(const std::string& function) const {
    const auto names = names_of(function);
    return std::any_of(names.begin(), names.end(),
                       [this](const std::string& name) { return library_.find<void()>(name) != nullptr; });
  }

  void set_threads(int threads) override { set_library_threads(library_, threads); }

  [[nodiscard]] std::unique_ptr<kernels::Gemm> make_gemm(DataType type, const GemmShape& shape,
                                                         int threads) const override {
    const Found found = find(type);
    if (found.address == nullptr) {
      const auto names = functions_of(type);
      throw std::invalid_argument(
          names.empty() ? std::string("CBLAS has no function for ") + kernels::name_of(type)
                        : "the library has no " + names.front() + ", under none of its known names");
    }
    if (shape.prepack_b) throw std::invalid_argument("CBLAS has no product with a prepacked B");
    if (type == DataType::float64)
      return std::make_unique<CblasGemm<double>>(found, shape, threads, sizeof(double));
    return std::make_unique<CblasGemm<float>>(
        found, shape, threads, type == DataType::bfloat16 ? sizeof(std::uint16_t) : sizeof(float));
  }

 private:
  [[nodiscard]] Found find(DataType type) const {
    for (const auto& function : functions_of(type)) {
      for (const auto& name : names_of(function)) {
        if (auto* address = library_.find<void()>(name)) return {name, reinterpret_cast<void*>(address)};
      }
    }
    return {};
  }

  SharedLibrary library_;
};

// Throws std::runtime_error where the library at `path` is not the product that it is called.
std::unique_ptr<GemmProvider> open_product(const std::string& path, const std::string& product,
                                           const std::string& version) {
  auto library = std::make_unique<Cblas>(path);
  if (library->has(version)) return library;
  throw std::runtime_error(path + " is not " + product + ": it has no " + version +
                           "; name it cblas:" + path);
}

}  // namespace

std::unique_ptr<GemmProvider> open_cblas(const std::string& path) { return std::make_unique<Cblas>(path); }

std::unique_ptr<GemmProvider> open_openblas(const std::string& path) {
  return open_product(path, "OpenBLAS", kOpenblasVersion);
}

std::unique_ptr<GemmProvider> open_blis(const std::string& path) {
  return open_product(path, "BLIS", kBlisVersion);
}

std::unique_ptr<GemmProvider> open_mkl(const std::string& path) {
  return open_product(path, "oneMKL", kMklVersion);
}

}  // namespace pibench::stacks
