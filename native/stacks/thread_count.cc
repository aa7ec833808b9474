#include "thread_count.h"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace pibench::stacks {
namespace {

// Integers of either width are passed and returned as 64 bits: see cblas.cc.
using Set = void(std::int64_t);
using Get = int();

struct Interface {
  const char* set;
  const char* get;
};

// OpenMP first: a library's own setting overrides it.
constexpr std::array<Interface, 8> kThreadInterfaces{{
    {"omp_set_num_threads", "omp_get_max_threads"},
    {"openblas_set_num_threads", "openblas_get_num_threads"},
    {"openblas_set_num_threads64_", "openblas_get_num_threads64_"},
    {"scipy_openblas_set_num_threads", "scipy_openblas_get_num_threads"},
    {"scipy_openblas_set_num_threads64_", "scipy_openblas_get_num_threads64_"},
    {"bli_thread_set_num_threads", "bli_thread_get_num_threads"},
    {"MKL_Set_Num_Threads", "MKL_Get_Max_Threads"},
    {"MKL_Set_Dynamic", nullptr},
}};

}  // namespace

void set_library_threads(const SharedLibrary& library, int threads) {
  for (const auto& [set, get] : kThreadInterfaces) {
    auto* tell = library.find<Set>(set);
    if (tell == nullptr) continue;
    // MKL would use fewer where it thinks that they are busy.
    tell(get == nullptr ? 0 : threads);
    auto* ask = get == nullptr ? nullptr : library.find<Get>(get);
    if (ask == nullptr) continue;
    const int says = ask();
    if (says != threads) {
      throw std::runtime_error("the library was told to use " + std::to_string(threads) +
                               " threads and says that it uses " + std::to_string(says));
    }
  }
}

}  // namespace pibench::stacks
