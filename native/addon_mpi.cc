#include "addon_mpi.h"

#include <unistd.h>

#include <stdexcept>
#include <string>

#include "addon_values.h"
#include "collective/mpi/world.h"

namespace pibench::addon {
namespace {

using collective::World;

// A call whose exceptions become JavaScript's.
template <Napi::Value (*body)(const Napi::CallbackInfo&)>
Napi::Value guarded(const Napi::CallbackInfo& info) {
  try {
    return body(info);
  } catch (const std::exception& error) {
    throw Napi::Error::New(info.Env(), error.what());
  }
}

Napi::Value described(Napi::Env env, World& world) {
  auto members = Napi::Array::New(env);
  for (const auto& [host, system, process, crowded] : world.members()) {
    auto member = Napi::Object::New(env);
    member.Set("host", host);
    member.Set("process", process);
    members.Set(members.Length(), member);
  }
  auto object = Napi::Object::New(env);
  object.Set("rank", world.rank());
  object.Set("size", world.size());
  object.Set("library", world.calls().version());
  object.Set("hosts", world.hosts());
  auto cpus = Napi::Array::New(env);
  for (const int cpu : world.cpus()) cpus.Set(cpus.Length(), cpu);
  object.Set("members", members);
  object.Set("cpus", cpus);
  return object;
}

// mpiOpen(library) -> { rank, size, library, hosts, members: [{ host, process }], cpus }
Napi::Value open(const Napi::CallbackInfo& info) {
  return described(info.Env(), World::open(info[0].ToString().Utf8Value()));
}

// meetRanks(place, rank, ranks, seconds) -> the same, of ranks that find each other at a place without MPI
Napi::Value meet(const Napi::CallbackInfo& info) {
  const auto patience = static_cast<Nanoseconds>(info[3].ToNumber().DoubleValue() * 1e9);
  return described(info.Env(), World::meet(info[0].ToString().Utf8Value(), info[1].ToNumber().Int32Value(),
                                           info[2].ToNumber().Int32Value(), patience));
}

// mpiVersion(library) -> "Open MPI 4.1.4": opens it in this process, without initialising it
Napi::Value version(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), collective::open_mpi(info[0].ToString().Utf8Value())->version());
}

// mpiTell(text): from rank 0 to all others
Napi::Value tell(const Napi::CallbackInfo& info) {
  World::current().tell(info[0].ToString().Utf8Value());
  return info.Env().Undefined();
}

// mpiListen() -> what rank 0 tells; waits for it
Napi::Value listen(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), World::current().listen());
}

// mpiFollow(parameters): a collective's, which rank 0 measures; until that has ended
Napi::Value follow(const Napi::CallbackInfo& info) {
  follow_collective(workload_parameters(info[0].As<Napi::Object>()));
  return info.Env().Undefined();
}

// mpiWaited() -> seconds for which an order of rank 0 has not been performed by all
Napi::Value waited(const Napi::CallbackInfo& info) {
  const Nanoseconds since = World::current().waiting_since.load(std::memory_order_relaxed);
  return Napi::Number::New(info.Env(), since == 0 ? 0 : to_seconds(now() - since));
}

// mpiEnd(): MPI_Finalize
Napi::Value end(const Napi::CallbackInfo& info) {
  World::current().end();
  return info.Env().Undefined();
}

// leaveAtOnce(code): without what a process does at its end, which may wait for ranks that are gone
Napi::Value leave(const Napi::CallbackInfo& info) { _exit(info[0].ToNumber().Int32Value()); }

}  // namespace

void add_mpi(Napi::Env env, Napi::Object exports) {
  exports.Set("mpiOpen", Napi::Function::New(env, guarded<open>));
  exports.Set("meetRanks", Napi::Function::New(env, guarded<meet>));
  exports.Set("mpiVersion", Napi::Function::New(env, guarded<version>));
  exports.Set("mpiTell", Napi::Function::New(env, guarded<tell>));
  exports.Set("mpiListen", Napi::Function::New(env, guarded<listen>));
  exports.Set("mpiFollow", Napi::Function::New(env, guarded<follow>));
  exports.Set("mpiWaited", Napi::Function::New(env, guarded<waited>));
  exports.Set("mpiEnd", Napi::Function::New(env, guarded<end>));
  exports.Set("leaveAtOnce", Napi::Function::New(env, leave));
}

}  // namespace pibench::addon
