// A job's parameters, read by name.
#include <stdexcept>

#include "workloads.h"

namespace pibench {
namespace {

template <typename T>
const T& get(const std::map<std::string, ParameterValue>& values, const std::string& name) {
  const auto found = values.find(name);
  const T* value = found == values.end() ? nullptr : std::get_if<T>(&found->second);
  if (value == nullptr) throw std::invalid_argument("parameter " + name + " is missing or of another kind");
  return *value;
}

}  // namespace

double WorkloadParameters::number(const std::string& name) const { return get<double>(values_, name); }
const std::string& WorkloadParameters::text(const std::string& name) const {
  return get<std::string>(values_, name);
}
std::string WorkloadParameters::optional_text(const std::string& name) const {
  return values_.contains(name) ? text(name) : std::string();
}
double WorkloadParameters::optional_number(const std::string& name) const {
  return values_.contains(name) ? number(name) : 0;
}
const std::vector<int>& WorkloadParameters::integers(const std::string& name) const {
  return get<std::vector<int>>(values_, name);
}

}  // namespace pibench
