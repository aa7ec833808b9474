// The files of small folders, compiled as one: each by itself would make the same templates of the standard
// library once more, which is half of what they take to compile. A name in an unnamed namespace is therefore
// one of them all. The linter looks at this, and at each by itself in check:long. The measuring loop
// (inspection.cc) stays apart: it must know no workload.
#include "measure/clock.cc"
#include "measure/fault.cc"
#include "measure/idle_workload.cc"
#include "measure/warmup.cc"
#include "measure/workload.cc"
#include "memory/bandwidth.cc"
#include "memory/choice.cc"
#include "memory/memory_workload.cc"
#include "nvml/monitor.cc"
#include "nvml/nvml.cc"
#include "overlap/computer.cc"
#include "overlap/overlap_executor.cc"
#include "overlap/overlap_workload.cc"
#include "peak/peak_workload.cc"
#include "telemetry/frequency.cc"
#include "telemetry/snapshot.cc"
#include "workloads.cc"
