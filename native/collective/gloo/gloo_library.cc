#include "gloo_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace pibench::collective::gloo {
namespace {

constexpr const char* kHowToBuild =
    "`node scripts/build-plugins.mjs` in pi-bench's folder builds it, with Debian's package libgloo-dev";

const Plugin* opened(const std::string& path) {
  if (!std::filesystem::exists(path))
    throw std::runtime_error("the plugin that calls Gloo is not built (" + path + "): " + kHowToBuild);
  const stacks::SharedLibrary library(path);
  const Plugin* const plugin = library.get<const Plugin*()>("pibench_gloo_plugin")();
  if (plugin->interface != kInterface || plugin->problem_bytes != sizeof(Problem))
    throw std::runtime_error("the plugin that calls Gloo is of another version of pi-bench: " +
                             std::string(kHowToBuild));
  return plugin;
}

// The file that an address lies in.
std::string file_of(const void* inside) {
  Dl_info info{};
  return dladdr(inside, &info) == 0 || info.dli_fname == nullptr ? "" : info.dli_fname;
}

}  // namespace

Library::Library(const std::string& library, const std::string& plugin) {
  const stacks::SharedLibrary first(library);
  plugin_ = opened(plugin);
  // Whose calls are measured must be whose name stands in the record.
  const std::string called = file_of(plugin_->inside);
  std::error_code unknown;
  if (library.find('/') != std::string::npos && !std::filesystem::equivalent(called, library, unknown))
    throw std::runtime_error("the plugin that calls Gloo calls " + called + ", not " + library +
                             ": it was built for another soname");
}

}  // namespace pibench::collective::gloo
