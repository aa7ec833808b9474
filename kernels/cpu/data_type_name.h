// The names of the element types, as the command line, the record and the messages have them.
#pragma once

#include <string>
#include <string_view>

#include "data_type.h"

namespace pibench::kernels {

std::string name_of(DataType type);

// Throws std::invalid_argument for a name that no type has.
DataType data_type_named(std::string_view name);

}  // namespace pibench::kernels
