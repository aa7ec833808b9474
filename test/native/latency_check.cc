// The ring of the latency indicator: that it is one, through all lines, of any size, in the order that was
// asked for; and that the workload's check sees chains that end elsewhere, and rings that are none.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <new>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../native/latency/latency_workload.h"
#include "../../native/latency/ring.h"
#include "check.h"

namespace {

using pibench::Verification;
using pibench::Workload;
using pibench::latency::Chase;
using pibench::latency::chase;
using pibench::latency::Link;
using pibench::latency::Order;
using pibench::latency::Parameters;
using pibench::latency::Ring;
using pibench::test::Checks;

constexpr std::array kOrders{Order::random, Order::pages};
constexpr std::array<const char*, 2> kNames{"random", "pages"};
constexpr std::array<std::size_t, 4> kStrides{16, 64, 128, 4096};
constexpr std::size_t kPage = 4096;
constexpr std::byte kCanary{0xa5};

const char* name_of(Order order) { return kNames.at(static_cast<std::size_t>(order)); }

// About pages of each stride, and powers of two.
std::vector<std::size_t> sizes() {
  std::vector<std::size_t> all;
  for (std::size_t lines = 2; lines <= 70; ++lines) all.push_back(lines);
  for (const std::size_t lines : {127, 128, 129, 255, 256, 257, 511, 512, 513, 1000, 4095, 4097, 10007})
    all.push_back(lines);
  return all;
}

// Memory for a ring, with a line beyond it that is nobody's.
class Room {
 public:
  Room(std::size_t lines, std::size_t stride)
      : stride_(stride), memory_(((lines + 1) * stride + kPage - 1) / kPage * kPage + kPage, kCanary) {}
  [[nodiscard]] std::byte* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + (kPage - address % kPage) % kPage;
  }
  [[nodiscard]] Link* line(std::size_t i) { return reinterpret_cast<Link*>(data() + i * stride_); }
  [[nodiscard]] std::size_t number_of(const Link* link) {
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(link) - data()) / stride_;
  }
  // That nothing was written but links.
  [[nodiscard]] bool untouched_beside(std::size_t lines) {
    for (std::size_t i = 0; i <= lines; ++i) {
      const std::span line(data() + i * stride_, stride_);
      for (const std::byte one : line.subspan(i < lines ? sizeof(Link) : 0))
        if (one != kCanary) return false;
    }
    return true;
  }

 private:
  std::size_t stride_;
  std::vector<std::byte> memory_;
};

// The numbers of the lines as who follows them comes to them, until one is met again; none past the memory.
std::vector<std::size_t> followed(const Ring& ring, Room& room) {
  std::vector<std::size_t> order;
  std::vector<bool> met(ring.lines());
  for (const Link* at = ring.first(); ring.place_of(at); at = at->next) {
    const std::size_t line = room.number_of(at);
    if (met[line]) break;
    met[line] = true;
    order.push_back(line);
  }
  return order;
}

std::string try_ring(Order order, std::size_t lines, std::size_t stride) {
  const std::string where = std::to_string(lines) + " lines of " + std::to_string(stride) + " bytes";
  Room room(lines, stride);
  Ring ring(room.data(), lines, stride);
  ring.close(order, lines * 31 + stride);
  const std::vector<std::size_t> way = followed(ring, room);
  if (way.size() != lines) return where + ": followed through " + std::to_string(way.size());
  if (room.line(way.back())->next != ring.first()) return where + ": the last does not lead to the first";
  for (std::size_t place = 0; place < lines; ++place)
    if (ring.place_of(room.line(way[place])) != place) return where + ": place " + std::to_string(place);
  if (!room.untouched_beside(lines)) return where + ": more than links was written";
  const auto broken = ring.broken();
  if (broken.links != 0) return where + ": called broken: " + broken.first;
  if (order != Order::pages) return "";
  const std::size_t of_page = kPage / stride;
  std::size_t changes = 0;
  for (std::size_t place = 1; place < lines; ++place)
    changes += way[place] / of_page == way[place - 1] / of_page ? 0 : 1;
  return changes + 1 == (lines + of_page - 1) / of_page ? "" : where + ": a page has two turns";
}

void check_rings(Checks& checks) {
  for (const Order order : kOrders) {
    for (const std::size_t stride : kStrides) {
      std::string why;
      for (const std::size_t lines : sizes())
        if (why.empty()) why = try_ring(order, lines, stride);
      checks.that(why.empty(),
                  std::string(name_of(order)) + " order, lines of " + std::to_string(stride) +
                      " bytes: one ring through all of them, of any size",
                  why);
    }
  }
}

std::vector<std::size_t> drawn(Order order, std::size_t lines, std::uint64_t seed) {
  Room room(lines, 64);
  Ring ring(room.data(), lines, 64);
  ring.close(order, seed);
  return followed(ring, room);
}

void check_chance(Checks& checks) {
  for (const Order order : kOrders) {
    const std::string name = name_of(order);
    checks.that(drawn(order, 300, 1) == drawn(order, 300, 1), name + ": a seed draws one ring");
    checks.that(drawn(order, 300, 1) != drawn(order, 300, 2), name + ": another seed another one");
  }
  // Through four lines there are six rings.
  constexpr int kRings = 6, kDraws = 6000;
  std::map<std::vector<std::size_t>, int> counts;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    std::vector<std::size_t> way = drawn(Order::random, 4, seed);
    // From line 0 on, where it goes through that.
    std::ranges::rotate(way, std::ranges::find(way, std::size_t{0}));
    ++counts[way];
  }
  double chi2 = 0;
  for (const auto& [way, count] : counts) {
    const double off = count - double{kDraws} / kRings;
    chi2 += off * off / (double{kDraws} / kRings);
  }
  // Of five degrees of freedom 20.5 is passed once in a thousand times; these seeds are always the same.
  checks.that(counts.size() == kRings && chi2 < 20.5, "each ring through four lines is drawn as often",
              std::to_string(counts.size()) + " rings, chi squared " + std::to_string(chi2));
}

// What can be wrong with a ring of which every line leads to a line.
void check_broken(Checks& checks) {
  constexpr std::size_t kLines = 100;
  Room room(kLines, 64);
  Ring ring(room.data(), kLines, 64);
  const auto broken_by = [&](const char* what, const auto& damage) {
    ring.close(Order::random, 5);
    damage();
    const auto broken = ring.broken();
    checks.that(broken.links > 0 && !broken.first.empty(), what);
  };
  broken_by("two rings in the place of one are seen", [&] {
    std::swap(room.line(3)->next, room.line(60)->next);
    checks.that(followed(ring, room).size() < kLines, "(which they are: not all lines are met)");
  });
  broken_by("a line that leads to itself is seen", [&] { room.line(7)->next = room.line(7); });
  broken_by("a line that leaves out the next is seen",
            [&] { room.line(9)->next = room.line(9)->next->next; });
  broken_by("a line that leads out of the memory is seen", [&] { room.line(0)->next = room.line(kLines); });
  broken_by("a line that leads between lines is seen",
            [&] { room.line(1)->next = reinterpret_cast<const Link*>(room.data() + 24); });
  broken_by("a line that leads nowhere is seen", [&] { room.line(2)->next = nullptr; });
  broken_by("two lines of one place are seen", [&] { room.line(4)->place = room.line(5)->place; });
  broken_by("a place that there is not is seen", [&] { room.line(6)->place = kLines; });
}

void check_chase(Checks& checks) {
  constexpr std::size_t kLines = 1000;
  Room room(kLines, 64);
  Ring ring(room.data(), kLines, 64);
  ring.close(Order::random, 3);
  std::string why;
  const Link* want = ring.first();
  for (std::uint64_t loads = 0; loads < kLines; ++loads, want = want->next)
    if (chase(ring.first(), loads) != want && why.empty()) why = std::to_string(loads) + " loads";
  checks.that(why.empty(), "a chase makes as many loads as it is told", why);
}

Parameters parameters_of(Order order, std::size_t lines, std::uint64_t loads) {
  return {lines, 64, order, loads, {}, 7};
}

void check_workload(Checks& checks, const Parameters& parameters, const std::string& name) {
  const auto workload = pibench::latency::make_workload(parameters);
  workload->prepare();
  checks.that(!workload->verify().passed, name + ": before the first call the output is wrong");
  for (int call = 0; call < 3; ++call) workload->run();
  const Verification right = workload->verify();
  checks.that(right.passed && right.worst_error == 0 && right.checked == parameters.lines + 1,
              name + ": verified", right.first_wrong);
  const auto [bytes, size] = workload->output();
  for (const std::size_t at : {std::size_t{0}, size - 1}) {
    bytes[at] ^= std::byte{1};
    const Verification wrong = workload->verify();
    checks.that(!wrong.passed && !wrong.first_wrong.empty(),
                name + ": one wrong bit in byte " + std::to_string(at) + " is seen");
    bytes[at] ^= std::byte{1};
  }
  workload->poison();
  checks.that(!workload->verify().passed, name + ": a poisoned output is wrong");
  workload->evict();
  workload->run();
  checks.that(workload->verify().passed, name + ": a call goes on where those before it ended");
  const auto arrays = workload->arrays();
  const std::vector<std::byte> ring(arrays[0].begin(), arrays[0].begin() + kPage);
  workload->renew();
  checks.that(!std::ranges::equal(ring, arrays[0].first(kPage)), name + ": another ring is another one");
  workload->poison();
  workload->run_calls(1);
  const Verification renewed = workload->verify();
  checks.that(renewed.passed && renewed.checked > parameters.loads,
              name + ": verified on another ring in the same place, of more lines than loads",
              renewed.first_wrong);
  checks.that(arrays.size() == 1 && arrays[0].size() >= parameters.lines * parameters.stride,
              name + ": its memory is told");
}

const Link* one_too_few(const Link* from, std::uint64_t loads) noexcept { return chase(from, loads - 1); }
const Link* one_too_many(const Link* from, std::uint64_t loads) noexcept { return chase(from, loads + 1); }
const Link* none(const Link* from, std::uint64_t) noexcept { return from; }

// Right but for whole rounds of 16 lines, and for one load in each 16.
const Link* without_rounds(const Link* from, std::uint64_t loads) noexcept { return chase(from, loads % 16); }
const Link* one_in_16_less(const Link* from, std::uint64_t loads) noexcept {
  return chase(from, loads - loads / 16);
}

// Every call at the line where the first one ended.
const Link* kept = nullptr;
const Link* remembered(const Link* from, std::uint64_t loads) noexcept {
  if (kept == nullptr) kept = chase(from, loads);
  return kept;
}

void check_wrong_chases(Checks& checks) {
  // Fewer lines than loads, and more. One round and one load more than that, as the indicator asks for.
  for (const std::size_t lines : {std::size_t{16}, std::size_t{5000}}) {
    const Parameters parameters = parameters_of(Order::random, lines, lines == 16 ? 1025 : 1024);
    const std::string of = " in " + std::to_string(lines) + " lines is seen";
    const auto is_seen = [&](Chase wrong, const std::string& what) {
      const auto workload = pibench::latency::make_workload(parameters, wrong);
      workload->prepare();
      workload->run();
      const Verification found = workload->verify();
      checks.that(!found.passed && found.wrong == 1 && !found.first_wrong.empty(), what + of);
    };
    is_seen(one_too_few, "a chain one load too short");
    is_seen(one_too_many, "a chain one load too long");
    is_seen(none, "a chain that is not followed");
    kept = nullptr;
    const auto workload = pibench::latency::make_workload(parameters, remembered);
    workload->prepare();
    workload->run();
    checks.that(workload->verify().passed, "an end that is remembered is right the first time");
    workload->renew();
    workload->poison();
    workload->run();
    checks.that(!workload->verify().passed, "and seen when there is another ring," + of);
  }
}

// Where the ring comes round within a call, its end tells nothing of rounds: the call on a longer one does.
void check_whole_rounds(Checks& checks) {
  const auto is_seen = [&](Chase wrong, const std::string& what) {
    const auto workload = pibench::latency::make_workload(parameters_of(Order::random, 16, 1025), wrong);
    workload->prepare();
    workload->run();
    checks.that(workload->verify().passed, "to leave out " + what + " of 16 lines ends right");
    workload->renew();
    workload->poison();
    workload->run_calls(1);
    checks.that(!workload->verify().passed, "and is seen by one call on another ring");
  };
  is_seen(without_rounds, "whole rounds");
  is_seen(one_in_16_less, "one load in 16");
}

void check_wrong_ring(Checks& checks) {
  const Parameters parameters = parameters_of(Order::random, 64, 129);
  const auto workload = pibench::latency::make_workload(parameters);
  workload->prepare();
  auto* const memory = const_cast<std::byte*>(workload->arrays()[0].data());
  const auto line = [&](std::size_t i) { return reinterpret_cast<Link*>(memory + i * parameters.stride); };
  std::swap(line(10)->next, line(40)->next);
  workload->run();
  const Verification found = workload->verify();
  checks.that(!found.passed && found.wrong >= 2, "a workload whose ring became two is wrong",
              found.first_wrong);
}

void check_refusals(Checks& checks) {
  using pibench::latency::make_workload;
  checks.throws<std::invalid_argument>([] { pibench::latency::order_named("sorted"); }, "unknown order");
  checks.throws<std::invalid_argument>([] { make_workload(parameters_of(Order::random, 1, 8)); },
                                       "a ring of one line");
  for (const std::size_t stride : {std::size_t{8}, std::size_t{20}}) {
    checks.throws<std::invalid_argument>(
        [stride] {
          Parameters narrow = parameters_of(Order::random, 16, 8);
          narrow.stride = stride;
          make_workload(narrow);
        },
        "a stride of " + std::to_string(stride));
  }
  checks.throws<std::bad_alloc>([] { make_workload(parameters_of(Order::random, std::size_t{1} << 60U, 8)); },
                                "more memory than can be counted");
}

}  // namespace

int main() {
  Checks checks;
  check_rings(checks);
  check_chance(checks);
  check_broken(checks);
  check_chase(checks);
  for (const Order order : kOrders) {
    check_workload(checks, parameters_of(order, 16, 1025), std::string(name_of(order)) + ", small");
    check_workload(checks, parameters_of(order, 70'000, 1000), std::string(name_of(order)) + ", large");
  }
  check_wrong_chases(checks);
  check_whole_rounds(checks);
  check_wrong_ring(checks);
  check_refusals(checks);
  return checks.finish();
}
