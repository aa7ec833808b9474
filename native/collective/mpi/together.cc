// The files of this folder, compiled as one: each by itself would make the same templates of the standard
// library once more, which is half of what they take to compile. A name in an unnamed namespace is therefore
// one of the whole folder. The linter looks at this, and at each by itself in check:long.
#include "abi.cc"
#include "calls.cc"
#include "clock_fit.cc"
#include "memory_hooks.cc"
#include "mpi_port.cc"
#include "mpi_transport.cc"
#include "world.cc"
