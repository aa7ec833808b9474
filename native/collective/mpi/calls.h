// MPI's functions as this addon calls them, whatever a library's ABI is: opened at run time, with no mpi.h
// and nothing to link. An ABI is a table of handles (abi.cc); which one a library has, it is asked.
//
// Two communicators: collectives run on MPI_COMM_WORLD, as in any program; what pi-bench itself says between
// ranks goes over one of its own.
#pragma once

#include <memory>
#include <string>

#include "../problem.h"
#include "messages.h"

namespace pibench::collective {

class MpiCalls : public Messages {
 public:
  // MPI_Init_thread; before it only version() is known. Calls may come from any thread of the process, one at
  // a time. Throws std::runtime_error.
  virtual void begin() = 0;

  // One call of the problem's operation: what is measured.
  virtual void collective(const Problem& problem, const void* input, void* output) noexcept = 0;
};

// The MPI function that executes an operation.
[[nodiscard]] const char* function_of(Operation operation) noexcept;

// Opens the library; `path` as dlopen takes it. Throws std::runtime_error with one clear line.
std::unique_ptr<MpiCalls> open_mpi(const std::string& path);

// From what MPI_Get_library_version says: "Open MPI 4.1.4". Pure.
[[nodiscard]] std::string short_version(const std::string& said);

}  // namespace pibench::collective
