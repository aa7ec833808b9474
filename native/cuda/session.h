// A device while an inspection measures on it: its context, the one stream that everything is enqueued on,
// our kernels, and the first thing that failed.
#pragma once

#include <map>
#include <string>

#include "../../kernels/cuda/contract.h"
#include "handles.h"

namespace pibench::cuda {

// A kernel of ours, ready to be launched: one parameter, one row of blocks (kernels/cuda/contract.h).
struct Kernel {
  FunctionHandle* function = nullptr;
  const char* symbol = "";
  unsigned blocks = 0, threads = 0, shared_bytes = 0;
};

class Session {
 public:
  // `folder` holds the modules as fat binaries. Throws NoGpu, CudaError.
  Session(int ordinal, std::string folder);

  [[nodiscard]] const PrimaryContext& context() const noexcept { return context_; }
  [[nodiscard]] StreamHandle* stream() const noexcept { return stream_.get(); }
  [[nodiscard]] unsigned multiprocessors() const noexcept { return multiprocessors_; }
  // 10 * major + minor.
  [[nodiscard]] unsigned capability() const noexcept { return capability_; }
  [[nodiscard]] std::size_t l2_bytes() const noexcept { return l2_bytes_; }
  // Of the current device.
  [[nodiscard]] static std::size_t free_bytes();

  // Loads the module where it is not loaded yet. Throws std::runtime_error where its file is not there,
  // CudaError where the driver does not take it.
  Kernel kernel(const char* module, const char* symbol, unsigned blocks, unsigned threads,
                unsigned shared_bytes);
  Kernel kernel(const kernels::cuda::Support& support);

  // Enqueues it; what fails is kept.
  template <typename Arguments>
  void launch(const Kernel& kernel, const Arguments& arguments) noexcept {
    launch_with(kernel, const_cast<Arguments*>(&arguments));
  }
  // Keeps the first failure. Returns whether the call succeeded.
  bool note(Result code, const char* call) noexcept;
  void fail(const std::string& what) noexcept;
  // Empty where nothing failed.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

  // Waits for what was enqueued; throws what failed.
  void synchronize();

 private:
  void launch_with(const Kernel& kernel, void* arguments) noexcept;
  ModuleHandle* module(const char* name);

  PrimaryContext context_;
  Stream stream_;
  std::string folder_;
  std::map<std::string, Module, std::less<>> modules_;
  std::string failure_;
  unsigned multiprocessors_, capability_;
  std::size_t l2_bytes_;
};

}  // namespace pibench::cuda
