// The files of this folder, compiled as one: each by itself would make the same templates of the standard
// library once more, which is half of what they take to compile. A name in an unnamed namespace is therefore
// one of the whole folder. The linter looks at this, and at each by itself in check:long.
#include "copy_workload.cc"
#include "cublas.cc"
#include "cublas_lt.cc"
#include "device_workload.cc"
#include "devices.cc"
#include "driver.cc"
#include "event_clock.cc"
#include "handles.cc"
#include "launch_workload.cc"
#include "matmul_check.cc"
#include "matmul_workload.cc"
#include "own_gemm.cc"
#include "pass_workload.cc"
#include "peak_workload.cc"
#include "rates.cc"
#include "session.cc"
