// What every workload on a GPU has in common: the session, its clock, the monitor, one idle thread, and the
// report.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../json.h"
#include "../measure/workload.h"
#include "../nvml/monitor.h"
#include "../threads/team.h"
#include "event_clock.h"
#include "session.h"

namespace pibench::cuda {

// Where a workload runs, and with what.
struct Place {
  int ordinal = 0;
  std::string kernels;  // folder of our modules
};

class DeviceWorkload : public Workload {
 public:
  DeviceClock* device_clock() noexcept override { return &clock_; }
  void finish() noexcept override {
    session_.note(cu().cuStreamSynchronize(session_.stream()), "cuStreamSynchronize");
  }
  bool settled() override { return monitor_.settled(); }
  [[nodiscard]] std::string failure() const override { return session_.failure(); }
  // What the clocks say is of the repetitions alone.
  void begin_samples(std::uint64_t) override { clock_.begin_series(); }
  void end_samples() override { agreement_ = clock_.agreement(); }
  std::string device_report(Nanoseconds begin, Nanoseconds end) override;
  std::string fault_report() override;
  // What is between two calls of a loop on a device is enqueued too; so nothing is to be done on the host.
  void evict() noexcept override {}
  // Empty where it could not be fetched: the session keeps why.
  Output output() noexcept final;
  Team& team() noexcept override { return team_; }
  [[nodiscard]] std::vector<int> thread_ids() override { return team_.thread_ids(); }

 protected:
  // `others`: ordinals of devices that take part without being measured by this clock; they are watched too.
  // Throws NoGpu, CudaError and what Session throws.
  explicit DeviceWorkload(const Place& place, const std::vector<int>& others = {});
  [[nodiscard]] Session& session() noexcept { return session_; }
  [[nodiscard]] const Session& session() const noexcept { return session_; }
  [[nodiscard]] EventClock& clock() noexcept { return clock_; }
  // The output, on the host. May throw.
  virtual Output fetched_output() = 0;
  // What a workload has to say in the report beside the clock and NVML.
  virtual void add_to_report(json::Object& /*report*/) const {}

 private:
  // In this order: who else is on the device must be read before we are.
  nvml::Monitor monitor_;
  std::vector<std::unique_ptr<nvml::Monitor>> others_;
  Session session_;
  EventClock clock_;
  ClockAgreement agreement_;
  Team team_{1, {}};
};

}  // namespace pibench::cuda
