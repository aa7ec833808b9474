// The ABIs of MPI libraries: what stands for each of MPI's constants. A handle is an int in MPICH's (Intel
// MPI's and MVAPICH's too), the address of an object that the library exports in Open MPI's, and a small
// number in a pointer in that of MPI 5.
//
// Values: the mpi.h of Open MPI 4.1.4 and of MPICH 4.0.2; MPI 5.0, appendix A (mpi-forum/mpi-abi-stubs).
// Intel MPI, MVAPICH and MPI 5's ABI have not been run here: their tables are unconfirmed.
#pragma once

#include <array>
#include <cstddef>

#include "../../stacks/shared_library.h"
#include "../problem.h"

namespace pibench::collective {

// Handle: int or void*.
template <typename Handle>
struct MpiHandles {
  const char* abi;
  Handle world, byte;
  std::array<Handle, 11> elements;  // by Element; `byte`: MPI has none
  std::array<Handle, 4> redops;     // by Redop, but avg, which MPI has not
  void* in_place;
  void* status_ignore;
  int thread_serialized;
};

enum class MpiAbi : std::uint8_t { open_mpi, mpich, standard };

// Asks the library. Throws std::runtime_error for what is no MPI library.
MpiAbi abi_of(const stacks::SharedLibrary& library);

MpiHandles<int> mpich_handles() noexcept;
MpiHandles<void*> standard_handles() noexcept;
// Throws std::runtime_error where it lacks one.
MpiHandles<void*> open_mpi_handles(const stacks::SharedLibrary& library);

}  // namespace pibench::collective
