// What the addon offers to the worker of an inspection; all that the part of it offers that is built first.
#pragma once

#include <node_api.h>

namespace pibench::addon {

// Of Node-API's own types, so that who only calls this need not read node-addon-api.
void add_inspection(napi_env env, napi_value exports);

}  // namespace pibench::addon
