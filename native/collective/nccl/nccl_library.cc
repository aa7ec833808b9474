#include "nccl_library.h"

#include <stdexcept>

namespace pibench::collective::nccl {
namespace {

constexpr const char* kUsual = "libnccl.so.2";

stacks::SharedLibrary opened(const std::string& path) {
  try {
    return stacks::SharedLibrary(path.empty() ? kUsual : path);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("NCCL cannot be opened (" + std::string(error.what()) +
                             "): install it (NVIDIA's package libnccl2, or nvidia-nccl-cu12 of PyPI), or say "
                             "where it is: --stack nccl:/path/libnccl.so.2");
  }
}

// 22105 for 2.21.5; before 2.9 2804 for 2.8.4.
std::string version_text(int code) {
  const int unit = code < 10000 ? 1000 : 10000;
  return std::to_string(code / unit) + "." + std::to_string(code % unit / 100) + "." +
         std::to_string(code % 100);
}

constexpr int kUint8 = 1;

bool reduces_float8(const Problem& problem) noexcept {
  return problem.element == Element::float8_e4m3 && reduces(problem.operation);
}

}  // namespace

int data_type(const Problem& problem) noexcept {
  switch (problem.element) {
    case Element::int8:
      return 0;
    case Element::uint8:
      return kUint8;
    case Element::int32:
      return 2;
    case Element::uint32:
      return 3;
    case Element::int64:
      return 4;
    case Element::uint64:
      return 5;
    case Element::float16:
      return 6;
    case Element::float32:
      return 7;
    case Element::float64:
      return 8;
    case Element::bfloat16:
      return 9;
    case Element::float8_e4m3:
      break;
  }
  return reduces(problem.operation) ? 10 : kUint8;
}

int reduction(Redop redop) noexcept {
  switch (redop) {
    case Redop::sum:
      return 0;
    case Redop::prod:
      return 1;
    case Redop::max:
      return 2;
    case Redop::min:
      return 3;
    case Redop::avg:
      break;
  }
  return 4;
}

void check(const Problem& problem) {
  if (problem.operation == Operation::barrier)
    throw std::invalid_argument("NCCL has no barrier: use --transport shm");
  if (problem.operation == Operation::all_to_all && problem.in_place)
    throw std::invalid_argument("NCCL has no all-to-all in place: leave --in-place out");
}

void check(const Problem& problem, int ordinal, int capability) {
  constexpr int kHopper = 90;
  if (!reduces_float8(problem) || capability >= kHopper) return;
  throw std::invalid_argument(
      "NCCL reduces float8_e4m3 on GPUs of compute capability 9.0 and later, and cuda:" +
      std::to_string(ordinal) + " has " + std::to_string(capability / 10) + "." +
      std::to_string(capability % 10) + ": use --dtype float16");
}

Library::Library(const std::string& path) : library_(opened(path)) {
  const auto get = [this](auto& function, const char* name) {
    function = library_.get<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(name);
  };
  get(error_string, "ncclGetErrorString");
  get(comm_init_all, "ncclCommInitAll");
  get(get_unique_id, "ncclGetUniqueId");
  get(comm_init_rank, "ncclCommInitRank");
  get(comm_destroy, "ncclCommDestroy");
  get(comm_abort, "ncclCommAbort");
  get(comm_async_error, "ncclCommGetAsyncError");
  get(group_start, "ncclGroupStart");
  get(group_end, "ncclGroupEnd");
  get(all_reduce, "ncclAllReduce");
  get(reduce, "ncclReduce");
  get(broadcast, "ncclBroadcast");
  get(all_gather, "ncclAllGather");
  get(reduce_scatter, "ncclReduceScatter");
  get(send, "ncclSend");
  get(receive, "ncclRecv");
  check(library_.get<Result(int*)>("ncclGetVersion")(&code_), "ncclGetVersion");
  version_ = version_text(code_);
}

void Library::check(const Problem& problem) const {
  constexpr int kFirstWithFloat8 = 22400;
  if (!reduces_float8(problem) || code_ >= kFirstWithFloat8) return;
  throw std::invalid_argument(
      "NCCL reduces float8_e4m3 from 2.24 on, and this is " + version_ +
      ": install a newer one, or say where it is with --stack nccl:/path/libnccl.so.2");
}

std::string Library::describe(Result result, const char* call) const {
  const char* const said = error_string(result);
  return std::string(call) + " failed: " + (said == nullptr ? "error " + std::to_string(result) : said);
}

void Library::check(Result result, const char* call) const {
  if (result != kSuccess) throw std::runtime_error(describe(result, call));
}

}  // namespace pibench::collective::nccl
