#include "idle_workload.h"

#include "../threads/team.h"

namespace pibench {
namespace {

class IdleWorkload final : public Workload {
 public:
  void prepare() override {}
  void run() noexcept override {}
  void evict() noexcept override {}
  void poison() noexcept override {}
  Verification verify() override {
    Verification nothing;
    nothing.method = "none";
    nothing.passed = true;
    return nothing;
  }
  Output output() noexcept override { return {}; }
  [[nodiscard]] std::string implementation() const override { return "idle"; }
  Team& team() noexcept override { return team_; }

 private:
  Team team_{1, {}};
};

}  // namespace

std::unique_ptr<Workload> make_idle_workload() { return std::make_unique<IdleWorkload>(); }

}  // namespace pibench
