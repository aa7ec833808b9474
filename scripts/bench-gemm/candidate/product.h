// What the parts of the program agree on: a product to compute, its operands, and a library that can compute
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

// C[m, n] = A[m, k] B[k, n], row-major and dense; `batch` of them, one behind the other. A transposed operand
// lies as its transpose would: A as [k, m], B as [n, k].
struct Product {
  std::string type;  // float32, float64, bfloat16, int8, or uint8: A unsigned, B signed
  int m;
  int n;
  int k;
  bool transpose_a;
  bool transpose_b;
  int batch;

  // From one row of an operand, as it lies, to the next.
  [[nodiscard]] int ld_a() const { return transpose_a ? m : k; }
  [[nodiscard]] int ld_b() const { return transpose_b ? k : n; }
  [[nodiscard]] double operations() const { return 2.0 * m * n * k * batch; }
};

// Elements of each matrix.
struct Areas {
  explicit Areas(const Product& product)
      : a(area(product.m, product.k)), b(area(product.k, product.n)), c(area(product.m, product.n)) {}
  std::size_t a;
  std::size_t b;
  std::size_t c;

 private:
  static std::size_t area(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }
};

struct Operands {
  void* a;
  void* b;
  void* c;
};

// The library does not compute this product at all.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Call = std::function<void()>;

class Library {
 public:
  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  virtual ~Library() = default;
  // What the library says about itself; empty where it says nothing.
  virtual std::string version() { return {}; }
  // What it says it computes with, after prepare() if it chooses for each product.
  virtual std::string kernel() { return {}; }
  // What one timed call is: everything else is done here. Throws Unsupported.
  virtual Call prepare(const Product& product, const Operands& operands) = 0;
};

std::unique_ptr<Library> open_cblas(const std::string& path);
std::unique_ptr<Library> open_onednn_gemm(const std::string& path);
std::unique_ptr<Library> open_onednn_matmul(const std::string& path, bool prepacked);
std::unique_ptr<Library> open_libxsmm(const std::string& path);

// What is measured: a product on a library or on our own kernels, ready to be called.
class Subject {
 public:
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  virtual ~Subject() = default;
  virtual std::string version() = 0;
  virtual std::string kernel() = 0;
  virtual void call() = 0;
  // Of one call.
  virtual double operations() = 0;
  // Values that no product has, so that a call that does nothing is seen.
  virtual void poison() = 0;
  // What is wrong with the result of the last call; empty where nothing is.
  virtual std::string fault() = 0;
};

std::unique_ptr<Subject> make_library_subject(std::unique_ptr<Library> library, const Product& product);
// `role`: plain, prepacked, or peak, which multiplies and adds in registers only. `isa` empty: the best that
// runs here. Throws Unsupported.
std::unique_ptr<Subject> make_own_subject(const std::string& role, const std::string& isa,
                                          const Product& product, const std::vector<int>& cpus);

}  // namespace bench
