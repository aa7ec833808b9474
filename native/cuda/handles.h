// The driver's handles as objects that release what they hold. Releasing reports nothing: after a sticky
// error every call fails with that error, which whoever made the failing call has told.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "driver.h"

namespace pibench::cuda {

namespace detail {

template <auto Release>
struct Deleter {
  template <typename Handle>
  void operator()(Handle* handle) const noexcept {
    static_cast<void>((Driver::get().functions().*Release)(handle));
  }
};

}  // namespace detail

using Stream = std::unique_ptr<StreamHandle, detail::Deleter<&Functions::cuStreamDestroy_v2>>;
using Event = std::unique_ptr<EventHandle, detail::Deleter<&Functions::cuEventDestroy_v2>>;
using Module = std::unique_ptr<ModuleHandle, detail::Deleter<&Functions::cuModuleUnload>>;
using Graph = std::unique_ptr<GraphHandle, detail::Deleter<&Functions::cuGraphDestroy>>;
using GraphExec = std::unique_ptr<GraphExecHandle, detail::Deleter<&Functions::cuGraphExecDestroy>>;

// All of these throw CudaError.
Stream make_stream();
Event make_event();

// What kernels and libraries take an address of the driver for.
template <typename T>
T* pointer(Address address) noexcept {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

// The driver's name for the device of an ordinal. Throws NoGpu where there is none.
DeviceOrdinal device_at(int ordinal);

// The context of a device that all of a process shares, current on the thread that made it.
class PrimaryContext {
 public:
  explicit PrimaryContext(int ordinal);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  [[nodiscard]] DeviceOrdinal device() const noexcept { return device_; }
  [[nodiscard]] ContextHandle* get() const noexcept { return context_; }
  // For other threads, and after another device's was current. Throws CudaError.
  void make_current() const;
  [[nodiscard]] int attribute(Attribute attribute) const;

 private:
  DeviceOrdinal device_ = 0;
  ContextHandle* context_ = nullptr;
};

// Bytes on the current device.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  // Throws OutOfDeviceMemory.
  explicit DeviceMemory(std::size_t bytes);
  ~DeviceMemory() { release(); }
  DeviceMemory(DeviceMemory&& other) noexcept
      : address_(std::exchange(other.address_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    if (this != &other) {
      release();
      address_ = std::exchange(other.address_, 0);
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }
  [[nodiscard]] Address address() const noexcept { return address_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // To and from the whole of it, or a part. Wait until it is done; throw CudaError.
  void upload(const void* from) const;
  void download(void* to) const;
  void download_part(void* to, std::size_t first, std::size_t bytes) const;

 private:
  void release() const noexcept;
  Address address_ = 0;
  std::size_t bytes_ = 0;
};

// Bytes of the host that the device reads and writes by itself.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  // Throws OutOfDeviceMemory, CudaError.
  explicit PinnedMemory(std::size_t bytes);
  [[nodiscard]] std::byte* data() const noexcept { return memory_.get(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // Where the device sees it.
  [[nodiscard]] Address address() const;

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace pibench::cuda
