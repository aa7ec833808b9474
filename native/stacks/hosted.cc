// A stack whose products are computed outside the addon, by frameworks in JavaScript: it has no function that
// could be called. Who measures it computes into the workload's output by himself; a loop of ours would leave
// the poison there, and the check would say so.
#include "gemm_provider.h"

namespace pibench::stacks {
namespace {

using kernels::DataType;

class OutsideGemm final : public kernels::Gemm {
 public:
  void prepack(const kernels::GemmOperands& operands) override { static_cast<void>(operands); }
  void run(const kernels::GemmOperands& operands) noexcept override { static_cast<void>(operands); }
  [[nodiscard]] const char* isa() const noexcept override { return "outside the addon"; }
  [[nodiscard]] int members() const noexcept override { return 0; }
};

class Hosted final : public GemmProvider {
 public:
  [[nodiscard]] std::string version() const override { return {}; }
  [[nodiscard]] std::string chose() const override { return {}; }
  [[nodiscard]] std::vector<DataType> types() const override {
    return {DataType::float32, DataType::float64, DataType::bfloat16, DataType::int8};
  }
  // The framework is told in its own words.
  void set_threads(int threads) override { static_cast<void>(threads); }
  [[nodiscard]] std::unique_ptr<kernels::Gemm> make_gemm(DataType, const kernels::GemmShape&,
                                                         int) const override {
    return std::make_unique<OutsideGemm>();
  }
};

}  // namespace

std::unique_ptr<GemmProvider> open_hosted(const std::string& path) {
  static_cast<void>(path);
  return std::make_unique<Hosted>();
}

}  // namespace pibench::stacks
