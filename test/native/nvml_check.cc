// What is made of a GPU's readings without a GPU: when it has come to rest, and the document that tells of
// it.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "../../native/json.h"
#include "../../native/nvml/monitor.h"
#include "check.h"

namespace {

using pibench::Nanoseconds;
using pibench::nvml::at_rest;
using pibench::nvml::json_of;
using pibench::nvml::Reading;
using pibench::nvml::RemappedRows;
using pibench::test::Checks;

constexpr Nanoseconds kEvery = 20'000'000;
constexpr double kClock = 1.98e9;
constexpr double kWatts = 600;

// One reading each 20 ms; `clock` and `watts` of the i-th.
std::vector<Reading> readings(int count, double (*clock)(int), double (*watts)(int)) {
  std::vector<Reading> made;
  made.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) made.push_back({i * kEvery, clock(i), 0, watts(i), 0, 0, true});
  return made;
}
double steady_clock_rate(int) { return kClock; }
double steady_watts(int) { return kWatts; }

void rests(Checks& check) {
  check.that(!at_rest({}), "nothing read is no rest");
  check.that(!at_rest(readings(20, steady_clock_rate, steady_watts)), "0.4 s are too short to tell");
  check.that(at_rest(readings(50, steady_clock_rate, steady_watts)), "the same for a second is rest");
  check.that(at_rest(readings(
                 50, [](int i) { return kClock - (i % 2) * 15e6; }, steady_watts)),
             "one step of the clock to and fro is rest");
  check.that(!at_rest(readings(
                 50, [](int i) { return kClock - i * 5e6; }, steady_watts)),
             "a clock that falls is none");
  check.that(!at_rest(readings(50, steady_clock_rate, [](int i) { return kWatts + i * 2; })),
             "nor is power that rises");
  check.that(at_rest(readings(
                 100, [](int i) { return i < 60 ? kClock - 1e6 * (60 - i) * 20 : kClock; }, steady_watts)),
             "what was before the last half second is past");
  check.that(at_rest(readings(
                 50, [](int) { return 0.0; }, [](int) { return 0.0; })),
             "where neither is known nobody waits");
}

void keeps_the_whole_launch(Checks& check) {
  constexpr std::size_t kMost = 100;
  for (const int count : {50, 100, 101, 250, 1000}) {
    pibench::nvml::Readings readings(kMost);
    for (int i = 0; i < count; ++i) readings.add({i * kEvery, kClock, 0, kWatts, 0, 0, true});
    const auto& kept = readings.kept();
    const Nanoseconds step = kept[1].at - kept[0].at;
    bool even = true;
    for (std::size_t i = 1; i < kept.size(); ++i) even = even && kept[i].at - kept[i - 1].at == step;
    check.that(kept.front().at == 0 && even && kept.size() <= kMost && kept.size() >= 50 &&
                   kept.back().at + step > (count - 1) * kEvery,
               "of " + std::to_string(count) + " readings those that are kept span the whole launch evenly",
               std::to_string(kept.size()) + " kept");
  }
}

void writes(Checks& check) {
  namespace json = pibench::json;
  const std::string document = json::Object()
                                   .set("text", "a \"quoted\"\nline \\")
                                   .set("none", std::optional<int>())
                                   .set("some", std::optional<int>(3))
                                   .set("infinite", std::numeric_limits<double>::infinity())
                                   .set("yes", true)
                                   .add("list", json::Array().add("1").add("2").str())
                                   .str();
  check.that(document == R"({"text":"a \"quoted\"\u000aline \\","none":null,"some":3,)"
                         R"("infinite":null,"yes":true,"list":[1,2]})",
             "a document is JSON", document);
  check.that(json::Object().str() == "{}" && json::Array().str() == "[]", "also an empty one");
}

void tells_remapped_rows(Checks& check) {
  const std::string document = json_of(RemappedRows{3, 1, true, false});
  check.that(document == R"({"corrected":3,"uncorrected":1,"pending":true,"failed":false})",
             "of replaced rows it is told how many, and whether some wait or failed", document);
  check.that(json_of(std::nullopt) == "null", "and nothing where NVML does not tell");
}

}  // namespace

int main() {
  Checks check;
  rests(check);
  keeps_the_whole_launch(check);
  writes(check);
  tells_remapped_rows(check);
  return check.finish();
}
