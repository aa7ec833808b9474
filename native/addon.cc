// The addon: what it offers to JavaScript, and what this build and this machine have. Node-API is known here,
// in addon_*.{h,cc} and in first/addon_first.cc only.
#include <napi.h>

#include <exception>
#include <string>

#include "../kernels/cpu/collective/dispatch.h"
#include "../kernels/cpu/data_type_name.h"
#include "../kernels/cpu/gemm/gemm.h"
#include "../kernels/cpu/memory/dispatch.h"
#include "addon_hosted.h"
#include "addon_inspection.h"
#include "addon_mpi.h"
#include "addon_values.h"
#include "collective/gloo/gloo_library.h"
#include "collective/nccl/nccl_library.h"
#include "cuda/cublas.h"
#include "cuda/devices.h"
#include "measure/clock.h"
#include "stacks/gemm_provider.h"

namespace {

using namespace pibench::addon;
using pibench::Nanoseconds;

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
  try {
    return clock_object(info.Env(), pibench::measure_clock());
  } catch (const std::exception& error) {
    throw Napi::Error::New(info.Env(), error.what());
  }
}

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
  exports.Set("kernels", Napi::Function::New(env, kernels));
  exports.Set("memoryKernels", Napi::Function::New(env, memory_kernels));
  exports.Set("collectiveKernels", Napi::Function::New(env, collective_kernels));
  exports.Set("peakLoop", Napi::Function::New(env, peak_loop));
  exports.Set("probeLibrary", Napi::Function::New(env, probe_library));
  exports.Set("describeGpus", Napi::Function::New(env, describe_gpus));
  exports.Set("measureClock", Napi::Function::New(env, measure_clock));
  add_inspection(env, exports);
  add_hosted(env, exports);
  add_mpi(env, exports);
  return exports;
}

}  // namespace

NODE_API_MODULE(pibench, initialise)
