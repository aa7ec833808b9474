// What a check program needs: each check prints one line (`ok 1 - what` or `not ok 1 - what: why`, as TAP has
// it), and the program ends with 1 when one failed. `# text` lines inform, above all of what was left out;
// `#> text` lines say how far a program has come.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace pibench::test {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
// The smallest team worth a look: one thread shows the thread sanitizer nothing, and the other builds see it.
inline constexpr int kLeastThreads = kThreadSanitizer ? 2 : 1;

class Checks {
 public:
  void that(bool right, const std::string& what, const std::string& why = "") {
    ++count_;
    if (!right) ++failed_;
    const std::string end = right || why.empty() ? "" : ": " + why;
    std::printf("%s %d - %s%s\n", right ? "ok" : "not ok", count_, what.c_str(), end.c_str());
    std::fflush(stdout);  // what was checked before a crash is known
  }

  template <typename A, typename B>
  void equal(const A& got, const B& want, const std::string& what) {
    that(got == want, what, "got " + std::to_string(got) + ", want " + std::to_string(want));
  }

  template <typename Exception, typename Action>
  void throws(const Action& action, const std::string& what) {
    try {
      action();
      that(false, what, "nothing was thrown");
    } catch (const Exception& error) {
      that(true, what + " (" + error.what() + ")");
    }
  }

  static void inform(const std::string& text) { std::printf("# %s\n", text.c_str()); }
  static void progress(const std::string& text) {
    std::printf("#> %s\n", text.c_str());
    std::fflush(stdout);
  }

  // The plan, by which a reader knows that the program came to its end, and the exit status.
  [[nodiscard]] int finish() const {
    std::printf("1..%d\n", count_);
    return failed_ == 0 && count_ > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }

 private:
  int count_ = 0;
  int failed_ = 0;
};

}  // namespace pibench::test
