#include "gemm_provider.h"

#include <array>
#include <stdexcept>
#include <utility>

namespace pibench::stacks {
namespace {

using Open = std::unique_ptr<GemmProvider> (*)(const std::string&);

const std::array<std::pair<const char*, Open>, 7> kInterfaces{{
    {"cblas", open_cblas},
    {"openblas", open_openblas},
    {"blis", open_blis},
    {"mkl", open_mkl},
    {"onednn", open_onednn},
    {"libxsmm", open_libxsmm},
    {"hosted", open_hosted},
}};

}  // namespace

std::unique_ptr<GemmProvider> open_provider(const std::string& interface, const std::string& path) {
  for (const auto& [known, open] : kInterfaces) {
    if (interface == known) return open(path);
  }
  throw std::invalid_argument("no interface " + interface + " for libraries is known");
}

}  // namespace pibench::stacks
