// Libraries with the C interface of BLAS, or only with Fortran's: OpenBLAS, BLIS, MKL and what has them
// inside.
#include "../../../native/stacks/mkl.h"
#include "../../../native/stacks/shared_library.h"
#include "product.h"

namespace bench {
namespace {

using pibench::stacks::SharedLibrary;

constexpr int kRowMajor = 101;
constexpr int kNotTransposed = 111;
constexpr int kTransposed = 112;
constexpr int kFixedOffset = 173;

template <typename T, typename R = T>
using Gemm = void(int, int, int, int, int, int, R, const T*, int, const T*, int, R, R*, int);
template <typename T, typename R = T>
using FortranGemm = void(const char*, const char*, const int*, const int*, const int*, const R*, const T*,
                         const int*, const T*, const int*, const R*, R*, const int*);
// MKL's: in row-major order A is unsigned and B signed.
using IntegerGemm = void(int, int, int, int, int, int, int, float, const void*, int, std::int8_t, const void*,
                         int, std::int8_t, float, std::int32_t*, int, const std::int32_t*);

class Cblas : public Library {
 public:
  explicit Cblas(const std::string& path) : library_(path) {
    if (pibench::stacks::is_mkl(library_)) pibench::stacks::lend_openmp_to_mkl();
  }

  std::string version() override {
    if (auto* config = library_.find<const char*()>("openblas_get_config")) return config();
    if (auto* blis = library_.find<const char*()>("bli_info_get_version_str")) return blis();
    if (auto* mkl = library_.find<void(char*, int)>("MKL_Get_Version_String")) {
      std::string text(256, ' ');
      mkl(text.data(), static_cast<int>(text.size()));
      return text.substr(0, text.find_last_not_of(" \0") + 1);
    }
    return {};
  }

  std::string kernel() override {
    if (auto* core = library_.find<const char*()>("openblas_get_corename")) return core();
    auto* query = library_.find<int()>("bli_arch_query_id");
    auto* name = library_.find<const char*(int)>("bli_arch_string");
    return query != nullptr && name != nullptr ? name(query()) : std::string();
  }

  // A batch is a loop: only the newest of these libraries have a call for it.
  Call prepare(const Product& product, const Operands& operands) override {
    if (product.type == "float32") return real<float>(product, operands, "cblas_sgemm", "sgemm_");
    if (product.type == "float64") return real<double>(product, operands, "cblas_dgemm", "dgemm_");
    if (product.type == "bfloat16") {
      return real<std::uint16_t, float>(product, operands, "cblas_gemm_bf16bf16f32", "gemm_bf16bf16f32_");
    }
    if (product.type == "uint8") return integer(product, operands);
    throw Unsupported("no function for " + product.type);
  }

 private:
  static int code_of(bool transposed) { return transposed ? kTransposed : kNotTransposed; }
  static const char* letter_of(bool transposed) { return transposed ? "T" : "N"; }

  template <typename T, typename R = T>
  Call real(const Product& p, const Operands& o, const char* c_name, const char* fortran_name) {
    const auto* a = static_cast<const T*>(o.a);
    const auto* b = static_cast<const T*>(o.b);
    auto* c = static_cast<R*>(o.c);
    const Areas areas(p);
    // Wheels of SciPy prefix their OpenBLAS.
    for (const auto& name : {std::string(c_name), std::string("scipy_") + c_name}) {
      if (auto* gemm = library_.find<Gemm<T, R>>(name)) {
        return [=, t_a = code_of(p.transpose_a), t_b = code_of(p.transpose_b), lda = p.ld_a(), ldb = p.ld_b(),
                m = p.m, n = p.n, k = p.k, batch = static_cast<std::size_t>(p.batch)] {
          for (std::size_t i = 0; i < batch; ++i) {
            gemm(kRowMajor, t_a, t_b, m, n, k, R{1}, a + i * areas.a, lda, b + i * areas.b, ldb, R{0},
                 c + i * areas.c, n);
          }
        };
      }
    }
    auto* fortran = library_.find<FortranGemm<T, R>>(fortran_name);
    if (fortran == nullptr) throw Unsupported(std::string("no ") + c_name);
    // A row-major product is the column-major product of the operands in the other order.
    return [=, t_a = letter_of(p.transpose_a), t_b = letter_of(p.transpose_b), lda = p.ld_a(), ldb = p.ld_b(),
            m = p.m, n = p.n, k = p.k, batch = static_cast<std::size_t>(p.batch)] {
      const R one{1};
      const R zero{0};
      for (std::size_t i = 0; i < batch; ++i) {
        fortran(t_b, t_a, &n, &m, &k, &one, b + i * areas.b, &ldb, a + i * areas.a, &lda, &zero,
                c + i * areas.c, &n);
      }
    };
  }

  Call integer(const Product& p, const Operands& o) {
    auto* gemm = library_.find<IntegerGemm>("cblas_gemm_s8u8s32");
    if (gemm == nullptr) throw Unsupported("no cblas_gemm_s8u8s32");
    const auto* a = static_cast<const std::uint8_t*>(o.a);
    const auto* b = static_cast<const std::int8_t*>(o.b);
    auto* c = static_cast<std::int32_t*>(o.c);
    return [=, areas = Areas(p), t_a = code_of(p.transpose_a), t_b = code_of(p.transpose_b), lda = p.ld_a(),
            ldb = p.ld_b(), m = p.m, n = p.n, k = p.k, batch = static_cast<std::size_t>(p.batch)] {
      const std::int32_t none = 0;
      for (std::size_t i = 0; i < batch; ++i) {
        gemm(kRowMajor, t_a, t_b, kFixedOffset, m, n, k, 1.0F, a + i * areas.a, lda, 0, b + i * areas.b, ldb,
             0, 0.0F, c + i * areas.c, n, &none);
      }
    };
  }

  SharedLibrary library_;
};

}  // namespace

std::unique_ptr<Library> open_cblas(const std::string& path) { return std::make_unique<Cblas>(path); }

}  // namespace bench
