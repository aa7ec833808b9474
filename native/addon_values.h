// JavaScript's values as ours, and ours as JavaScript's: what more than one file of the addon needs.
#pragma once

#include <napi.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "inspection.h"
#include "workloads.h"

namespace pibench::addon {

inline Nanoseconds to_nanoseconds(double seconds) { return static_cast<Nanoseconds>(seconds * 1e9); }
inline double to_seconds(Nanoseconds time) { return static_cast<double>(time) * 1e-9; }

// ---- JavaScript to C++ ------------------------------------------------------------------------------------

inline Napi::Value field(const Napi::Object& object, const char* name) {
  const Napi::Value value = object.Get(name);
  if (value.IsUndefined())
    throw Napi::TypeError::New(object.Env(), std::string("the job has no field ") + name);
  return value;
}
inline double number(const Napi::Object& object, const char* name) {
  const Napi::Value value = field(object, name);
  if (!value.IsNumber()) throw Napi::TypeError::New(object.Env(), std::string(name) + " is not a number");
  return value.As<Napi::Number>().DoubleValue();
}
inline std::uint64_t count(const Napi::Object& object, const char* name) {
  const double value = number(object, name);
  if (!(value >= 0 && value < 9e15))
    throw Napi::RangeError::New(object.Env(), std::string(name) + " is out of range");
  return static_cast<std::uint64_t>(value);
}
inline std::string text(const Napi::Object& object, const char* name) {
  const Napi::Value value = field(object, name);
  if (!value.IsString()) throw Napi::TypeError::New(object.Env(), std::string(name) + " is not a string");
  return value.As<Napi::String>().Utf8Value();
}
inline Napi::Object child(const Napi::Object& object, const char* name) {
  const Napi::Value value = field(object, name);
  if (!value.IsObject()) throw Napi::TypeError::New(object.Env(), std::string(name) + " is not an object");
  return value.As<Napi::Object>();
}
inline std::vector<int> integers(const Napi::Array& array) {
  std::vector<int> values;
  for (std::uint32_t i = 0; i < array.Length(); ++i) values.push_back(array.Get(i).ToNumber().Int32Value());
  return values;
}

inline WorkloadParameters workload_parameters(const Napi::Object& object) {
  std::map<std::string, ParameterValue> values;
  const Napi::Array names = object.GetPropertyNames();
  for (std::uint32_t i = 0; i < names.Length(); ++i) {
    const std::string name = names.Get(i).ToString().Utf8Value();
    const Napi::Value value = object.Get(name);
    if (value.IsNumber())
      values[name] = value.As<Napi::Number>().DoubleValue();
    else if (value.IsString())
      values[name] = value.As<Napi::String>().Utf8Value();
    else if (value.IsArray())
      values[name] = integers(value.As<Napi::Array>());
    else
      throw Napi::TypeError::New(object.Env(), "parameter " + name + " is neither number, string nor list");
  }
  return WorkloadParameters(std::move(values));
}

inline WarmupRule warmup_rule(const Napi::Object& object) {
  const std::string kind = text(object, "kind");
  if (kind == "auto") return {WarmupKind::automatic, 0, 0};
  if (kind == "count") return {WarmupKind::count, count(object, "count"), 0};
  if (kind == "time") return {WarmupKind::time, 0, to_nanoseconds(number(object, "seconds"))};
  throw Napi::TypeError::New(object.Env(), "unknown warm-up " + kind);
}

// ---- C++ to JavaScript ------------------------------------------------------------------------------------

inline Napi::Float64Array seconds_array(Napi::Env env, const std::vector<double>& values) {
  auto array = Napi::Float64Array::New(env, values.size());
  std::ranges::copy(values, array.Data());
  return array;
}

inline Napi::Object snapshot_object(Napi::Env env, const Snapshot& snapshot) {
  auto files = Napi::Object::New(env);
  for (const auto& [path, content] : snapshot.files) {
    if (content)
      files.Set(path, Napi::String::New(env, *content));
    else
      files.Set(path, env.Null());
  }
  auto object = Napi::Object::New(env);
  object.Set("at", to_seconds(snapshot.at));
  object.Set("files", files);
  return object;
}

inline Napi::Object verification_object(Napi::Env env, const Verification& verification) {
  auto object = Napi::Object::New(env);
  object.Set("passed", verification.passed);
  object.Set("method", verification.method);
  object.Set("tolerance", verification.tolerance);
  object.Set("worstError", verification.worst_error);
  object.Set("checked", static_cast<double>(verification.checked));
  object.Set("wrong", static_cast<double>(verification.wrong));
  object.Set("firstWrong", verification.first_wrong);
  return object;
}

inline Napi::Object clock_object(Napi::Env env, const ClockQuality& clock) {
  auto object = Napi::Object::New(env);
  object.Set("overheadSeconds", clock.overhead_seconds);
  object.Set("resolutionSeconds", clock.resolution_seconds);
  return object;
}

// { arithmetic: { rate, isa, inTurns? } | null, memory: { rate, bytes } | null }
inline Napi::Object ceilings_object(Napi::Env env, const Ceilings& ceilings) {
  auto object = Napi::Object::New(env);
  object.Set("arithmetic", env.Null());
  object.Set("memory", env.Null());
  if (ceilings.operations_per_second > 0) {
    auto arithmetic = Napi::Object::New(env);
    arithmetic.Set("rate", ceilings.operations_per_second);
    arithmetic.Set("isa", ceilings.instruction_set);
    if (ceilings.in_turns.turns > 0) {
      auto in_turns = Napi::Object::New(env);
      in_turns.Set("share", ceilings.in_turns.share);
      in_turns.Set("turns", static_cast<double>(ceilings.in_turns.turns));
      arithmetic.Set("inTurns", in_turns);
    }
    object.Set("arithmetic", arithmetic);
  }
  if (ceilings.bytes_per_second > 0) {
    auto memory = Napi::Object::New(env);
    memory.Set("rate", ceilings.bytes_per_second);
    memory.Set("bytes", ceilings.bytes);
    object.Set("memory", memory);
  }
  if (ceilings.moving.bytes_per_second > 0) {
    auto moving = Napi::Object::New(env);
    moving.Set("rate", ceilings.moving.bytes_per_second);
    moving.Set("bytes", ceilings.moving.bytes);
    moving.Set("by", ceilings.moving.by);
    object.Set("moving", moving);
  }
  if (ceilings.unused_instructions) {
    auto names = Napi::Array::New(env);
    for (const auto& name : *ceilings.unused_instructions) names.Set(names.Length(), name);
    object.Set("unusedInstructions", names);
  }
  return object;
}

inline Napi::Value text_or_null(Napi::Env env, const std::string& text) {
  if (text.empty()) return env.Null();
  return Napi::String::New(env, text);
}

// { version, chose, binding }; null where the library does not say
inline Napi::Object library_object(Napi::Env env, const LibraryReport& library) {
  auto object = Napi::Object::New(env);
  object.Set("version", text_or_null(env, library.version));
  object.Set("chose", text_or_null(env, library.chose));
  object.Set("binding", library.binding);
  return object;
}

inline Napi::Object warmup_object(Napi::Env env, const Warmup& warmup) {
  auto object = Napi::Object::New(env);
  object.Set("seconds", seconds_array(env, warmup.seconds));
  object.Set("calls", static_cast<double>(warmup.calls));
  object.Set("judged", warmup.judged);
  object.Set("steady", warmup.steady);
  return object;
}

}  // namespace pibench::addon
