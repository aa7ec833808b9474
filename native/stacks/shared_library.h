// A shared library that is opened at run time, and its functions by name.
#pragma once

#include <string>

namespace pibench::stacks {

// Stays open to the end of the process: its threads may still run.
class SharedLibrary {
 public:
  // With its symbols kept to itself, so that no two libraries answer for each other. Throws
  // std::runtime_error with the linker's reason, and the architecture's where that is wrong.
  explicit SharedLibrary(const std::string& path);

  // nullptr where neither the library nor what it depends on has such a function.
  template <typename Function>
  [[nodiscard]] Function* find(const std::string& name) const {
    return reinterpret_cast<Function*>(address(name));
  }
  // Throws std::runtime_error where there is none.
  template <typename Function>
  [[nodiscard]] Function* get(const std::string& name) const {
    auto* function = find<Function>(name);
    if (function == nullptr) refuse(name);
    return function;
  }

 private:
  [[nodiscard]] void* address(const std::string& name) const noexcept;
  [[noreturn]] static void refuse(const std::string& name);

  void* handle_;
};

}  // namespace pibench::stacks
