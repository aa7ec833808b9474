// The files of this folder and of those below it but mpi, compiled as one: each by itself would make the same
// templates of the standard library once more, which is half of what they take to compile. A name in an
// unnamed namespace is therefore one of them all. The linter looks at this, and at each by itself in
// check:long.
#include "ceiling.cc"
#include "collective_workload.cc"
#include "data.cc"
#include "gloo/gloo_library.cc"
#include "gloo/gloo_port.cc"
#include "gloo/gloo_transport.cc"
#include "nccl/nccl_library.cc"
#include "nccl/nccl_port.cc"
#include "nccl/nccl_processes.cc"
#include "nccl/nccl_transport.cc"
#include "problem.cc"
#include "rank_executor.cc"
#include "rendezvous/meeting.cc"
#include "rendezvous/socket_messages.cc"
#include "rendezvous/sockets.cc"
#include "shm/children.cc"
#include "shm/shm_port.cc"
#include "shm/shm_transport.cc"
