// The files of small folders without which nothing is measured on CPUs, compiled as one: each by itself would
// make the same templates of the standard library once more, which is half of what they take to compile. A
// name in an unnamed namespace is therefore one of them all. The linter looks at this, and at each by itself
// in check:long. The measuring loop (inspection.cc) stays apart: it must know no workload.
#include "matmul/matmul_parameters.cc"
#include "measure/clock.cc"
#include "measure/fault.cc"
#include "measure/warmup.cc"
#include "measure/workload.cc"
#include "memory/bandwidth.cc"
#include "memory/choice.cc"
#include "peak/peak_workload.cc"
#include "stacks/library_threads.cc"
#include "telemetry/frequency.cc"
#include "telemetry/huge_pages.cc"
#include "telemetry/snapshot.cc"
#include "workload_parameters.cc"
