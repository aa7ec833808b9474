// What an inspection came to, as JavaScript's value.
#pragma once

#include <napi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "addon_values.h"
#include "inspection.h"

namespace pibench::addon {

// { ranks, entries, exits, late, useful, runtime }; times after the first rank's first entry, repetition by
// repetition
inline Napi::Object ranks_object(Napi::Env env, const RankTimes& times) {
  const std::size_t count = times.entries.size();
  const auto first_repetition =
      times.entries.begin() + static_cast<std::ptrdiff_t>(std::min(times.ranks, count));
  const Nanoseconds first = count > 0 ? *std::min_element(times.entries.begin(), first_repetition) : 0;
  auto entries = Napi::Float64Array::New(env, count);
  auto exits = Napi::Float64Array::New(env, count);
  for (std::size_t i = 0; i < count; ++i) {
    entries[i] = to_seconds(times.entries[i] - first);
    exits[i] = to_seconds(times.exits[i] - first);
  }
  auto object = Napi::Object::New(env);
  object.Set("count", static_cast<double>(times.ranks));
  object.Set("entries", entries);
  object.Set("exits", exits);
  object.Set("late", static_cast<double>(times.late));
  object.Set("useful", seconds_array(env, times.useful));
  object.Set("runtimeSeconds", times.runtime);
  return object;
}

inline Napi::Object samples_object(Napi::Env env, const Outcome& outcome) {
  const auto& samples = outcome.samples;
  const std::size_t taken = samples.taken;
  auto entries = Napi::Float64Array::New(env, taken);
  auto seconds = Napi::Float64Array::New(env, taken);
  std::vector<std::uint32_t> disturbed;
  const Nanoseconds first = taken > 0 ? samples.times[0].entry : 0;
  const auto calls = static_cast<double>(outcome.calls_per_sample);
  for (std::size_t i = 0; i < taken; ++i) {
    entries[i] = to_seconds(samples.times[i].entry - first);
    seconds[i] = static_cast<double>(samples.times[i].exit - samples.times[i].entry) * 1e-9 / calls;
    if (samples.disturbed[i] != 0) disturbed.push_back(static_cast<std::uint32_t>(i));
  }
  auto object = Napi::Object::New(env);
  object.Set("entries", entries);
  object.Set("seconds", seconds);
  object.Set("evictingSeconds", to_seconds(samples.evicting));
  object.Set("wallSeconds", taken > 0 ? to_seconds(samples.times[taken - 1].exit - first) : 0);
  object.Set("cancelled", samples.cancelled);
  object.Set("outOfTime", samples.out_of_time);
  if (outcome.preemption_known) {
    auto indices = Napi::Uint32Array::New(env, disturbed.size());
    std::ranges::copy(disturbed, indices.Data());
    object.Set("disturbed", indices);
  } else {
    object.Set("disturbed", env.Null());
  }
  return object;
}

// The seconds of each repetition, by the part's name; null where there are no parts.
inline Napi::Value parts_object(Napi::Env env, const std::vector<PartTimes>& parts) {
  if (parts.empty()) return env.Null();
  auto object = Napi::Object::New(env);
  for (const auto& [name, times] : parts) {
    auto seconds = Napi::Float64Array::New(env, times.size());
    std::ranges::transform(times, seconds.Data(), to_seconds);
    object.Set(name, seconds);
  }
  return object;
}

// { bytes, of, possible, page }
inline Napi::Object huge_pages_object(Napi::Env env, const HugePages& pages) {
  auto object = Napi::Object::New(env);
  object.Set("bytes", static_cast<double>(pages.bytes));
  object.Set("of", static_cast<double>(pages.of));
  object.Set("possible", static_cast<double>(pages.possible));
  object.Set("page", static_cast<double>(pages.page));
  return object;
}

// { threads, bytes, seconds, by }
inline Napi::Object traffic_object(Napi::Env env, const Traffic& traffic) {
  auto object = Napi::Object::New(env);
  object.Set("threads", static_cast<double>(traffic.threads));
  object.Set("bytes", traffic.bytes);
  object.Set("seconds", to_seconds(traffic.window.end - traffic.window.begin));
  object.Set("by", traffic.by);
  return object;
}

inline Napi::Object outcome_object(Napi::Env env, const Outcome& outcome) {
  auto object = Napi::Object::New(env);
  auto spans = Napi::Array::New(env);
  for (const auto& span : outcome.spans) {
    auto entry = Napi::Object::New(env);
    entry.Set("name", span.name);
    entry.Set("begin", to_seconds(span.begin));
    entry.Set("end", to_seconds(span.end));
    spans.Set(spans.Length(), entry);
  }
  auto threads = Napi::Array::New(env);
  for (const int tid : outcome.thread_ids) threads.Set(threads.Length(), tid);

  object.Set("spans", spans);
  auto clock = clock_object(env, outcome.clock.quality);
  clock.Set("name", outcome.clock.name);
  object.Set("clock", clock);
  object.Set("device", text_or_null(env, outcome.device));
  object.Set("warmup", warmup_object(env, outcome.warmup));
  object.Set("callsPerSample", static_cast<double>(outcome.calls_per_sample));
  object.Set("samples", samples_object(env, outcome));
  object.Set("before", snapshot_object(env, outcome.before));
  object.Set("after", snapshot_object(env, outcome.after));
  object.Set("frequencyBefore", outcome.frequency_before);
  object.Set("frequencyAfter", outcome.frequency_after);
  object.Set("threadIds", threads);
  object.Set("implementation", outcome.implementation);
  object.Set("hugePages", outcome.huge_pages ? huge_pages_object(env, *outcome.huge_pages) : env.Null());
  object.Set("library", outcome.library ? library_object(env, *outcome.library) : env.Null());
  object.Set("ceilings", ceilings_object(env, outcome.ceilings));
  object.Set("ranks", outcome.ranks ? ranks_object(env, *outcome.ranks) : env.Null());
  object.Set("parts", parts_object(env, outcome.parts));
  object.Set("traffic", outcome.traffic ? traffic_object(env, *outcome.traffic) : env.Null());
  object.Set("verification",
             outcome.verification ? verification_object(env, *outcome.verification) : env.Null());
  return object;
}

}  // namespace pibench::addon
