#include "workloads.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "../kernels/cpu/data_type_name.h"
#include "collective/collective_workload.h"
#include "collective/gloo/gloo_transport.h"
#include "collective/mpi/mpi_transport.h"
#include "collective/nccl/nccl_transport.h"
#include "collective/shm/shm_transport.h"
#include "cuda/launch_workload.h"
#include "cuda/matmul_workload.h"
#include "cuda/memory_workload.h"
#include "cuda/peak_workload.h"
#include "latency/latency_workload.h"
#include "matmul/matmul_parameters.h"
#include "measure/idle_workload.h"
#include "memory/memory_workload.h"
#include "overlap/overlap_workload.h"
#include "peak/peak_workload.h"

namespace pibench {
namespace {

using Make = std::function<std::unique_ptr<Workload>()>;

Make matmul(const WorkloadParameters& p) {
  return [parameters = matmul::parameters_from(p)] { return matmul::make_workload(parameters); };
}

Make peak(const WorkloadParameters& p) {
  const peak::Parameters parameters{kernels::data_type_named(p.text("dtype")),
                                    static_cast<int>(p.number("threads")), p.integers("cpus"), p.text("isa"),
                                    p.number("operations")};
  return [parameters] { return peak::make_workload(parameters); };
}

Make memory(const WorkloadParameters& p) {
  const memory::Parameters parameters{
      memory::operation_named(p.text("operation")),
      memory::stores_named(p.text("stores")),
      static_cast<std::size_t>(p.number("elements")),
      static_cast<std::size_t>(p.number("passes")),
      static_cast<int>(p.number("threads")),
      p.integers("cpus"),
      p.text("isa"),
      static_cast<std::uint64_t>(p.number("seed")),
  };
  return [parameters] { return memory::make_workload(parameters); };
}

// The first of the CPUs is that of the thread whose loads are timed.
latency::Load latency_load(const WorkloadParameters& p) {
  const std::vector<int>& cpus = p.integers("cpus");
  return {static_cast<int>(p.optional_number("load")),
          static_cast<std::size_t>(p.optional_number("loadBytes")),
          {cpus.begin() + (cpus.empty() ? 0 : 1), cpus.end()}};
}

Make latency(const WorkloadParameters& p) {
  const latency::Parameters parameters{
      static_cast<std::size_t>(p.number("lines")),
      static_cast<std::size_t>(p.number("stride")),
      latency::order_named(p.text("order")),
      static_cast<std::uint64_t>(p.number("loads")),
      p.integers("cpus"),
      static_cast<std::uint64_t>(p.number("seed")),
      latency_load(p),
  };
  return [parameters] { return latency::make_workload(parameters); };
}

cuda::Place place(const WorkloadParameters& p) {
  return {static_cast<int>(p.number("ordinal")), p.text("kernels")};
}

Make cuda_matmul(const WorkloadParameters& p) {
  const auto integer = [&p](const char* name) { return static_cast<std::int64_t>(p.number(name)); };
  const cuda::MatmulParameters parameters{
      place(p),
      {integer("m"), integer("n"), integer("k"), integer("batch"), cuda::element_named(p.text("dtype"))},
      p.text("isa"),
      static_cast<std::uint64_t>(p.number("seed")),
      p.number("cold") != 0,
      p.optional_text("interface"),
      p.optional_text("library"),
  };
  return [parameters] { return cuda::make_matmul_workload(parameters); };
}

Make cuda_peak(const WorkloadParameters& p) {
  const cuda::PeakParameters parameters{place(p), cuda::element_named(p.text("dtype")), p.text("isa"),
                                        p.number("operations")};
  return [parameters] { return cuda::make_peak_workload(parameters); };
}

Make cuda_pass(const WorkloadParameters& p) {
  const cuda::PassParameters parameters{place(p), cuda::pass_named(p.text("operation")), p.text("isa"),
                                        static_cast<std::uint64_t>(p.number("elements")),
                                        static_cast<std::uint64_t>(p.number("seed"))};
  return [parameters] { return cuda::make_pass_workload(parameters); };
}

Make cuda_copy(const WorkloadParameters& p) {
  const cuda::CopyParameters parameters{place(p),
                                        cuda::copy_named(p.text("operation")),
                                        p.number("pinned") != 0,
                                        static_cast<int>(p.number("peer")),
                                        static_cast<std::uint64_t>(p.number("elements")),
                                        static_cast<std::uint64_t>(p.number("seed"))};
  return [parameters] { return cuda::make_copy_workload(parameters); };
}

Make cuda_launch(const WorkloadParameters& p) {
  const cuda::LaunchParameters parameters{place(p), cuda::launch_mode_named(p.text("mode")),
                                          static_cast<unsigned>(p.number("launches")),
                                          static_cast<unsigned>(p.number("streams"))};
  return [parameters] { return cuda::make_launch_workload(parameters); };
}

std::function<std::unique_ptr<collective::Transport>()> transport_of(const WorkloadParameters& p,
                                                                     const collective::Problem& problem) {
  const std::string& name = p.text("transport");
  const auto patience = static_cast<Nanoseconds>(p.number("patienceSeconds") * 1e9);
  if (name == "mpi") {
    const collective::MpiParameters parameters{problem, p.integers("cpus"), patience};
    return [parameters] { return collective::make_mpi_transport(collective::World::current(), parameters); };
  }
  if (name == "nccl") {
    const collective::NcclParameters parameters{problem, static_cast<int>(p.number("ordinal")),
                                                p.optional_text("library"), patience};
    if (p.text("workers") == "processes")
      return
          [parameters] { return collective::make_nccl_transport(collective::World::current(), parameters); };
    return [parameters] { return collective::make_nccl_transport(parameters); };
  }
  if (name == "gloo") {
    const collective::GlooParameters parameters{problem, p.integers("cpus"), p.optional_text("library"),
                                                p.optional_text("plugin"), patience};
    return [parameters] { return collective::make_gloo_transport(parameters); };
  }
  if (name != "shm") throw std::invalid_argument("unknown transport " + name);
  const collective::ShmParameters parameters{problem,
                                             p.text("workers") == "processes",
                                             p.integers("cpus"),
                                             p.text("isa"),
                                             patience,
                                             static_cast<int>(p.optional_number("beside"))};
  return [parameters] { return collective::make_shm_transport(parameters); };
}

collective::Problem problem_of(const WorkloadParameters& p) {
  const auto integer = [&p](const char* name) { return static_cast<int>(p.number(name)); };
  return {collective::operation_named(p.text("operation")),
          collective::element_named(p.text("dtype")),
          collective::redop_named(p.text("redop")),
          collective::pattern_named(p.text("pattern")),
          integer("ranks"),
          integer("root"),
          static_cast<std::size_t>(p.number("count")),
          p.number("inPlace") != 0,
          p.text("transport") == "shm",
          p.text("transport") == "nccl"};
}

collective::RankSettings settings_of(const WorkloadParameters& p, const collective::Problem& problem) {
  return {problem, collective::sync_named(p.text("sync")), p.number("fresh") != 0,
          static_cast<std::uint64_t>(p.number("seed"))};
}

Make collective(const WorkloadParameters& p) {
  const collective::Problem problem = problem_of(p);
  const collective::Parameters parameters{settings_of(p, problem), p.text("algorithm")};
  const auto transport = transport_of(p, problem);
  return [parameters, transport] { return collective::make_workload(parameters, transport); };
}

// Products of the ranks of an overlap, where its transport moves data.
overlap::MakeProduct products_of(const WorkloadParameters& p) {
  const auto integer = [&p](const char* name) { return static_cast<std::int64_t>(p.number(name)); };
  const auto seed = static_cast<std::uint64_t>(p.number("seed"));
  if (p.text("transport") == "nccl")
    return overlap::products_on_gpus(
        {.place = place(p),
         .problem = {integer("m"), integer("n"), integer("k"), 1, cuda::element_named(p.text("dtype"))},
         .engine = {},
         .seed = seed,
         .interface = {},
         .library = {}});
  return overlap::products_on_cpus({{integer("m"), integer("n"), integer("k"), false, false, 1, false},
                                    kernels::data_type_named(p.text("dtype")),
                                    static_cast<int>(p.number("threads")),
                                    p.integers("computeCpus"),
                                    p.text("computeIsa"),
                                    seed});
}

Make overlap(const WorkloadParameters& p) {
  const collective::Problem problem = problem_of(p);
  const overlap::Parameters parameters{{settings_of(p, problem), p.text("algorithm")},
                                       products_of(p),
                                       static_cast<std::uint64_t>(p.number("seed"))};
  const auto transport = transport_of(p, problem);
  return [parameters, transport] { return overlap::make_workload(parameters, transport); };
  // What a std::function holds goes with it, which the analyser does not follow.
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks)
}

Make idle(const WorkloadParameters&) {
  return [] { return make_idle_workload(); };
}

// A new workload is one file and one line here.
const std::array<std::pair<const char*, Make (*)(const WorkloadParameters&)>, 12> kWorkloads{{
    {"matmul", matmul},
    {"peak", peak},
    {"memory", memory},
    {"latency", latency},
    {"collective", collective},
    {"overlap", overlap},
    {"cuda-matmul", cuda_matmul},
    {"cuda-peak", cuda_peak},
    {"cuda-pass", cuda_pass},
    {"cuda-copy", cuda_copy},
    {"cuda-launch", cuda_launch},
    {"idle", idle},
}};

}  // namespace

Make find_workload(const std::string& name, const WorkloadParameters& parameters) {
  for (const auto& [known, make] : kWorkloads) {
    if (name == known) return make(parameters);
  }
  throw std::invalid_argument("unknown workload " + name);
}

void follow_collective(const WorkloadParameters& parameters) {
  const collective::Problem problem = problem_of(parameters);
  collective::follow(settings_of(parameters, problem), transport_of(parameters, problem));
}

}  // namespace pibench
