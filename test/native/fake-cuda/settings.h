// What a test tells the fake driver to be, in the variable PIBENCH_FAKE_GPU: `devices=2,launch-fails=40`.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

namespace pibench::fake {

inline long setting(std::string_view name, long otherwise) {
  const char* variable = std::getenv("PIBENCH_FAKE_GPU");
  std::string_view rest = variable == nullptr ? "" : variable;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    const std::size_t equals = item.find('=');
    if (equals != std::string_view::npos && item.substr(0, equals) == name)
      return std::strtol(std::string(item.substr(equals + 1)).c_str(), nullptr, 10);
  }
  return otherwise;
}

}  // namespace pibench::fake
