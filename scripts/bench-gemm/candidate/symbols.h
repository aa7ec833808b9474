// A shared library that was opened at run time, and its functions by name.
#pragma once

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace bench {

// Stays open to the end of the process: its threads may still run.
class Symbols {
 public:
  explicit Symbols(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
  }
  // nullptr where the library has no such function.
  template <typename Function>
  [[nodiscard]] Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }
  template <typename Function>
  [[nodiscard]] Function* get(const char* name) const {
    Function* function = find<Function>(name);
    if (function == nullptr) throw std::runtime_error(std::string("the library has no ") + name);
    return function;
  }

 private:
  void* handle_;
};

}  // namespace bench
