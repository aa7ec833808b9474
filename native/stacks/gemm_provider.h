// A library that multiplies matrices: opened by path at run time, never linked. One file for each family of
// interfaces, one line each in gemm_provider.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../kernels/cpu/gemm/gemm.h"

namespace pibench::stacks {

class GemmProvider {
 public:
  GemmProvider() = default;
  GemmProvider(const GemmProvider&) = delete;
  GemmProvider& operator=(const GemmProvider&) = delete;
  virtual ~GemmProvider() = default;

  // What the library says of itself; empty where it says nothing.
  [[nodiscard]] virtual std::string version() const = 0;
  // What it chose for this CPU, a core or an instruction set, in its own words; empty where it does not say.
  [[nodiscard]] virtual std::string chose() const = 0;

  // The data types that it has functions for.
  [[nodiscard]] virtual std::vector<kernels::DataType> types() const = 0;

  // For the calls of the calling thread that follow. Throws std::runtime_error where the library says
  // afterwards that it uses another number.
  virtual void set_threads(int threads) = 0;

  // A product of one shape: what its run() does is one call of the library for each product of the batch, and
  // nothing else. Its prepack() throws std::runtime_error where the library refuses the operands. Throws
  // std::invalid_argument where the library has no such product. The provider must outlive it.
  [[nodiscard]] virtual std::unique_ptr<kernels::Gemm> make_gemm(kernels::DataType type,
                                                                 const kernels::GemmShape& shape,
                                                                 int threads) const = 0;
};

// `interface`: cblas; openblas, blis or mkl, which have the same one and are not another's library; onednn,
// libxsmm or hosted. Throws std::invalid_argument for another one, and std::runtime_error where the library
// cannot be loaded or lacks what the interface needs.
std::unique_ptr<GemmProvider> open_provider(const std::string& interface, const std::string& path);

std::unique_ptr<GemmProvider> open_cblas(const std::string& path);
std::unique_ptr<GemmProvider> open_openblas(const std::string& path);
std::unique_ptr<GemmProvider> open_blis(const std::string& path);
std::unique_ptr<GemmProvider> open_mkl(const std::string& path);
std::unique_ptr<GemmProvider> open_onednn(const std::string& path);
std::unique_ptr<GemmProvider> open_libxsmm(const std::string& path);
std::unique_ptr<GemmProvider> open_hosted(const std::string& path);

}  // namespace pibench::stacks
