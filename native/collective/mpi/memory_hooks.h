// UCX, on which MPICH and others are built, wants to know of memory that is given back: it writes jumps to functions of
// its own over the first bytes of libc's munmap and its like, while the process runs. JavaScript's other threads call them
// at any time, and one that is there in that moment executes half of a jump: ranks died of it while they started.
//
// What UCX needs this for are registrations of memory that it keeps, which only some transports have.
#pragma once

#include <filesystem>

namespace pibench::collective {

// Whether this system has a device whose transport registers memory: RDMA, KNEM or XPMEM. `root`: where its /sys and
// /dev lie.
[[nodiscard]] bool registers_memory(const std::filesystem::path& root = "/");

// Before an MPI library is opened: where nothing registers memory UCX leaves libc as it is (UCX_MEM_EVENTS=no), unless
// the user has said what it is to do.
void spare_libc();

}  // namespace pibench::collective
