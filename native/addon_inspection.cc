// What a worker asks of the addon: turns its job into ours, and what its inspection came to into its value.
#include "addon_inspection.h"

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

#include "addon_outcome.h"
#include "addon_values.h"
#include "inspection.h"
#include "threads/affinity.h"
#include "workloads.h"

namespace pibench::addon {
namespace {

Fault fault(const Napi::Object& object) {
  const std::string kind = text(object, "kind");
  if (kind == "repeated-work") return {FaultKind::repeated_work, 0, number(object, "share")};
  const std::uint64_t at = count(object, "at");
  if (kind == "wrong-element") return {FaultKind::wrong_element, at};
  if (kind == "skipped-calls") return {FaultKind::skipped_calls, at};
  if (kind == "slow-repetition") return {FaultKind::slow_repetition, at};
  if (kind == "stall") return {FaultKind::stall, at};
  if (kind == "crash") return {FaultKind::crash, at};
  if (kind == "corrupt-rank") return {FaultKind::corrupt_rank, at};
  if (kind == "absent-rank") return {FaultKind::absent_rank, at};
  if (kind == "lost-rank") return {FaultKind::lost_rank, at};
  throw Napi::TypeError::New(object.Env(), "unknown fault " + kind);
}

Job job(const Napi::Object& object) {
  Job job;
  job.make_workload =
      find_workload(text(object, "workload"), workload_parameters(child(object, "parameters")));
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
  if (object.Has("inTurns")) job.in_turns = object.Get("inTurns").ToBoolean();
  if (object.Has("operations")) job.operations = number(object, "operations");
  if (object.Has("gate")) job.gate = object.Get("gate").ToBoolean();
  if (object.Has("fault") && object.Get("fault").IsObject())
    job.fault = fault(object.Get("fault").As<Napi::Object>());
  return job;
}

// ---- The inspection: a thread of its own, a promise for its end -------------------------------------------

const char* phase_name(Phase phase) {
  switch (phase) {
    case Phase::allocate:
      return "allocate";
    case Phase::warm_up:
      return "warm-up";
    case Phase::calibrate:
      return "calibrate";
    case Phase::gate:
      return "gate";
    case Phase::measure:
      return "measure";
    case Phase::cool_down:
      return "cool-down";
    case Phase::verify:
      return "verify";
    case Phase::done:
      return "done";
  }
  return "unknown";
}

struct Running {
  explicit Running(Napi::Env env) : deferred(Napi::Promise::Deferred::New(env)) {}
  Control control;
  Job job;
  Napi::Promise::Deferred deferred;
  Napi::ThreadSafeFunction finished;
  std::thread thread;
  std::unique_ptr<Outcome> outcome;
  std::string error;
  std::string seen;  // of the device of a launch that failed
};

void settle(Napi::Env env, Running& running) {
  running.thread.join();
  if (running.outcome) {
    running.deferred.Resolve(outcome_object(env, *running.outcome));
  } else {
    const auto error = Napi::Error::New(env, running.error);
    if (!running.seen.empty()) error.Value().Set("device", running.seen);
    running.deferred.Reject(error.Value());
  }
}

// As top -H and /proc/PID/task/TID/comm show it; threads that it starts inherit the name.
constexpr const char* kThreadName = "measuring";

void measure_on_thread(const std::shared_ptr<Running>& running) {
  pthread_setname_np(pthread_self(), kThreadName);
  try {
    running->outcome = std::make_unique<Outcome>(pibench::inspect(running->job, running->control));
  } catch (const std::bad_alloc& error) {
    // The device's words say more than the host's.
    running->error = error.what() == std::string_view("std::bad_alloc") ? "out of memory" : error.what();
  } catch (const DeviceFailure& failure) {
    running->error = failure.what();
    running->seen = failure.seen();
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

// bindMainThread(cpus): keeps the calling thread, which waits and writes, off the CPUs that measure.
Napi::Value bind_main_thread(const Napi::CallbackInfo& info) {
  try {
    CpuSet set;
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

}  // namespace

void add_inspection(napi_env env, napi_value exports) {
  Napi::Object object(env, exports);
  object.Set("inspect", Napi::Function::New(env, inspect));
  object.Set("bindMainThread", Napi::Function::New(env, bind_main_thread));
  object.Set("dieWithParent", Napi::Function::New(env, die_with_parent));
}

}  // namespace pibench::addon
