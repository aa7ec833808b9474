// What the addon offers to an inspection whose calls are made in JavaScript.
#pragma once

#include <napi.h>

namespace pibench::addon {

void add_hosted(Napi::Env env, Napi::Object exports);

}  // namespace pibench::addon
