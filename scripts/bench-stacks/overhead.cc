// What going through pi-bench costs a library: `overhead LIBRARY SIZE ROUNDS CPU` calls one cblas_sgemm on
// the same operands directly and through our adapter, in turns in random order, and prints as JSON the
// seconds of a call in each turn. bench-stacks.mjs compiles it and starts it several times.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../native/matmul/operand.h"
#include "../../native/random.h"
#include "../../native/stacks/gemm_provider.h"
#include "../../native/threads/affinity.h"

namespace {

using pibench::kernels::DataType;
using pibench::kernels::GemmOperands;

// As cblas.h declares it for 32-bit integers.
using Sgemm = void(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*,
                   int);

constexpr double kTurnSeconds = 2e-4;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The measuring loop calls a workload, and the workload our adapter: the same two steps.
class Workload {
 public:
  virtual ~Workload() = default;
  virtual void run() noexcept = 0;
};

class ThroughAdapter final : public Workload {
 public:
  ThroughAdapter(pibench::kernels::Gemm& gemm, const GemmOperands& operands)
      : gemm_(gemm), operands_(operands) {}
  void run() noexcept override { gemm_.run(operands_); }

 private:
  pibench::kernels::Gemm& gemm_;
  GemmOperands operands_;
};

template <typename Call>
double turn(const Call& call, int calls) {
  const double begin = now();
  for (int i = 0; i < calls; ++i) call();
  return (now() - begin) / calls;
}

void print(const char* name, const std::vector<double>& seconds) {
  std::printf("\"%s\":[", name);
  for (std::size_t i = 0; i < seconds.size(); ++i) std::printf("%s%.9g", i == 0 ? "" : ",", seconds[i]);
  std::printf("]");
}

void measure(const std::string& path, int n, int rounds, int cpu) {
  pibench::CpuSet set;
  set.add(cpu);
  set.bind(0);
  const auto provider = pibench::stacks::open_provider("cblas", path);
  provider->set_threads(1);
  // The same library once more: the loader counts, and hands out the same functions.
  auto* sgemm = reinterpret_cast<Sgemm*>(dlsym(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), "cblas_sgemm"));
  if (sgemm == nullptr) throw std::runtime_error("the library has no cblas_sgemm");

  pibench::matmul::Operand<float> a(1, n, n), b(1, n, n), c(1, n, n);
  for (std::size_t i = 0; i < a.count(); ++i) {
    a.data()[i] = static_cast<float>(pibench::draw(1, i) >> 40U);
    b.data()[i] = static_cast<float>(pibench::draw(2, i) >> 40U);
  }
  const auto gemm = provider->make_gemm(DataType::float32, {n, n, n}, 1);
  const GemmOperands operands{a.data(), b.data(), c.data(), n, n, n};
  gemm->prepack(operands);
  const std::unique_ptr<Workload> workload = std::make_unique<ThroughAdapter>(*gemm, operands);
  const auto through = [&workload] { workload->run(); };
  const auto direct = [&] {
    sgemm(101, 111, 111, n, n, n, 1.0F, a.data(), n, b.data(), n, 0.0F, c.data(), n);
  };

  const double until = now() + 0.2;
  int warm = 0;
  const double began = now();
  for (; now() < until; ++warm) direct();
  const int calls = std::max(1, static_cast<int>(kTurnSeconds * warm / (now() - began)));
  std::vector<double> direct_seconds, through_seconds;
  for (int round = 0; round < rounds; ++round) {
    const bool direct_first = (pibench::draw(3, static_cast<std::uint64_t>(round)) >> 63U) != 0;
    if (direct_first) direct_seconds.push_back(turn(direct, calls));
    through_seconds.push_back(turn(through, calls));
    if (!direct_first) direct_seconds.push_back(turn(direct, calls));
  }
  std::printf("{");
  print("direct", direct_seconds);
  std::printf(",");
  print("through", through_seconds);
  std::printf("}\n");
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) {
    std::fprintf(stderr, "overhead LIBRARY SIZE ROUNDS CPU\n");
    return 64;
  }
  try {
    measure(words[1], std::atoi(words[2]), std::atoi(words[3]), std::atoi(words[4]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
