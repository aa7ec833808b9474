// Which shape is being computed, said also where it ends the program: by touching guarded memory, or by what
// the address sanitizer sees.
#pragma once

#include <csignal>
#include <cstdio>
#include <string>

#include "products.h"

namespace pibench::test {

class CurrentShape {
 public:
  explicit CurrentShape(const Given& given) { given_ = &given; }
  ~CurrentShape() { given_ = nullptr; }
  CurrentShape(const CurrentShape&) = delete;
  CurrentShape& operator=(const CurrentShape&) = delete;

  // The program is about to end: what a handler must not call can do no more harm.
  static void tell() {
    if (given_ == nullptr) return;
    const std::string text = std::string(given_->set->name) + " " + name_of(given_->kernel->type) + " by " +
                             std::to_string(given_->kernel->nr) + " columns: " + describe(*given_) +
                             ": touches what is not its own\n";
    std::fputs(text.c_str(), stderr);
  }

  // Once in a program.
  static void tell_of_faults() {
    struct sigaction action {};
    action.sa_handler = [](int) {
      tell();
      // The same instruction again, for whoever reports it beside.
      sigaction(SIGSEGV, &before_, nullptr);
    };
    sigaction(SIGSEGV, &action, &before_);
  }

 private:
  static inline const Given* given_ = nullptr;
  static inline struct sigaction before_ {};
};

}  // namespace pibench::test

#if defined(__SANITIZE_ADDRESS__)
// Called by the sanitizer before it reports.
extern "C" __attribute__((used)) inline void __asan_on_error() { pibench::test::CurrentShape::tell(); }
#endif
