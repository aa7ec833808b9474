// The cases of the GPU check: each runs in a process of its own, on one device, and writes into its report.
#pragma once

#include <string>
#include <vector>

#include "report.h"

namespace pibench::cuda_check {

struct Setting {
  int ordinal = 0;
  std::string kernels;   // folder of our modules
  std::string cublaslt;  // its path; empty: nothing to compare with
  bool quick = false;    // correctness on small shapes only
  bool untimed = false;  // correctness on all but the largest shapes

  [[nodiscard]] bool timed() const { return !quick && !untimed; }
};

// "support", every kernel of the contract by its symbol, every workload.
std::vector<std::string> case_names();
std::vector<std::string> workload_cases();

// Throws what the driver layer throws; std::invalid_argument for a name that no case has.
void run_case(const std::string& name, const Setting& setting, Report& report);

// True where a kernel of that symbol exists and was run.
bool run_gemm_case(const std::string& name, const Setting& setting, Report& report);
bool run_memory_case(const std::string& name, const Setting& setting, Report& report);
bool run_peak_case(const std::string& name, const Setting& setting, Report& report);
bool run_support_case(const std::string& name, const Setting& setting, Report& report);
bool run_workload_case(const std::string& name, const Setting& setting, Report& report);

}  // namespace pibench::cuda_check
