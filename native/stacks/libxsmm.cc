// libxsmm: a kernel generated for exactly this product, which reads the operands as they lie. One thread.
#include <stdexcept>

#include "../../kernels/cpu/data_type_name.h"
#include "gemm_provider.h"
#include "shared_library.h"

namespace pibench::stacks {
namespace {

using kernels::DataType;
using kernels::GemmOperands;
using kernels::GemmShape;

// Generated code takes the operands of the next product to prefetch, if it was generated so.
template <typename T>
using Kernel = void(const T*, const T*, T*, const T*, const T*, const T*);
template <typename T>
using Dispatch = Kernel<T>*(int, int, int, const int*, const int*, const int*, const T*, const T*, const int*,
                            const int*);

constexpr int kTransposeFirst = 1;
constexpr int kTransposeSecond = 2;

template <typename T>
class GeneratedGemm final : public kernels::Gemm {
 public:
  GeneratedGemm(Dispatch<T>* dispatch, const GemmShape& shape) : dispatch_(dispatch), shape_(shape) {}

  void prepack(const GemmOperands& o) override {
    const auto integer = [](std::int64_t x) { return static_cast<int>(x); };
    const int lda = integer(o.lda), ldb = integer(o.ldb), ldc = integer(o.ldc);
    const T one = 1;
    const T zero = 0;
    const int no_prefetch = 0;
    // Column-major: a row-major product is that of the operands in the other order.
    const int flags =
        (shape_.transpose_b ? kTransposeFirst : 0) | (shape_.transpose_a ? kTransposeSecond : 0);
    kernel_ = dispatch_(integer(shape_.n), integer(shape_.m), integer(shape_.k), &ldb, &lda, &ldc, &one,
                        &zero, &flags, &no_prefetch);
    if (kernel_ == nullptr) throw std::runtime_error("libxsmm generates no kernel for this product");
  }

  void run(const GemmOperands& o) noexcept override {
    const auto* a = static_cast<const T*>(o.a);
    const auto* b = static_cast<const T*>(o.b);
    auto* c = static_cast<T*>(o.c);
    for (std::int64_t i = 0; i < shape_.batch; ++i) {
      kernel_(b, a, c, b, a, c);
      a += o.stride_a;
      b += o.stride_b;
      c += o.stride_c;
    }
  }

  [[nodiscard]] const char* isa() const noexcept override { return "generated"; }
  [[nodiscard]] int members() const noexcept override { return 1; }

 private:
  Dispatch<T>* dispatch_;
  GemmShape shape_;
  Kernel<T>* kernel_ = nullptr;
};

class Libxsmm final : public GemmProvider {
 public:
  explicit Libxsmm(const std::string& path) : library_(path) { library_.get<void()>("libxsmm_init")(); }

  // The library has its version in its header only.
  [[nodiscard]] std::string version() const override { return {}; }
  [[nodiscard]] std::string chose() const override {
    auto* arch = library_.find<const char*()>("libxsmm_get_target_arch");
    return arch != nullptr ? arch() : std::string();
  }
  [[nodiscard]] std::vector<DataType> types() const override {
    return {DataType::float32, DataType::float64};
  }

  void set_threads(int threads) override {
    if (threads != 1) throw std::runtime_error("a kernel of libxsmm computes with one thread");
  }

  [[nodiscard]] std::unique_ptr<kernels::Gemm> make_gemm(DataType type, const GemmShape& shape,
                                                         int) const override {
    if (shape.prepack_b) throw std::invalid_argument("libxsmm has no product with a prepacked B");
    if (type == DataType::float32)
      return std::make_unique<GeneratedGemm<float>>(library_.get<Dispatch<float>>("libxsmm_smmdispatch"),
                                                    shape);
    if (type == DataType::float64)
      return std::make_unique<GeneratedGemm<double>>(library_.get<Dispatch<double>>("libxsmm_dmmdispatch"),
                                                     shape);
    throw std::invalid_argument(std::string("libxsmm has no kernel for ") + kernels::name_of(type) +
                                " in plain layouts");
  }

 private:
  SharedLibrary library_;
};

}  // namespace

std::unique_ptr<GemmProvider> open_libxsmm(const std::string& path) {
  return std::make_unique<Libxsmm>(path);
}

}  // namespace pibench::stacks
