// The registry of workloads: by the name of an indicator and a stack, from parameters as the job gives them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "measure/workload.h"

namespace pibench {

using ParameterValue = std::variant<double, std::string, std::vector<int>>;

// A job's parameters by name. The getters throw std::invalid_argument when a name is missing or of
// another kind.
class WorkloadParameters {
 public:
  explicit WorkloadParameters(std::map<std::string, ParameterValue> values) : values_(std::move(values)) {}
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] const std::string& text(const std::string& name) const;
  // Empty where there is none.
  [[nodiscard]] std::string optional_text(const std::string& name) const;
  // 0 where there is none.
  [[nodiscard]] double optional_number(const std::string& name) const;
  [[nodiscard]] const std::vector<int>& integers(const std::string& name) const;

 private:
  std::map<std::string, ParameterValue> values_;
};

// Checks the parameters at once and returns what makes the workload later, on the measuring thread.
// Throws std::invalid_argument for an unknown name.
std::function<std::unique_ptr<Workload>()> find_workload(const std::string& name,
                                                         const WorkloadParameters& parameters);

// What a process does whose rank of a collective does not lead, until the measurement has ended. Throws
// std::invalid_argument, and what starting the rank throws.
void follow_collective(const WorkloadParameters& parameters);

}  // namespace pibench
