#include "rank_executor.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>

#include "../../kernels/cpu/buffer.h"
#include "../../kernels/cpu/memory/dispatch.h"
#include "../random.h"
#include "../threads/preemption.h"
#include "data.h"

namespace pibench::collective {
namespace {

using kernels::Buffer;
using kernels::memory::Arrays;
using kernels::memory::find_pass;
using kernels::memory::Stores;

// Elements of its output that a rank compares after each iteration.
constexpr std::size_t kSampled = Port::kMostAtEnd;
// All bits set: not a number, minus one, or the largest; an input never has it.
constexpr int kPoison = 0xff;
// The moment at which ranks begin lies so far after the first knows of it, more where ranks came late.
constexpr Nanoseconds kFirstMargin = 2'000;
constexpr Nanoseconds kMostMargin = 1'000'000;
constexpr int kLine = 64;

class RankExecutor final : public Executor {
 public:
  RankExecutor(const RankSettings& settings, Port& port)
      : settings_(settings),
        port_(port),
        data_(settings.problem, settings.seed),
        element_(bytes_of(settings.problem.element)),
        got_(gotten(settings.problem, port.rank())),
        shares_memory_(shares_memory(settings.problem, port.rank())) {}

  void perform(const Order& order, Report& report) noexcept override {
    report = {};
    if (order.task != Task::ceiling) port_.choose(order.algorithm);
    switch (order.task) {
      case Task::prepare:
        return prepare();
      case Task::iterate:
      case Task::watch:
        return iterate(order, report);
      case Task::check:
        check_all(data_of(order), report);
        return check_input(data_of(order), report);
      case Task::ceiling:
        return pass_over_memory(order, report);
      case Task::beside:
      case Task::compute:
      case Task::check_computed:
        return;
    }
  }

 private:
  [[nodiscard]] bool renews(const Order& order) const noexcept { return settings_.fresh || order.renew; }
  // Which data an iteration has: where inputs stay as they are always the first ones.
  [[nodiscard]] std::uint64_t data_of(const Order& order) const noexcept {
    return renews(order) ? order.iteration : 0;
  }

  void prepare() noexcept {
    const auto [input, output] = port_.operands();
    if (!output.empty()) std::memset(output.data(), kPoison, output.size());
    if (!input.empty()) data_.fill(input.data(), port_.rank(), 0);
    port_.barrier();
  }

  void iterate(const Order& order, Report& report) noexcept {
    const std::uint64_t data = data_of(order);
    if (renews(order)) data_.fill(port_.operands().input.data(), port_.rank(), data);
    if (order.fault != RankFault::none && port_.rank() == settings_.problem.ranks - 1) happen(order.fault);
    draw_places(order.iteration);
    poison_sampled(data);
    port_.publish();
    port_.bring_at_end({places_.data(), samples()});
    const bool watched = order.task == Task::watch;
    PreemptionWire::arm();
    if (!meet(report)) return;
    port_.watch_waiting(watched);
    port_.begin();
    Nanoseconds entry = port_.now();
    std::uint64_t made = 0;
    if (order.held == port_.rank()) {
      for (; made + 1 < order.calls; ++made) port_.run();
      hold_back(order.hold);
      entry = port_.now();
    }
    for (; made < order.calls; ++made) port_.run();
    const Nanoseconds exit = port_.ended(entry, port_.now());
    report.calls = made;
    report.disturbed = PreemptionWire::tripped();
    report.entry = entry;
    report.exit = exit;
    if (watched) report.spent = port_.waited();
    port_.watch_waiting(false);
    port_.fetch();
    check_sampled(data, report);
  }

  // Others may need its CPU meanwhile.
  void hold_back(Nanoseconds hold) noexcept {
    const Nanoseconds until = port_.now() + hold;
    while (port_.now() < until && !port_.abandoned()) sched_yield();
  }

  // Returns whether it makes sense to go on.
  bool meet(Report& report) noexcept {
    if (settings_.sync != Sync::window) {
      port_.meet();
      return !port_.abandoned();
    }
    // Re-anchored in each iteration, so that one late rank costs one iteration and not all that follow.
    const Nanoseconds moment = port_.latest(port_.now() + margin_);
    PreemptionWire::OfThread wire = PreemptionWire::of_thread();
    wire.arm();
    Nanoseconds at = port_.now();
    const bool was_in_time = at < moment;
    while (!wire.found([&] { return (at = port_.now()) >= moment; })) {
    }
    // Who was in time may have lost its CPU since, be it to another guest of this host. Where readings of the
    // clock themselves take so long, the margin grows until they do not.
    report.late = !was_in_time || at - moment > margin_ / 2;
    margin_ =
        report.late ? std::min(kMostMargin, 2 * margin_) : std::max(kFirstMargin, margin_ - margin_ / 16);
    return !port_.abandoned();
  }

  void happen(RankFault fault) noexcept {
    const auto input = port_.operands().input;
    switch (fault) {
      case RankFault::corrupt:
        for (std::size_t at = element_ - 1; at < input.size(); at += element_) input[at] ^= corruption();
        break;
      case RankFault::lost:
        if (port_.is_process()) raise(SIGKILL);
        [[fallthrough]];
      case RankFault::absent:
        while (!port_.abandoned()) {
        }
        break;
      case RankFault::none:
        break;
    }
  }

  // Of the last byte: in real numbers a bit of the exponent, so that no sum rounds it away. Where the lowest
  // bit there is of the fraction it is the highest below the sign.
  [[nodiscard]] std::byte corruption() const noexcept {
    const Element element = settings_.problem.element;
    const bool is_small = element == Element::float16 || element == Element::float8_e4m3;
    return is_small ? std::byte{0x40} : std::byte{1};
  }

  // ---- Checks
  // -----------------------------------------------------------------------------------------------

  // Ends, and places that nobody can guess.
  [[nodiscard]] std::size_t sampled(std::size_t i, std::uint64_t iteration) const noexcept {
    if (got_ <= kSampled) return i;
    if (i == 0) return 0;
    if (i == 1) return got_ - 1;
    return static_cast<std::size_t>(draw(settings_.seed ^ iteration, i) % got_);
  }
  void draw_places(std::uint64_t iteration) noexcept {
    for (std::size_t i = 0; i < samples(); ++i) places_[i] = sampled(i, iteration);
  }
  [[nodiscard]] std::size_t samples() const noexcept { return std::min(got_, kSampled); }
  [[nodiscard]] std::byte* output_at(std::size_t index) noexcept {
    return port_.operands().output.data() + index * element_;
  }

  // What is compared gets a value that is not the right one. In place it is the input, and has one already.
  void poison_sampled(std::uint64_t data) noexcept {
    if (shares_memory_) return;
    for (std::size_t i = 0; i < samples(); ++i) {
      const std::size_t index = places_[i];
      std::byte* const at = output_at(index);
      data_.encode(data_.expected(port_.rank(), index, data), at);
      for (std::size_t byte = 0; byte < element_; ++byte) at[byte] = ~at[byte];
    }
  }

  void check_sampled(std::uint64_t data, Report& report) noexcept {
    for (std::size_t i = 0; i < samples(); ++i) {
      const std::byte* const then = port_.at_end(i);
      compare(then != nullptr ? then : output_at(places_[i]), places_[i], data, report);
    }
  }

  // Within a block, what is expected repeats with the pattern: compared as memory first, by elements where
  // that differs.
  void check_all(std::uint64_t data, Report& report) noexcept {
    const std::size_t block = settings_.problem.count;
    for (std::size_t first = 0; first < got_; first += block) check_block(first, first + block, data, report);
  }
  void check_block(std::size_t begin, std::size_t end, std::uint64_t data, Report& report) noexcept {
    std::array<std::byte, Data::kPattern * sizeof(std::uint64_t)> period;
    const std::size_t length = std::min(Data::kPattern, end - begin);
    for (std::size_t i = 0; i < length; ++i)
      data_.encode(data_.expected(port_.rank(), begin + i, data), &period[i * element_]);
    for (std::size_t at = begin; at < end; at += length) {
      const std::size_t some = std::min(length, end - at);
      if (std::memcmp(output_at(at), period.data(), some * element_) == 0) {
        report.checked += some;
        continue;
      }
      for (std::size_t index = at; index < at + some; ++index) compare(output_at(index), index, data, report);
    }
  }

  void compare(const std::byte* found, std::size_t index, std::uint64_t data, Report& report) noexcept {
    const std::int64_t want = data_.expected(port_.rank(), index, data);
    ++report.checked;
    const double error = data_.error(found, want);
    if (error <= 1) {
      report.worst = std::max(report.worst, error);
      return;
    }
    if (report.wrong++ > 0) return;
    std::snprintf(report.text, sizeof report.text, "element %zu of what rank %d got is %.9g, expected %.9g",
                  index, port_.rank(), data_.decoded(found), as_decoded(want));
  }
  // Calls are to leave it as it was, but in place.
  void check_input(std::uint64_t data, Report& report) noexcept {
    const auto input = port_.operands().input;
    if (input.empty() || shares_memory_) return;
    port_.fetch_input();
    const std::optional<std::size_t> changed = data_.first_changed(input.data(), port_.rank(), data);
    if (!changed || report.wrong++ > 0) return;
    std::snprintf(report.text, sizeof report.text, "element %zu of what rank %d gave is no longer %.9g",
                  *changed, port_.rank(), as_decoded(data_.value(port_.rank(), *changed, data)));
  }

  [[nodiscard]] double as_decoded(std::int64_t value) const noexcept {
    std::array<std::byte, 8> bytes{};
    data_.encode(value, bytes.data());
    return data_.decoded(bytes.data());
  }

  // ---- The ceiling
  // ------------------------------------------------------------------------------------------

  // `calls` passes over arrays of this rank alone, which load and store as much as its share of `iteration`
  // bytes that the operation moves; `algorithm`: 0 plain stores, 1 non-temporal ones, and 2 more for each
  // further load a store: an addition has two, and what is more than that is read beside it. Where the
  // operation's inputs are written before each call, so is what a pass loads: lines that were changed have to
  // be written back some time, and a ceiling without that would be another's.
  void pass_over_memory(const Order& order, Report& report) noexcept {
    const std::size_t loads = 1 + order.algorithm / 2;
    const std::size_t arrays = loads + 1;
    const std::size_t count =
        std::max<std::size_t>(kLine,
                              order.iteration / arrays / static_cast<std::size_t>(settings_.problem.ranks)) /
        sizeof(double);
    // Without memory it has no part in what is measured, and still meets the others.
    const bool there = make_arrays(arrays * count, report);
    auto* const first = there ? reinterpret_cast<double*>(arrays_->data()) : nullptr;
    const Arrays over{first, first + count, loads > 1 ? first + 2 * count : nullptr, there ? count : 0};
    const auto& kernels = kernels::memory::kernels_named("");
    const auto pass =
        find_pass(kernels, loads > 1 ? kernels::memory::Operation::add : kernels::memory::Operation::copy,
                  order.algorithm % 2 == 0 ? Stores::cached : Stores::streaming);
    // Behind those of the addition.
    const std::size_t read = there && loads > 2 ? (loads - 2) * count : 0;
    // Smaller ones stay in the rank's own caches, where it costs nothing that they changed; and the clock
    // would count.
    constexpr std::size_t kLeastRewritten = std::size_t{2} << 20U;
    const std::size_t bytes = count * arrays * sizeof(double);
    const bool rewrites = settings_.fresh && bytes >= kLeastRewritten;
    const std::uint64_t together = rewrites ? 1 : order.calls;
    Nanoseconds passing = 0;
    std::uint64_t made = 0;
    for (std::uint64_t call = 0; call < order.calls; call += together) {
      // Loaded are those behind the one that is stored.
      if (rewrites) std::fill_n(first + count, there ? (arrays - 1) * count : 0, static_cast<double>(call));
      port_.barrier();
      const Nanoseconds entry = port_.now();
      for (; made < call + together; ++made) {
        pass(over);
        if (read > 0) static_cast<void>(kernels.read(first + 3 * count, read));
      }
      // Until all have passed: one that lost its CPU meanwhile would leave the others memory for themselves,
      // and each would be faster alone than any can be beside the others.
      port_.barrier();
      const Nanoseconds exit = port_.now();
      if (call == 0) report.entry = entry;
      passing += exit - entry;
    }
    report.calls = made;
    report.exit = report.entry + passing;
    report.checked = there ? bytes : 0;
  }

  bool make_arrays(std::size_t count, Report& report) noexcept {
    if (arrays_ && arrays_->size() >= count * sizeof(double)) return true;
    try {
      arrays_.emplace(count * sizeof(double));
      std::fill_n(reinterpret_cast<double*>(arrays_->data()), count, 1.0);
      return true;
    } catch (const std::bad_alloc&) {
      // What was measured before must not be lost for want of its ceiling.
      std::snprintf(report.text, sizeof report.text, "no memory");
      return false;
    }
  }

  RankSettings settings_;
  Port& port_;
  Data data_;
  std::size_t element_;
  std::size_t got_;
  bool shares_memory_;
  std::array<std::size_t, kSampled> places_{};
  Nanoseconds margin_ = kFirstMargin;
  std::optional<Buffer> arrays_;
};

}  // namespace

std::unique_ptr<Executor> make_rank_executor(const RankSettings& settings, Port& port) {
  return std::make_unique<RankExecutor>(settings, port);
}

}  // namespace pibench::collective
