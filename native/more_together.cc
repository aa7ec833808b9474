// The other files of small folders, which the part of the addon that is built first does without, compiled as
// one for the reason that together.cc gives.
#include "latency/latency_workload.cc"
#include "latency/loaders.cc"
#include "latency/ring.cc"
#include "measure/idle_workload.cc"
#include "memory/memory_workload.cc"
#include "nvml/monitor.cc"
#include "nvml/nvml.cc"
#include "nvml/presence.cc"
#include "overlap/computer.cc"
#include "overlap/overlap_executor.cc"
#include "overlap/overlap_workload.cc"
#include "workloads.cc"
