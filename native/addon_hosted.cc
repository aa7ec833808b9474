// For stacks that live in JavaScript: the pieces of an inspection that are not the calls themselves.
// Operands, poison, check, ceilings, clock, preemption wire, warm-up rule and snapshots are those of
// native/inspection.cc; the loop that uses them is src/frameworks/inspect.ts.
#include "addon_hosted.h"

#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "addon_values.h"
#include "cache_flush.h"
#include "cuda/devices.h"
#include "json.h"
#include "measure/loop.h"
#include "measure/stop_rule.h"
#include "measure/warmup.h"
#include "nvml/monitor.h"
#include "stacks/library_threads.h"
#include "telemetry/frequency.h"
#include "telemetry/snapshot.h"
#include "threads/preemption.h"
#include "workloads.h"

namespace pibench::addon {
namespace {

using Info = const Napi::CallbackInfo&;
using Shared = std::shared_ptr<Workload>;

// Calls `action`; what it throws is thrown in JavaScript.
template <typename Action>
auto guarded(Napi::Env env, const Action& action) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    throw Napi::Error::New(env, "out of memory");
  } catch (const std::exception& error) {
    throw Napi::Error::New(env, error.what());
  }
}

// Memory of the workload, which lives for as long as anybody can see it.
Napi::ArrayBuffer shared_bytes(Napi::Env env, const Shared& workload, std::span<const std::byte> bytes) {
  auto* owner = new Shared(workload);
  void* data = const_cast<std::byte*>(bytes.data());
  return Napi::ArrayBuffer::New(
      env, data, bytes.size(), [](Napi::Env, void*, Shared* held) { delete held; }, owner);
}

// prepare() -> { inputs: [ArrayBuffer], output: ArrayBuffer }
Napi::Object prepare(Napi::Env env, const Shared& workload) {
  guarded(env, [&] { workload->prepare(); });
  auto inputs = Napi::Array::New(env);
  for (const auto bytes : workload->inputs()) inputs.Set(inputs.Length(), shared_bytes(env, workload, bytes));
  auto operands = Napi::Object::New(env);
  operands.Set("inputs", inputs);
  operands.Set("output", shared_bytes(env, workload, workload->output().bytes));
  return operands;
}

// { ids, binding, watched }, as last found
Napi::Object threads_object(Napi::Env env, const Shared& workload) {
  auto ids = Napi::Array::New(env);
  for (const int id : workload->thread_ids()) ids.Set(ids.Length(), id);
  auto threads = Napi::Object::New(env);
  threads.Set("ids", ids);
  const auto report = workload->library();
  threads.Set("binding", report ? report->binding : "none");
  threads.Set("watched", PreemptionWire::available() && workload->every_thread_is_watched());
  return threads;
}

// host(workload, parameters) -> the case, on the calling thread
Napi::Value host(Info info) {
  const Napi::Env env = info.Env();
  const Shared workload = guarded(env, [&]() -> Shared {
    return find_workload(info[0].ToString().Utf8Value(), workload_parameters(info[1].As<Napi::Object>()))();
  });
  auto hosted = Napi::Object::New(env);
  const auto offer = [&](const char* name, auto action) {
    hosted.Set(name,
               Napi::Function::New(env, [workload, action](Info call) { return action(call, workload); }));
  };
  offer("prepare", [](Info call, const Shared& it) { return prepare(call.Env(), it); });
  offer("bindThreads", [](Info call, const Shared& it) {
    guarded(call.Env(), [&] { it->bind_library_threads(); });
    return threads_object(call.Env(), it);
  });
  offer("findThreads", [](Info call, const Shared& it) {
    guarded(call.Env(), [&] { it->find_library_threads(); });
    return threads_object(call.Env(), it);
  });
  offer("poison", [](Info call, const Shared& it) {
    it->poison();
    return call.Env().Undefined();
  });
  offer("renew", [](Info call, const Shared& it) {
    guarded(call.Env(), [&] { it->renew(); });
    return call.Env().Undefined();
  });
  offer("evict", [](Info call, const Shared& it) {
    guarded(call.Env(), [] { require_flush(kCanFlush); });
    it->evict();
    return call.Env().Undefined();
  });
  offer("ceilings", [](Info call, const Shared& it) {
    return guarded(call.Env(),
                   [&] { return ceilings_object(call.Env(), it->ceilings(call[0].ToBoolean())); });
  });
  const auto found = std::make_shared<Verification>();
  offer("verify", [found](Info call, const Shared& it) {
    return guarded(call.Env(), [&] { return verification_object(call.Env(), *found = it->verify()); });
  });
  offer("verifyOneCall", [found](Info call, const Shared& it) {
    return guarded(call.Env(), [&] {
      return verification_object(call.Env(), *found = with_one_call(*found, it->verify()));
    });
  });
  return hosted;
}

// warmupJudge(rule, onGpu) -> { wantsCalls, enough(entry, exit, settled), result() }, times in nanoseconds
Napi::Value warmup_judge(Info info) {
  const Napi::Env env = info.Env();
  const Nanoseconds most = info[1].ToBoolean() ? kMostDeviceTime : kMostTime;
  auto judge = std::make_shared<WarmupJudge>(warmup_rule(info[0].As<Napi::Object>()), now(), most);
  auto object = Napi::Object::New(env);
  object.Set("wantsCalls", judge->wants_calls());
  object.Set("enough", Napi::Function::New(env, [judge](Info call) {
               const auto time = [&call](int place) { return call[place].ToNumber().Int64Value(); };
               const bool settled = call[2].ToBoolean();
               return Napi::Boolean::New(call.Env(),
                                         judge->enough(time(0), time(1), [settled] { return settled; }));
             }));
  object.Set("result", Napi::Function::New(
                           env, [judge](Info call) { return warmup_object(call.Env(), judge->result()); }));
  return object;
}

// calibrate(callSeconds, clock, job) -> calls per sample
Napi::Value calls_per_sample(Info info) {
  const auto clock = info[1].As<Napi::Object>();
  const ClockQuality quality{number(clock, "overheadSeconds"), number(clock, "resolutionSeconds")};
  const auto job = info[2].As<Napi::Object>();
  const double least = number(job, "repetitions") > 0
                           ? 0
                           : least_sample_seconds(number(job, "budgetSeconds"),
                                                  static_cast<std::uint64_t>(number(job, "most")));
  const auto calls = calibrate(info[0].ToNumber().DoubleValue(), quality, job.Get("cold").ToBoolean(), least);
  return Napi::Number::New(info.Env(), static_cast<double>(calls));
}

// beginCall() -> nanoseconds of CLOCK_MONOTONIC; sets the preemption wire of the calling thread first
Napi::Value begin_call(Info info) {
  PreemptionWire::arm();
  return Napi::Number::New(info.Env(), static_cast<double>(now()));
}

// endCall() -> nanoseconds
Napi::Value end_call(Info info) { return Napi::Number::New(info.Env(), static_cast<double>(now())); }

// disturbed() -> whether the calling thread may have lost its CPU since beginCall()
Napi::Value disturbed(Info info) { return Napi::Boolean::New(info.Env(), PreemptionWire::tripped()); }

// watchGpu(ordinal) -> { settled(), report(begin, end), faults() }, times in nanoseconds: what NVML tells of
// the GPU from now on; the report, or that of a launch that failed, ends it. Frameworks compute on streams of
// their own, so it has no clock of the device.
Napi::Value watch_gpu(Info info) {
  const Napi::Env env = info.Env();
  using Watched = std::optional<nvml::Monitor>;
  const auto monitor = guarded(env, [&] {
    return std::make_shared<Watched>(std::in_place, cuda::pci_bus_id(info[0].ToNumber().Int32Value()));
  });
  // What `ask` gets to know, as the last thing.
  const auto last = [monitor](Info call, const auto& ask) -> Napi::Value {
    if (!*monitor) throw Napi::Error::New(call.Env(), "nobody watches the GPU any more");
    const std::string seen = ask(**monitor);
    monitor->reset();
    return Napi::String::New(call.Env(), json::Object().add("clock", "null").add("nvml", seen).str());
  };
  auto watch = Napi::Object::New(env);
  watch.Set("settled", Napi::Function::New(env, [monitor](Info call) {
              return Napi::Boolean::New(call.Env(), !*monitor || (*monitor)->settled());
            }));
  watch.Set("report", Napi::Function::New(env, [last](Info call) {
              const auto time = [&call](int place) { return call[place].ToNumber().Int64Value(); };
              return last(call, [&](nvml::Monitor& it) { return it.report(time(0), time(1)); });
            }));
  watch.Set("faults", Napi::Function::New(env, [last](Info call) {
              return last(call, [](nvml::Monitor& it) { return it.faults(); });
            }));
  return watch;
}

Napi::Value disarm(Info info) {
  PreemptionWire::disarm();
  return info.Env().Undefined();
}

Napi::Value frequency(Info info) { return Napi::Number::New(info.Env(), effective_frequency()); }

// takeSnapshot(paths, threadIds) -> { at, files }
Napi::Value snapshot(Info info) {
  const auto names = info[0].As<Napi::Array>();
  std::vector<std::string> paths;
  for (std::uint32_t i = 0; i < names.Length(); ++i) paths.push_back(names.Get(i).ToString().Utf8Value());
  return snapshot_object(info.Env(), take_snapshot(paths, integers(info[1].As<Napi::Array>())));
}

// bindOtherThreads(cpus): keeps the threads that are there, the calling one apart, to these CPUs
Napi::Value bind_other_threads(Info info) {
  guarded(info.Env(), [&] { stacks::bind_other_threads(integers(info[0].As<Napi::Array>())); });
  return info.Env().Undefined();
}

}  // namespace

void add_hosted(Napi::Env env, Napi::Object exports) {
  exports.Set("host", Napi::Function::New<host>(env));
  exports.Set("warmupJudge", Napi::Function::New<warmup_judge>(env));
  exports.Set("calibrate", Napi::Function::New<calls_per_sample>(env));
  exports.Set("beginCall", Napi::Function::New<begin_call>(env));
  exports.Set("endCall", Napi::Function::New<end_call>(env));
  exports.Set("disturbed", Napi::Function::New<disturbed>(env));
  exports.Set("watchGpu", Napi::Function::New<watch_gpu>(env));
  exports.Set("disarm", Napi::Function::New<disarm>(env));
  exports.Set("effectiveFrequency", Napi::Function::New<frequency>(env));
  exports.Set("takeSnapshot", Napi::Function::New<snapshot>(env));
  exports.Set("bindOtherThreads", Napi::Function::New<bind_other_threads>(env));
}

}  // namespace pibench::addon
