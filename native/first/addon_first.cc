// The part of the addon that is built first: what the worker of an inspection asks of it.
#include "../addon_inspection.h"

NAPI_MODULE_INIT(/* napi_env env, napi_value exports */) {
  pibench::addon::add_inspection(env, exports);
  return exports;
}
