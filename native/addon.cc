// The addon: turns JavaScript values into jobs and outcomes into JavaScript values. Node-API is known here
// and in addon_*.{h,cc} only.
#include <napi.h>
#include <pthread.h>
#include <sys/prctl.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "../kernels/cpu/collective/dispatch.h"
#include "../kernels/cpu/data_type_name.h"
#include "../kernels/cpu/gemm/gemm.h"
#include "../kernels/cpu/memory/dispatch.h"
#include "addon_hosted.h"
#include "addon_mpi.h"
#include "addon_outcome.h"
#include "addon_values.h"
#include "collective/gloo/gloo_library.h"
#include "collective/nccl/nccl_library.h"
#include "cuda/cublas.h"
#include "cuda/devices.h"
#include "inspection.h"
#include "stacks/gemm_provider.h"
#include "threads/affinity.h"
#include "workloads.h"

namespace {

using namespace pibench::addon;
using pibench::Nanoseconds;

pibench::Fault fault(const Napi::Object& object) {
  const std::string kind = text(object, "kind");
  if (kind == "repeated-work") return {pibench::FaultKind::repeated_work, 0, number(object, "share")};
  const std::uint64_t at = count(object, "at");
  if (kind == "wrong-element") return {pibench::FaultKind::wrong_element, at};
  if (kind == "slow-repetition") return {pibench::FaultKind::slow_repetition, at};
  if (kind == "stall") return {pibench::FaultKind::stall, at};
  if (kind == "crash") return {pibench::FaultKind::crash, at};
  if (kind == "corrupt-rank") return {pibench::FaultKind::corrupt_rank, at};
  if (kind == "absent-rank") return {pibench::FaultKind::absent_rank, at};
  if (kind == "lost-rank") return {pibench::FaultKind::lost_rank, at};
  throw Napi::TypeError::New(object.Env(), "unknown fault " + kind);
}

pibench::Job job(const Napi::Object& object) {
  pibench::Job job;
  job.make_workload =
      pibench::find_workload(text(object, "workload"), workload_parameters(child(object, "parameters")));
  job.warmup = warmup_rule(child(object, "warmup"));
  job.repetitions = count(object, "repetitions");
  job.budget = to_nanoseconds(number(object, "budgetSeconds"));
  job.least = count(object, "least");
  job.most = std::max<std::uint64_t>(1, count(object, "most"));
  job.cold = field(object, "cold").ToBoolean();
  job.time_limit = to_nanoseconds(number(object, "timeLimitSeconds"));
  const auto paths = child(object, "snapshotPaths").As<Napi::Array>();
  for (std::uint32_t i = 0; i < paths.Length(); ++i)
    job.snapshot_paths.push_back(paths.Get(i).ToString().Utf8Value());
  if (object.Has("ceilings")) job.ceilings = object.Get("ceilings").ToBoolean();
  if (object.Has("operations")) job.operations = number(object, "operations");
  if (object.Has("gate")) job.gate = object.Get("gate").ToBoolean();
  if (object.Has("fault") && object.Get("fault").IsObject())
    job.fault = fault(object.Get("fault").As<Napi::Object>());
  return job;
}

// ---- The inspection: a thread of its own, a promise for its end -------------------------------------------

const char* phase_name(pibench::Phase phase) {
  switch (phase) {
    case pibench::Phase::allocate:
      return "allocate";
    case pibench::Phase::warm_up:
      return "warm-up";
    case pibench::Phase::calibrate:
      return "calibrate";
    case pibench::Phase::gate:
      return "gate";
    case pibench::Phase::measure:
      return "measure";
    case pibench::Phase::cool_down:
      return "cool-down";
    case pibench::Phase::verify:
      return "verify";
    case pibench::Phase::done:
      return "done";
  }
  return "unknown";
}

struct Running {
  explicit Running(Napi::Env env) : deferred(Napi::Promise::Deferred::New(env)) {}
  pibench::Control control;
  pibench::Job job;
  Napi::Promise::Deferred deferred;
  Napi::ThreadSafeFunction finished;
  std::thread thread;
  std::unique_ptr<pibench::Outcome> outcome;
  std::string error;
};

void settle(Napi::Env env, Running& running) {
  running.thread.join();
  if (running.outcome)
    running.deferred.Resolve(outcome_object(env, *running.outcome));
  else
    running.deferred.Reject(Napi::Error::New(env, running.error).Value());
}

// As top -H and /proc/PID/task/TID/comm show it; threads that it starts inherit the name.
constexpr const char* kThreadName = "measuring";

void measure_on_thread(const std::shared_ptr<Running>& running) {
  pthread_setname_np(pthread_self(), kThreadName);
  try {
    running->outcome = std::make_unique<pibench::Outcome>(pibench::inspect(running->job, running->control));
  } catch (const std::bad_alloc& error) {
    // The device's words say more than the host's.
    running->error = error.what() == std::string_view("std::bad_alloc") ? "out of memory" : error.what();
  } catch (const std::exception& error) {
    running->error = error.what();
  }
  auto finished = running->finished;
  finished.BlockingCall([running](Napi::Env env, const Napi::Function&) { settle(env, *running); });
  finished.Release();
}

// inspect(job) -> { result: Promise, progress(): { phase, taken }, openGate(), cancel() }
Napi::Value inspect(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  auto running = std::make_shared<Running>(env);
  try {
    running->job = job(info[0].As<Napi::Object>());
  } catch (const std::invalid_argument& error) {
    throw Napi::TypeError::New(env, error.what());
  }
  running->finished = Napi::ThreadSafeFunction::New(
      env, Napi::Function::New(env, [](const Napi::CallbackInfo&) {}), "inspection", 0, 1);
  auto handle = Napi::Object::New(env);
  handle.Set("result", running->deferred.Promise());
  handle.Set("progress", Napi::Function::New(env, [running](const Napi::CallbackInfo& call) {
               auto progress = Napi::Object::New(call.Env());
               progress.Set("phase", phase_name(running->control.phase.load(std::memory_order_relaxed)));
               progress.Set("taken",
                            static_cast<double>(running->control.taken.load(std::memory_order_relaxed)));
               return progress;
             }));
  running->control.gate_closed.store(running->job.gate, std::memory_order_relaxed);
  handle.Set("openGate", Napi::Function::New(env, [running](const Napi::CallbackInfo&) {
               running->control.gate_closed.store(false, std::memory_order_release);
             }));
  handle.Set("cancel", Napi::Function::New(env, [running](const Napi::CallbackInfo&) {
               running->control.cancel.store(true, std::memory_order_relaxed);
             }));
  try {
    running->thread = std::thread([running] { measure_on_thread(running); });
  } catch (const std::system_error& error) {
    running->finished.Release();
    throw Napi::Error::New(env, std::string("the measuring thread could not be started: ") + error.what());
  }
  return handle;
}

// ---- What this build and this machine offer ---------------------------------------------------------------

// kernels() -> [{ isa, dtype, runsHere }], best first for each data type
Napi::Value kernels(const Napi::CallbackInfo& info) {
  auto list = Napi::Array::New(info.Env());
  for (const auto& kernel : pibench::kernels::kernel_list()) {
    auto entry = Napi::Object::New(info.Env());
    entry.Set("isa", kernel.isa);
    entry.Set("dtype", pibench::kernels::name_of(kernel.type));
    entry.Set("runsHere", kernel.runs_here);
    list.Set(list.Length(), entry);
  }
  return list;
}

template <typename Tables>
Napi::Value table_list(Napi::Env env, const Tables& tables) {
  auto list = Napi::Array::New(env);
  for (const auto* table : tables) {
    auto entry = Napi::Object::New(env);
    entry.Set("isa", table->name);
    entry.Set("runsHere", runs_here(*table));
    list.Set(list.Length(), entry);
  }
  return list;
}

// memoryKernels() -> [{ isa, runsHere }], best first
Napi::Value memory_kernels(const Napi::CallbackInfo& info) {
  return table_list(info.Env(), pibench::kernels::memory::kernel_tables());
}

// collectiveKernels() -> [{ isa, runsHere }], best first
Napi::Value collective_kernels(const Napi::CallbackInfo& info) {
  return table_list(info.Env(), pibench::kernels::collective::kernel_tables());
}

// peakLoop(dtype, isa, iterations) -> { operations, seconds }: the register-only ceiling of one thread
Napi::Value peak_loop(const Napi::CallbackInfo& info) {
  const std::string dtype = info[0].ToString().Utf8Value();
  const std::string isa = info[1].ToString().Utf8Value();
  const auto iterations = static_cast<std::uint64_t>(info[2].ToNumber().Int64Value());
  std::uint64_t operations = 0;
  const Nanoseconds begin = pibench::now();
  for (const auto& kernel : pibench::kernels::kernel_list()) {
    if (isa == kernel.isa && dtype == pibench::kernels::name_of(kernel.type) && kernel.runs_here) {
      operations = pibench::kernels::run_peak_loop(kernel.type, kernel.isa, iterations);
    }
  }
  auto result = Napi::Object::New(info.Env());
  result.Set("operations", static_cast<double>(operations));
  result.Set("seconds", to_seconds(pibench::now() - begin));
  return result;
}

// Without a GPU such a library says its version only; its types are those of its interface.
Napi::Value probe_gpu_library(Napi::Env env, const std::string& interface, const std::string& path) {
  const bool lt = interface == "cublaslt";
  auto result = Napi::Object::New(env);
  result.Set("version", lt ? pibench::cuda::cublas_lt_version(path) : pibench::cuda::cublas_version(path));
  result.Set("chose", env.Null());
  auto dtypes = Napi::Array::New(env);
  for (const auto& [element, name] : pibench::cuda::kElements) {
    if (lt || element != pibench::cuda::Element::float8_e4m3) dtypes.Set(dtypes.Length(), name);
  }
  result.Set("dtypes", dtypes);
  return result;
}

// It moves data of any type that a collective's case may have.
Napi::Value probe_transport(Napi::Env env, const std::string& version) {
  auto result = Napi::Object::New(env);
  result.Set("version", version);
  result.Set("chose", env.Null());
  result.Set("dtypes", Napi::Array::New(env));
  return result;
}

// probeLibrary(interface, path, plugin?) -> { version, chose, dtypes }: opens the library in this process;
// `plugin`: the file that calls it, of one that takes such a file
Napi::Value probe_library(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const std::string interface = info[0].ToString().Utf8Value();
  const std::string path = info[1].ToString().Utf8Value();
  try {
    if (interface == "nccl")
      return probe_transport(env, "NCCL " + pibench::collective::nccl::Library(path).version());
    if (interface == "gloo") {
      const std::string plugin = info[2].ToString().Utf8Value();
      return probe_transport(env, "Gloo " + pibench::collective::gloo::Library(path, plugin).version());
    }
    if (interface == "cublas" || interface == "cublaslt") return probe_gpu_library(env, interface, path);
    const auto provider = pibench::stacks::open_provider(interface, path);
    auto dtypes = Napi::Array::New(env);
    for (const auto type : provider->types())
      dtypes.Set(dtypes.Length(), Napi::String::New(env, pibench::kernels::name_of(type)));
    auto result = Napi::Object::New(env);
    result.Set("version", text_or_null(env, provider->version()));
    result.Set("chose", text_or_null(env, provider->chose()));
    result.Set("dtypes", dtypes);
    return result;
  } catch (const std::exception& error) {
    throw Napi::Error::New(env, error.what());
  }
}

// describeGpus() -> JSON text; opens the driver in this process, for good
Napi::Value describe_gpus(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), pibench::cuda::describe_devices());
}

Napi::Value measure_clock(const Napi::CallbackInfo& info) {
  return clock_object(info.Env(), pibench::measure_clock());
}

// bindMainThread(cpus): keeps the calling thread, which waits and writes, off the CPUs that measure.
Napi::Value bind_main_thread(const Napi::CallbackInfo& info) {
  try {
    pibench::CpuSet set;
    for (const int cpu : integers(info[0].As<Napi::Array>())) set.add(cpu);
    set.bind(0);
  } catch (const std::system_error& error) {
    throw Napi::Error::New(info.Env(), error.what());
  }
  return info.Env().Undefined();
}

// dieWithParent(): a worker whose campaign was killed must not go on loading the machine.
Napi::Value die_with_parent(const Napi::CallbackInfo& info) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return info.Env().Undefined();
}

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
  exports.Set("inspect", Napi::Function::New(env, inspect));
  exports.Set("kernels", Napi::Function::New(env, kernels));
  exports.Set("memoryKernels", Napi::Function::New(env, memory_kernels));
  exports.Set("collectiveKernels", Napi::Function::New(env, collective_kernels));
  exports.Set("peakLoop", Napi::Function::New(env, peak_loop));
  exports.Set("probeLibrary", Napi::Function::New(env, probe_library));
  exports.Set("describeGpus", Napi::Function::New(env, describe_gpus));
  exports.Set("measureClock", Napi::Function::New(env, measure_clock));
  exports.Set("bindMainThread", Napi::Function::New(env, bind_main_thread));
  exports.Set("dieWithParent", Napi::Function::New(env, die_with_parent));
  add_hosted(env, exports);
  add_mpi(env, exports);
  return exports;
}

}  // namespace

NODE_API_MODULE(pibench, initialise)
