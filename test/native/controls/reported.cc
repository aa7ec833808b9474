// One mistake of each kind that a sanitizer is asked to report, so that whoever runs it is shown that it does
// (scripts/lib/sanitizer-controls.mjs). Which one says a program's argument; of an addon, which takes no
// header of Node's, the variable PIBENCH_MISTAKE when Node loads it.
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace {

// What the compiler can neither know nor leave out.
volatile int shared = 0;

// No order between the two: it is one however they are scheduled.
void race_for_data() {
  const std::jthread other([] { shared = 1; });
  shared = 2;
}

void overflow_heap() {
  const std::vector<int> numbers(8);
  const volatile std::size_t behind = numbers.size();
  shared = numbers[behind];
}

void overflow_signed() {
  volatile int most = 2'147'483'647;
  shared = most + 1;
}

// False where no such mistake is known.
bool make(std::string_view mistake) {
  if (mistake == "data-race")
    race_for_data();
  else if (mistake == "heap-overflow")
    overflow_heap();
  else if (mistake == "signed-overflow")
    overflow_signed();
  else
    return false;
  return true;
}

}  // namespace

// Called by Node when it loads the object.
extern "C" __attribute__((visibility("default"))) void* napi_register_module_v1(void*, void* exports) {
  const char* mistake = std::getenv("PIBENCH_MISTAKE");
  if (mistake == nullptr || !make(mistake)) std::abort();
  return exports;
}

int main(int count, char** arguments) { return count == 2 && make(arguments[1]) ? EXIT_SUCCESS : 64; }
