// What the parts of the program agree on: a product to compute, its operands, and a library that can compute
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace bench {

// C[m, n] = A[m, k] B[k, n], row-major and dense.
struct Product {
  std::string type;  // float32, float64, bfloat16, int8, or uint8: A unsigned, B signed
  int m;
  int n;
  int k;
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

}  // namespace bench
