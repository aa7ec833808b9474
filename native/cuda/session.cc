#include "session.h"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

namespace pibench::cuda {
namespace {

std::vector<char> read_module(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error(
        "the GPU kernels are not built: " + path +
        " is missing; `node scripts/build-plugins.mjs` in pi-bench's folder makes it where nvcc is found");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A driver may leave a kernel where it lies until its first launch, and then wait for the device: behind a
// gate that only the host can open it would wait for ever.
void load_now(FunctionHandle* function) {
  if (cu().cuFuncLoad != nullptr) {
    Driver::get().check(cu().cuFuncLoad(function), "cuFuncLoad");
    return;
  }
  int registers = 0;
  Driver::get().check(cu().cuFuncGetAttribute(&registers, FunctionAttribute::registers, function),
                      "cuFuncGetAttribute");
}

}  // namespace

Session::Session(int ordinal, std::string folder)
    : context_(ordinal),
      stream_(make_stream()),
      folder_(std::move(folder)),
      multiprocessors_(static_cast<unsigned>(context_.attribute(Attribute::multiprocessors))),
      capability_(static_cast<unsigned>((10 * context_.attribute(Attribute::compute_major)) +
                                        context_.attribute(Attribute::compute_minor))),
      l2_bytes_(static_cast<std::size_t>(context_.attribute(Attribute::l2_bytes))) {}

std::size_t Session::free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  Driver::get().check(cu().cuMemGetInfo_v2(&free, &total), "cuMemGetInfo_v2");
  return free;
}

ModuleHandle* Session::module(const char* name) {
  const auto known = modules_.find(name);
  if (known != modules_.end()) return known->second.get();
  const std::string path = folder_ + "/" + name + ".fatbin";
  const std::vector<char> image = read_module(path);
  ModuleHandle* handle = nullptr;
  const Result code = cu().cuModuleLoadData(&handle, image.data());
  if (code == result::kNoBinaryForGpu || code == result::kInvalidImage ||
      code == result::kUnsupportedPtxVersion) {
    throw CudaError(code, "the driver (CUDA " + version_text(Driver::get().version()) +
                              ") does not take the kernels of " + path + ": " + Driver::get().describe(code) +
                              "; they were built by a newer toolkit, or not for compute capability " +
                              std::to_string(capability_ / 10) + "." + std::to_string(capability_ % 10));
  }
  Driver::get().check(code, "cuModuleLoadData");
  modules_.emplace(name, Module(handle));
  return handle;
}

Kernel Session::kernel(const char* module_name, const char* symbol, unsigned blocks, unsigned threads,
                       unsigned shared_bytes) {
  constexpr unsigned kWithoutAsking = 48U * 1024U;
  Kernel kernel{nullptr, symbol, blocks, threads, shared_bytes};
  const Result code = cu().cuModuleGetFunction(&kernel.function, module(module_name), symbol);
  if (code != result::kSuccess)
    throw CudaError(code, std::string(symbol) + " is not in the module " + module_name + ": " +
                              Driver::get().describe(code));
  load_now(kernel.function);
  if (shared_bytes > kWithoutAsking)
    Driver::get().check(cu().cuFuncSetAttribute(kernel.function, FunctionAttribute::max_dynamic_shared_bytes,
                                                static_cast<int>(shared_bytes)),
                        "cuFuncSetAttribute");
  return kernel;
}

Kernel Session::kernel(const kernels::cuda::Support& support) {
  const unsigned blocks =
      support.blocks != 0 ? support.blocks : multiprocessors_ * support.blocks_per_multiprocessor;
  return kernel(kernels::cuda::kSupportModule, support.symbol, blocks, support.threads, 0);
}

bool Session::note(Result code, const char* call) noexcept {
  if (code == result::kSuccess) return true;
  fail(std::string(call) + ": " + Driver::get().describe(code));
  return false;
}

void Session::fail(const std::string& what) noexcept {
  if (failure_.empty()) failure_ = what;
}

void Session::launch_with(const Kernel& kernel, void* arguments) noexcept {
  void* parameters[] = {arguments};
  note(cu().cuLaunchKernel(kernel.function, kernel.blocks, 1, 1, kernel.threads, 1, 1, kernel.shared_bytes,
                           stream_.get(), static_cast<void**>(parameters), nullptr),
       kernel.symbol);
}

void Session::synchronize() {
  note(cu().cuStreamSynchronize(stream_.get()), "cuStreamSynchronize");
  if (!failure_.empty()) throw std::runtime_error(failure_);
}

}  // namespace pibench::cuda
