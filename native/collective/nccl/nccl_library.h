// NCCL, opened at run time and never linked: the few functions and constants that pi-bench uses, as its
// documented binary interface has them since 2.10 (nccl.h). RCCL and other libraries with this interface are
// opened by the same path.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "../../cuda/driver_types.h"
#include "../../stacks/shared_library.h"
#include "../problem.h"

namespace pibench::collective::nccl {

using Result = int;  // ncclResult_t
struct Communicator;
// ncclUniqueId: what rank 0 hands to the others; passed by value, as it is there.
struct UniqueId {
  std::array<char, 128> internal;
};
inline constexpr Result kSuccess = 0;
inline constexpr Result kInProgress = 7;

// ncclDataType_t and ncclRedOp_t. What is only moved in float8_e4m3 goes as bytes: libraries before 2.24 have
// no such type, and some later ones refuse it on GPUs that cannot compute with it.
int data_type(const Problem& problem) noexcept;
int reduction(Redop redop) noexcept;

// Throws std::invalid_argument for what NCCL has no call for.
void check(const Problem& problem);
// Throws std::invalid_argument for what this GPU cannot reduce, of the compute capability 10 * major + minor.
void check(const Problem& problem, int ordinal, int capability);

class Library {
 public:
  // `path` empty: libnccl.so.2, wherever the linker finds it. Throws std::runtime_error with one line that
  // says what to install.
  explicit Library(const std::string& path);

  // "2.21.5".
  [[nodiscard]] const std::string& version() const noexcept { return version_; }

  // Throws std::invalid_argument for a type that a library of this version cannot reduce.
  void check(const Problem& problem) const;

  // Throws std::runtime_error with `call` and the library's words unless `result` is success.
  void check(Result result, const char* call) const;
  [[nodiscard]] std::string describe(Result result, const char* call) const;

 private:
  stacks::SharedLibrary library_;
  int code_ = 0;
  std::string version_;

 public:
  using Stream = cuda::StreamHandle*;
  const char* (*error_string)(Result);
  Result (*comm_init_all)(Communicator** communicators, int count, const int* devices);
  Result (*get_unique_id)(UniqueId*);
  Result (*comm_init_rank)(Communicator**, int count, UniqueId, int rank);
  Result (*comm_destroy)(Communicator*);
  Result (*comm_abort)(Communicator*);
  Result (*comm_async_error)(Communicator*, Result* error);
  Result (*group_start)();
  Result (*group_end)();
  Result (*all_reduce)(const void* send, void* receive, std::size_t count, int type, int reduction,
                       Communicator*, Stream);
  Result (*reduce)(const void* send, void* receive, std::size_t count, int type, int reduction, int root,
                   Communicator*, Stream);
  Result (*broadcast)(const void* send, void* receive, std::size_t count, int type, int root, Communicator*,
                      Stream);
  Result (*all_gather)(const void* send, void* receive, std::size_t count, int type, Communicator*, Stream);
  Result (*reduce_scatter)(const void* send, void* receive, std::size_t count, int type, int reduction,
                           Communicator*, Stream);
  Result (*send)(const void* from, std::size_t count, int type, int peer, Communicator*, Stream);
  Result (*receive)(void* to, std::size_t count, int type, int peer, Communicator*, Stream);
};

}  // namespace pibench::collective::nccl
