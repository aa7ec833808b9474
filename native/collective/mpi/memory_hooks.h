// UCX, on which MPICH and others are built, wants to know of memory that is given back: as soon as it is
// loaded it hooks libc's functions, and tries them. UCX 1.13 has the heap grow by a page and shrink by one,
// and does not look whether it grew. V8's range for code often lies right behind the heap, so that it cannot:
// then the last page goes that malloc has given out, and ranks died of it as soon as they touched it (signal
// 11, in 7 of 328 jobs of two ranks).
//
// What UCX needs this for are registrations of memory that it keeps, which only some transports have.
#pragma once

#include <filesystem>

namespace pibench::collective {

// Whether this system has a device whose transport registers memory: RDMA, KNEM or XPMEM. `root`: where its
// /sys and /dev lie.
[[nodiscard]] bool registers_memory(const std::filesystem::path& root = "/");

// Before an MPI library is opened: where nothing registers memory UCX leaves libc as it is
// (UCX_MEM_EVENTS=no), unless the user has said what it is to do.
void spare_libc();

}  // namespace pibench::collective
