#include "mkl.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace pibench::stacks {
namespace {

// Each is a file of its own, libmkl_NAME.so and perhaps a version; others of that pattern are no kernels.
constexpr std::array<std::string_view, 6> kKernels{"avx512", "avx512_mic", "avx2", "avx", "mc3", "def"};

// NAME of /path/libmkl_NAME.so.2; empty for any other file.
std::string_view mkl_part(std::string_view path) {
  constexpr std::string_view kPrefix = "libmkl_";
  std::string_view file = path.substr(path.rfind('/') + 1);
  if (!file.starts_with(kPrefix)) return {};
  file.remove_prefix(kPrefix.size());
  return file.substr(0, file.find(".so"));
}

int keep_kernels(dl_phdr_info* loaded, std::size_t /*size*/, void* name) {
  const std::string_view part = mkl_part(loaded->dlpi_name);
  if (std::ranges::find(kKernels, part) == kKernels.end()) return 0;
  *static_cast<std::string*>(name) = part;
  return 1;
}

}  // namespace

bool is_mkl(const SharedLibrary& library) {
  return library.find<void()>("MKL_Get_Version_String") != nullptr;
}

void lend_openmp_to_mkl() noexcept {
  const char* layer = std::getenv("MKL_THREADING_LAYER");
  if (layer != nullptr && std::string_view(layer) == "GNU") dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
}

std::string mkl_kernels() {
  std::string name;
  dl_iterate_phdr(keep_kernels, &name);
  return name;
}

}  // namespace pibench::stacks
