// The operands of a product: memory as pi-bench's own workload has it, random values, and the check of a
// result.
#pragma once

#include <memory>
#include <string>

#include "product.h"

namespace bench {

class Matrices {
 public:
  explicit Matrices(const Product& product);
  [[nodiscard]] Operands operands() const { return {a_.get(), b_.get(), c_.get()}; }
  // Values that no product has, so that a call that does nothing is seen.
  void poison();
  // What is wrong with the result in some dozens of random places; empty where nothing is.
  [[nodiscard]] std::string fault() const;

 private:
  struct Free {
    void operator()(void* memory) const noexcept;
  };
  using Memory = std::unique_ptr<void, Free>;
  static Memory allocate(std::size_t bytes);

  Product product_;
  Areas areas_;
  Memory a_;
  Memory b_;
  Memory c_;
};

}  // namespace bench
