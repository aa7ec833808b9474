// What the addon offers to a process that is a rank of an MPI job.
#pragma once

#include <napi.h>

namespace pibench::addon {

void add_mpi(Napi::Env env, Napi::Object exports);

}  // namespace pibench::addon
