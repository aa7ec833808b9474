// MPI's functions as this addon calls them, whatever a library's ABI is: opened at run time, with no mpi.h
// and nothing to link. An ABI is a table of handles (abi.cc); which one a library has, it is asked.
//
// Two communicators: collectives run on MPI_COMM_WORLD, as in any program; what pi-bench itself says between
// ranks goes over one of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "../problem.h"
#include "wait.h"

namespace pibench::collective {

// What a message of pi-bench's own is about; messages of one kind between two ranks keep their order.
enum class Topic : std::uint8_t { text = 1, order, report, meeting, clock };

class MpiCalls {
 public:
  virtual ~MpiCalls() = default;

  // "Open MPI 4.1.4"; known before begin().
  [[nodiscard]] virtual std::string version() const = 0;
  // MPI_Init_thread; calls may come from any thread of the process, one at a time. Throws std::runtime_error.
  virtual void begin() = 0;
  virtual void end() noexcept = 0;
  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;

  // Messages of pi-bench's own. False when the wait's patience is over: what was begun then stays so.
  virtual bool send(const void* from, std::size_t bytes, int to, Topic topic, Wait& wait) noexcept = 0;
  virtual bool receive(void* into, std::size_t bytes, int from, Topic topic, Wait& wait) noexcept = 0;
  virtual bool exchange(const void* from, int to, void* into, int source, std::size_t bytes, Topic topic,
                        Wait& wait) noexcept = 0;

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
