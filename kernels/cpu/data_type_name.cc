#include "data_type_name.h"

#include <array>
#include <stdexcept>

namespace pibench::kernels {
namespace {

struct Named {
  DataType type;
  std::string_view name;
};

constexpr std::array kTypes{Named{DataType::float32, "float32"}, Named{DataType::float64, "float64"},
                            Named{DataType::bfloat16, "bfloat16"}, Named{DataType::int8, "int8"}};

}  // namespace

std::string name_of(DataType type) {
  for (const auto& [known, name] : kTypes) {
    if (known == type) return std::string(name);
  }
  throw std::invalid_argument("a data type without a name");
}

DataType data_type_named(std::string_view name) {
  for (const auto& [type, known] : kTypes) {
    if (known == name) return type;
  }
  throw std::invalid_argument("unknown data type " + std::string(name));
}

}  // namespace pibench::kernels
