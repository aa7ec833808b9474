// The choice among the instruction sets that were compiled.
#include "dispatch.h"

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../../native/threads/team.h"
#include "../cpu_features.h"
#include "../data_type_name.h"
#include "gemm.h"
#include "instruction_set.h"
#include "loop_nest.h"
#include "swapped.h"
#include "thin.h"

namespace pibench::kernels {
namespace {

bool runs_here(const InstructionSet& set) { return (set.needs & ~cpu_features()) == 0; }

std::span<const MicroKernel> kernels_of(const InstructionSet& set) {
  return {set.kernels, static_cast<std::size_t>(set.kernel_count)};
}

// By its name, or by what its name begins with: `portable` is also `portable-v3`.
// Without a name, if it is a choice here.
bool is_meant(const InstructionSet& set, std::string_view isa) {
  const std::string_view name = set.name;
  if (isa.empty()) return is_choice(set, core_kind());
  return isa == name || (name.starts_with(isa) && name[isa.size()] == '-');
}

std::string_view name_or_empty(const char* isa) { return isa == nullptr ? "" : isa; }

std::vector<KernelInfo> list_kernels() {
  std::vector<KernelInfo> list;
  for (const InstructionSet* set : compiled_sets()) {
    for (const MicroKernel& kernel : kernels_of(*set))
      list.push_back({set->name, kernel.type, runs_here(*set)});
  }
  return list;
}

std::pair<const InstructionSet*, const PeakLoop*> find_peak_loop(DataType type, const char* isa) {
  const std::string_view wanted = name_or_empty(isa);
  for (const InstructionSet* set : compiled_sets()) {
    if (!is_meant(*set, wanted) || !runs_here(*set)) continue;
    for (const PeakLoop& peak : std::span(set->peaks, static_cast<std::size_t>(set->peak_count))) {
      if (peak.type == type) return {set, &peak};
    }
  }
  return {nullptr, nullptr};
}

std::unique_ptr<Gemm> make_in_order(const InstructionSet& set, const MicroKernel& kernel,
                                    const GemmShape& shape, Team& team) {
  if (is_thin(kernel, shape)) return make_thin_gemm(set, kernel, shape, team);
  return make_blocked_gemm(set, kernel_for(kernel, shape), shape, team);
}

// For what is copied next, which had better stay near.
std::unique_ptr<Gemm> make_near(const InstructionSet& set, const MicroKernel& kernel, const GemmShape& shape,
                                Team& team) {
  if (is_thin(kernel, shape)) return make_thin_gemm(set, kernel, shape, team);
  const MicroKernel& chosen = kernel_for(kernel, shape);
  Strategy strategy = choose_strategy(chosen, shape, team.size());
  strategy.stream_c = false;
  return make_blocked_gemm(set, chosen, shape, team, &strategy);
}

}  // namespace

bool is_choice(const InstructionSet& set, CoreKind cores) noexcept {
  return !(set.slow_on_intel && cores == CoreKind::kIntel);
}

std::vector<std::string> unused_instructions(const InstructionSet& set, DataType type,
                                             std::uint32_t features) {
  const auto has = [features](std::uint32_t any) { return (features & any) != 0; };
  const auto uses = [&set](std::uint32_t any) { return (set.needs & any) != 0; };
  const auto lacks = [&](std::uint32_t any) { return has(any) && !uses(any); };
  std::vector<std::string> names;
  if (has(kCpuWideSve)) names.emplace_back("SVE with vectors of more than 256 bits");
  if (has(kCpuSme)) names.emplace_back("SME");
  // There are CPUs with vectors of 256 bits and no AVX2, and with vectors of 512 bits and not all that our
  // kernels for them need: libraries have kernels for these, too.
  if (lacks(kCpuAvx512F)) names.emplace_back("AVX-512");
  if (!has(kCpuAvx512F) && has(kCpuAvx) && !uses(kCpuAvx2 | kCpuAvx512F))
    names.emplace_back(has(kCpuAvx2) ? "AVX2" : "AVX");
  if (type == DataType::bfloat16) {
    // Where pairs are no choice (is_choice), they were slower on some cores of a vendor; nobody measured all.
    if (lacks(kCpuAmxBf16)) names.emplace_back("AMX-BF16");
    if (lacks(kCpuAvx512Bf16) && !uses(kCpuAmxBf16)) names.emplace_back("AVX512-BF16");
    if (lacks(kCpuArmBf16)) names.emplace_back("BF16");
  }
  if (type == DataType::int8) {
    if (lacks(kCpuAmxInt8)) names.emplace_back("AMX-INT8");
    // Without dot products of four, the loops' pairs are of 256 bits.
    if (!uses(kCpuAvx512Vnni | kCpuAmxInt8)) {
      if (has(kCpuAvx512Vnni)) names.emplace_back("AVX512-VNNI");
      if (has(kCpuAvxVnni)) names.emplace_back("AVX-VNNI");
      if (has(kCpuAvx512Bw) && !has(kCpuAvx512Vnni)) names.emplace_back("AVX512-BW");
    }
    if (lacks(kCpuI8mm)) names.emplace_back("I8MM");
    if (lacks(kCpuDotprod)) names.emplace_back("DotProd");
  }
  return names;
}

bool is_ceiling(const InstructionSet& set, DataType type, std::uint32_t features) {
  return unused_instructions(set, type, features).empty();
}

std::span<const KernelInfo> kernel_list() {
  static const std::vector<KernelInfo> list = list_kernels();
  return list;
}

std::unique_ptr<Gemm> make_gemm_by(const InstructionSet& set, const MicroKernel& kernel,
                                   const GemmShape& shape, Team& team) {
  if (!is_better_swapped(kernel, shape)) return make_in_order(set, kernel, shape, team);
  return make_swapped_gemm(make_near(set, kernel, swapped(shape), team), kernel, shape, team);
}

std::unique_ptr<Gemm> make_gemm(DataType type, const GemmShape& shape, const char* isa, Team& team) {
  const std::string_view wanted = name_or_empty(isa);
  bool compiled_in = false;
  for (const InstructionSet* set : compiled_sets()) {
    if (!is_meant(*set, wanted)) continue;
    for (const MicroKernel& kernel : kernels_of(*set)) {
      if (kernel.type != type) continue;
      compiled_in = true;
      if (runs_here(*set)) return make_gemm_by(*set, kernel, shape, team);
    }
  }
  const std::string what = "the " + std::string(wanted) + " kernel for " + name_of(type);
  throw std::invalid_argument(compiled_in
                                  ? what + " does not run on this CPU"
                                  : what + " is not part of this build; leave the choice of kernel open");
}

std::uint64_t run_peak_loop(DataType type, const char* isa, std::uint64_t iterations) noexcept {
  const auto [set, loop] = find_peak_loop(type, isa);
  return loop == nullptr ? 0 : loop->run(iterations);
}

const char* peak_loop_isa(DataType type, const char* isa) noexcept {
  const auto [set, loop] = find_peak_loop(type, isa);
  return loop == nullptr ? "" : set->name;
}

std::vector<std::string> unused_by_peak_loop(DataType type, const char* isa) {
  const auto [set, loop] = find_peak_loop(type, isa);
  if (loop == nullptr) return {};
  return unused_instructions(*set, type, cpu_features());
}

bool knows_peak(DataType type) {
  const auto [set, loop] = find_peak_loop(type, "");
  return loop != nullptr && is_ceiling(*set, type, cpu_features());
}

}  // namespace pibench::kernels
