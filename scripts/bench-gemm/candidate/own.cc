// Our own kernels as the addon runs them: its workloads, with its operands, its threads and its verification.
#include "../../../native/threads/team.h"
#include "../../../native/workloads.h"
#include "product.h"

namespace bench {
namespace {

// Of one thread in one call of the register-only loop, as the indicator `peak` has it.
constexpr double kPeakOperations = 3 * 0x1p26;

double operations_of(const std::string& role, const Product& product, std::size_t threads) {
  if (role == "peak") return kPeakOperations * static_cast<double>(threads);
  return product.operations();
}

// Everything that the workloads want to know of the case.
std::unique_ptr<pibench::Workload> make(const std::string& role, const std::string& isa,
                                        const Product& product, const std::vector<int>& cpus) {
  const std::map<std::string, pibench::ParameterValue> values{
      {"m", static_cast<double>(product.m)},
      {"n", static_cast<double>(product.n)},
      {"k", static_cast<double>(product.k)},
      {"dtype", product.type},
      {"threads", static_cast<double>(cpus.size())},
      {"cpus", cpus},
      {"isa", isa},
      {"seed", 1.0},
      {"transposeA", product.transpose_a ? "T" : "N"},
      {"transposeB", product.transpose_b ? "T" : "N"},
      {"batch", static_cast<double>(product.batch)},
      {"prepack", role == "prepacked" ? 1.0 : 0.0},
      {"operations", operations_of(role, product, cpus.size())},
  };
  try {
    return pibench::find_workload(role == "peak" ? "peak" : "matmul", pibench::WorkloadParameters(values))();
  } catch (const std::invalid_argument& error) {
    throw Unsupported(error.what());
  }
}

class OwnSubject : public Subject {
 public:
  OwnSubject(const std::string& role, const std::string& isa, const Product& product,
             const std::vector<int>& cpus)
      : workload_(make(role, isa, product, cpus)), operations_(operations_of(role, product, cpus.size())) {
    workload_->prepare();
  }
  std::string version() override { return {}; }
  std::string kernel() override { return workload_->implementation(); }
  void call() override { workload_->run(); }
  double operations() override { return operations_; }
  void poison() override { workload_->poison(); }
  std::string fault() override {
    const pibench::Verification verification = workload_->verify();
    if (verification.passed) return {};
    return verification.first_wrong.empty() ? "not verified" : verification.first_wrong;
  }

 private:
  std::unique_ptr<pibench::Workload> workload_;
  double operations_;
};

}  // namespace

std::unique_ptr<Subject> make_own_subject(const std::string& role, const std::string& isa,
                                          const Product& product, const std::vector<int>& cpus) {
  return std::make_unique<OwnSubject>(role, isa, product, cpus);
}

}  // namespace bench
