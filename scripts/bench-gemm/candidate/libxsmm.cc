// libxsmm: a kernel generated for exactly this product, which reads the operands as they are. One thread.
#include "../../../native/stacks/shared_library.h"
#include "product.h"

namespace bench {
namespace {

using pibench::stacks::SharedLibrary;

// Generated code takes the operands of the next product to prefetch, if it was generated so.
template <typename T>
using Kernel = void(const T*, const T*, T*, const T*, const T*, const T*);
template <typename T>
using Dispatch = Kernel<T>*(int, int, int, const int*, const int*, const int*, const T*, const T*, const int*,
                            const int*);

class Libxsmm : public Library {
 public:
  explicit Libxsmm(const std::string& path) : library_(path) { library_.get<void()>("libxsmm_init")(); }

  std::string kernel() override {
    auto* arch = library_.find<const char*()>("libxsmm_get_target_arch");
    return arch != nullptr ? std::string("JIT ") + arch() : "JIT";
  }

  Call prepare(const Product& product, const Operands& operands) override {
    if (product.type == "float32") return generate<float>(product, operands, "libxsmm_smmdispatch");
    if (product.type == "float64") return generate<double>(product, operands, "libxsmm_dmmdispatch");
    throw Unsupported("no kernel for " + product.type + " in plain layouts");
  }

 private:
  template <typename T>
  Call generate(const Product& p, const Operands& o, const char* name) {
    if (p.transpose_a || p.transpose_b)
      throw Unsupported("this program asks for kernels of plain operands only");
    const T one = 1;
    const T zero = 0;
    const int no_prefetch = 0;
    // Column-major: a row-major product is that of the operands in the other order.
    auto* kernel =
        library_.get<Dispatch<T>>(name)(p.n, p.m, p.k, &p.n, &p.k, &p.n, &one, &zero, nullptr, &no_prefetch);
    if (kernel == nullptr) throw Unsupported("no kernel was generated for this shape");
    const auto* a = static_cast<const T*>(o.a);
    const auto* b = static_cast<const T*>(o.b);
    auto* c = static_cast<T*>(o.c);
    return [=, areas = Areas(p), batch = static_cast<std::size_t>(p.batch)] {
      for (std::size_t i = 0; i < batch; ++i) {
        const T* item_a = a + i * areas.a;
        const T* item_b = b + i * areas.b;
        T* item_c = c + i * areas.c;
        kernel(item_b, item_a, item_c, item_b, item_a, item_c);
      }
    };
  }

  SharedLibrary library_;
};

}  // namespace

std::unique_ptr<Library> open_libxsmm(const std::string& path) { return std::make_unique<Libxsmm>(path); }

}  // namespace bench
