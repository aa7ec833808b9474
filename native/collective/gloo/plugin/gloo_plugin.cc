// The plugin: Gloo's calls behind plain functions (interface.h). Built by scripts/lib/gloo-plugin.mjs where
// Gloo's headers are, with nothing of the addon linked into it.
#include <gloo/allgather.h>
#include <gloo/config.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/types.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "interface.h"
#include "planner.h"

namespace pibench::collective::gloo {

// One rank, with the call that it has planned.
class End {
 public:
  std::shared_ptr<::gloo::Context> context;
  std::function<void()> call;
};

namespace {

// Where Gloo was built from, which it writes before its words, is of no use to who reads them.
void say(Reason* reason, const char* what) noexcept {
  const std::string_view words(what);
  const std::size_t end = words.starts_with('[') ? words.find("] ") : std::string_view::npos;
  const std::string_view said = end == std::string_view::npos ? words : words.substr(end + 2);
  std::snprintf(reason->text, sizeof reason->text, "%.*s", static_cast<int>(said.size()), said.data());
  std::replace(std::begin(reason->text), std::end(reason->text), '\n', ' ');
}

// Runs `body`; false, with the reason, where it throws.
template <typename Body>
bool succeeds(const Body& body, Reason* reason) noexcept {
  try {
    body();
    return true;
  } catch (const std::exception& error) {
    say(reason, error.what());
  } catch (...) {
    say(reason, "an exception that is none of the standard's");
  }
  return false;
}

std::function<void()> planned(const End& end, const Plan& plan) {
  switch (plan.problem.element) {
    case Element::float32:
      return Planner<float>(end.context, plan).reducing();
    case Element::float64:
      return Planner<double>(end.context, plan).reducing();
    case Element::int8:
      return Planner<std::int8_t>(end.context, plan).reducing();
    case Element::uint8:
      return Planner<std::uint8_t>(end.context, plan).reducing();
    case Element::int32:
      return Planner<std::int32_t>(end.context, plan).reducing();
    case Element::uint32:
      return Planner<std::uint32_t>(end.context, plan).reducing();
    case Element::int64:
      return Planner<std::int64_t>(end.context, plan).reducing();
    case Element::uint64:
      return Planner<std::uint64_t>(end.context, plan).reducing();
    case Element::float16:
      return Planner<::gloo::float16>(end.context, plan).reducing();
    // Gloo has no such types: they are moved as bits.
    case Element::float8_e4m3:
      return Planner<std::uint8_t>(end.context, plan).moving();
    case Element::bfloat16:
      break;
  }
  return Planner<std::uint16_t>(end.context, plan).moving();
}

End* join(const Joining* joining, Reason* reason) {
  auto end = std::make_unique<End>();
  const auto connect = [&] {
    ::gloo::transport::tcp::attr attributes;
    attributes.hostname = joining->address;
    auto device = ::gloo::transport::tcp::CreateDevice(attributes);
    auto context = std::make_shared<::gloo::rendezvous::Context>(joining->rank, joining->ranks);
    context->setTimeout(std::chrono::milliseconds(joining->patience_milliseconds));
    ::gloo::rendezvous::FileStore store(joining->folder);
    context->connectFullMesh(store, device);
    end->context = std::move(context);
  };
  return succeeds(connect, reason) ? end.release() : nullptr;
}

bool plan(End* end, const Plan* wanted, Reason* reason) {
  return succeeds(
      [&] {
        // What was planned before ends before the next begins.
        end->call = nullptr;
        end->call = planned(*end, *wanted);
      },
      reason);
}

bool run(End* end, Reason* reason) {
  return succeeds([end] { end->call(); }, reason);
}

void leave(End* end) {
  Reason nobody_asks;
  static_cast<void>(succeeds(
      [end] {
        end->call = nullptr;
        end->context.reset();
      },
      &nobody_asks));
  delete end;
}

std::string version() {
  return std::to_string(GLOO_VERSION_MAJOR) + "." + std::to_string(GLOO_VERSION_MINOR) + "." +
         std::to_string(GLOO_VERSION_PATCH);
}

}  // namespace
}  // namespace pibench::collective::gloo

extern "C" __attribute__((visibility("default"))) const pibench::collective::gloo::Plugin*
pibench_gloo_plugin() {
  namespace plugin = pibench::collective::gloo;
  static const std::string version = plugin::version();
  static const plugin::Plugin table{plugin::kInterface, sizeof(pibench::collective::Problem),
                                    version.c_str(),    reinterpret_cast<const void*>(&::gloo::allgather),
                                    plugin::join,       plugin::plan,
                                    plugin::run,        plugin::leave};
  return &table;
}
