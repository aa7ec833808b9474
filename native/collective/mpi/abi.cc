#include "abi.h"

#include <bit>
#include <cstdint>
#include <stdexcept>

namespace pibench::collective {
namespace {

using stacks::SharedLibrary;

// The address of an object of the library, which is a handle.
void* object(const SharedLibrary& library, const char* name) {
  return reinterpret_cast<void*>(library.get<void()>(name));
}

void* constant(std::uintptr_t value) noexcept { return std::bit_cast<void*>(value); }

}  // namespace

MpiAbi abi_of(const SharedLibrary& library) {
  if (library.find<void()>("MPI_Init_thread") == nullptr)
    throw std::runtime_error("the library is no MPI library: it has no MPI_Init_thread");
  // First: a library with MPI 5's ABI may lie on top of another that has its own.
  if (auto* const says = library.find<int(int*, int*)>("MPI_Abi_get_version")) {
    int major = -1;
    int minor = -1;
    says(&major, &minor);
    if (major >= 1) return MpiAbi::standard;
  }
  return library.find<void()>("ompi_mpi_comm_world") == nullptr ? MpiAbi::mpich : MpiAbi::open_mpi;
}

MpiHandles<int> mpich_handles() noexcept {
  MpiHandles<int> handles{};
  handles.abi = "MPICH";
  handles.world = 0x44000000;
  handles.byte = 0x4c00010d;
  handles.elements = {0x4c00040a, 0x4c00080b, handles.byte, 0x4c000137,   0x4c00013b,  0x4c000439,
                      0x4c00043d, 0x4c00083a, 0x4c00083e,   handles.byte, handles.byte};
  handles.redops = {0x58000003, 0x58000004, 0x58000002, 0x58000001};
  handles.in_place = constant(UINTPTR_MAX);
  handles.status_ignore = constant(1);
  handles.thread_serialized = 2;
  return handles;
}

MpiHandles<void*> standard_handles() noexcept {
  MpiHandles<void*> handles{};
  handles.abi = "MPI 5";
  handles.world = constant(0x101);
  handles.byte = constant(0x247);
  handles.elements = {constant(0x210), constant(0x214), handles.byte,    constant(0x240),
                      constant(0x241), constant(0x250), constant(0x251), constant(0x258),
                      constant(0x259), handles.byte,    handles.byte};
  handles.redops = {constant(0x21), constant(0x24), constant(0x22), constant(0x23)};
  handles.in_place = constant(1);
  handles.status_ignore = nullptr;
  handles.thread_serialized = 2048;
  return handles;
}

MpiHandles<void*> open_mpi_handles(const SharedLibrary& library) {
  const auto named = [&library](const char* name) { return object(library, name); };
  MpiHandles<void*> handles{};
  handles.abi = "Open MPI";
  handles.world = named("ompi_mpi_comm_world");
  handles.byte = named("ompi_mpi_byte");
  handles.elements = {named("ompi_mpi_float"),
                      named("ompi_mpi_double"),
                      handles.byte,
                      named("ompi_mpi_int8_t"),
                      named("ompi_mpi_uint8_t"),
                      named("ompi_mpi_int32_t"),
                      named("ompi_mpi_uint32_t"),
                      named("ompi_mpi_int64_t"),
                      named("ompi_mpi_uint64_t"),
                      handles.byte,
                      handles.byte};
  handles.redops = {named("ompi_mpi_op_sum"), named("ompi_mpi_op_prod"), named("ompi_mpi_op_min"),
                    named("ompi_mpi_op_max")};
  handles.in_place = constant(1);
  handles.status_ignore = nullptr;
  handles.thread_serialized = 2;
  return handles;
}

}  // namespace pibench::collective
