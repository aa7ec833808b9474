// What the part of the addon has that is built first, and thus what it takes to build it: float32 products by
// our own kernels for one instruction set (sets_*.cc). Everything else it refuses: a slower
// kernel in the place of one that is not built yet would be measured as if there were no better one.
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "../../kernels/cpu/data_type.h"
#include "../matmul/matmul_parameters.h"
#include "../stacks/gemm_provider.h"
#include "../workloads.h"

namespace pibench {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument(what + " is not built yet: `pi-bench doctor` builds the whole addon");
}

}  // namespace

std::unique_ptr<stacks::GemmProvider> stacks::open_provider(const std::string& interface,
                                                            const std::string&) {
  refuse("the interface " + interface);
}

std::function<std::unique_ptr<Workload>()> find_workload(const std::string& name,
                                                         const WorkloadParameters& parameters) {
  if (name != "matmul") refuse("the workload " + name);
  const matmul::Parameters product = matmul::parameters_from(parameters);
  if (product.type != kernels::DataType::float32) refuse("a product of " + parameters.text("dtype"));
  if (!product.isa.empty()) refuse("the choice of " + product.isa);
  return [product] { return matmul::make_workload(product); };
}

}  // namespace pibench
