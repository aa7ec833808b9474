// A workload that does what a check tells it to, and counts what is asked of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../native/measure/workload.h"
#include "../../native/threads/team.h"

namespace pibench::test {

class FakeWorkload final : public Workload {
 public:
  explicit FakeWorkload(
      std::function<void(std::uint64_t call)> on_run = [](std::uint64_t) {}, int members = 1)
      : on_run_(std::move(on_run)), team_(members, {}) {}

  void prepare() override {}
  void run() noexcept override { on_run_(runs++); }
  [[nodiscard]] bool times_itself() const override { return before != 0 || after != 0; }
  std::optional<Timed> measured(const Timed& whole) noexcept override {
    return Timed{whole.entry + before, whole.exit - after, whole.disturbed};
  }
  void evict() noexcept override {
    ++evictions;
    on_evict();
  }
  void poison() noexcept override { on_poison(); }
  Verification verify() override {
    on_verify();
    return verification;
  }
  [[nodiscard]] bool verifies_one_call() const override { return makes_a_call; }
  Ceilings ceilings(bool cold) override { return on_ceilings(cold); }
  std::optional<double> glance_at_peak(Nanoseconds about) override { return on_glance(about); }
  void renew() override { on_renew(); }
  Output output() noexcept override { return {left, 1}; }
  [[nodiscard]] std::string implementation() const override { return on_implementation(); }
  [[nodiscard]] std::optional<LibraryReport> library() const override { return on_library(); }
  void find_library_threads() override { on_find(); }
  void bind_library_threads() override { on_bind(); }
  [[nodiscard]] std::vector<int> thread_ids() override {
    return thread_ids_of ? thread_ids_of() : Workload::thread_ids();
  }
  DeviceClock* device_clock() noexcept override { return device; }
  bool settled() override { return on_settled(); }
  NamedClock timing_clock() override { return clock ? *clock : Workload::timing_clock(); }
  std::string fault_report() override { return seen; }
  Team& team() noexcept override { return team_; }

  DeviceClock* device = nullptr;
  std::optional<NamedClock> clock;
  std::string seen;  // of a device, when a launch fails
  std::function<bool()> on_settled = [] { return true; };
  std::uint64_t runs = 0;
  std::uint64_t evictions = 0;
  Verification verification = {};
  bool makes_a_call = false;  // in its verification
  std::function<void()> on_poison = [] {};
  std::function<void()> on_renew = [] {};
  std::span<std::byte> left;          // by a call
  Nanoseconds before = 0, after = 0;  // of a repetition, what is not measured
  std::function<std::string()> on_implementation = [] { return "fake"; };
  std::function<std::optional<LibraryReport>()> on_library = [] { return std::optional<LibraryReport>(); };
  std::function<void()> on_find = [] {};
  std::function<void()> on_bind = [] {};
  std::function<std::vector<int>()> thread_ids_of;  // nothing: those of the team
  std::function<void()> on_evict = [] {};
  std::function<void()> on_verify = [] {};
  std::function<Ceilings(bool cold)> on_ceilings = [](bool) { return Ceilings{}; };
  std::function<std::optional<double>(Nanoseconds about)> on_glance = [](Nanoseconds) {
    return std::optional<double>();
  };

 private:
  std::function<void(std::uint64_t)> on_run_;
  Team team_;
};

}  // namespace pibench::test
