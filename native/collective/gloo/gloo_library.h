// Gloo, by way of the plugin that was built with its headers (plugin/interface.h): both are opened at run
// time, and neither is linked.
#pragma once

#include <string>

#include "../../stacks/shared_library.h"
#include "plugin/interface.h"

namespace pibench::collective::gloo {

class Library {
 public:
  // `library`: the path of libgloo, which is opened first, so that it is the one that the plugin calls;
  // `plugin`: that of the plugin. Throws std::runtime_error with one line that says what to do.
  Library(const std::string& library, const std::string& plugin);

  // "0.5.0", as the headers of the plugin's build have it: the library does not say.
  [[nodiscard]] std::string version() const { return plugin_->version; }
  [[nodiscard]] const Plugin& calls() const noexcept { return *plugin_; }

 private:
  const Plugin* plugin_;
};

}  // namespace pibench::collective::gloo
