#include "handles.h"

namespace pibench::cuda {
Stream make_stream() {
  StreamHandle* stream = nullptr;
  check(cu().cuStreamCreate(&stream, kStreamNonBlocking), "cuStreamCreate");
  return Stream(stream);
}

Event make_event() {
  EventHandle* event = nullptr;
  check(cu().cuEventCreate(&event, kEventDefault), "cuEventCreate");
  return Event(event);
}

DeviceOrdinal device_at(int ordinal) {
  int count = 0;
  check(cu().cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (ordinal < 0 || ordinal >= count)
    throw NoGpu("there is no device cuda:" + std::to_string(ordinal) + "; the driver shows " +
                (count == 1 ? "one, cuda:0" : std::to_string(count)));
  DeviceOrdinal device = 0;
  check(cu().cuDeviceGet(&device, ordinal), "cuDeviceGet");
  return device;
}

PrimaryContext::PrimaryContext(int ordinal) : device_(device_at(ordinal)) {
  check(cu().cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
  const Result code = cu().cuCtxSetCurrent(context_);
  if (code == result::kSuccess) return;
  static_cast<void>(cu().cuDevicePrimaryCtxRelease_v2(device_));
  check(code, "cuCtxSetCurrent");
}

PrimaryContext::~PrimaryContext() { static_cast<void>(cu().cuDevicePrimaryCtxRelease_v2(device_)); }

void PrimaryContext::make_current() const { check(cu().cuCtxSetCurrent(context_), "cuCtxSetCurrent"); }

int PrimaryContext::attribute(Attribute attribute) const {
  int value = 0;
  check(cu().cuDeviceGetAttribute(&value, attribute, device_), "cuDeviceGetAttribute");
  return value;
}

DeviceMemory::DeviceMemory(std::size_t bytes) : bytes_(bytes) {
  check(cu().cuMemAlloc_v2(&address_, bytes), "cuMemAlloc_v2");
}

void DeviceMemory::release() const noexcept {
  if (address_ != 0) static_cast<void>(cu().cuMemFree_v2(address_));
}

void DeviceMemory::upload(const void* from) const {
  check(cu().cuMemcpyHtoD_v2(address_, from, bytes_), "cuMemcpyHtoD_v2");
  // Of pageable memory the call may return while the last of it is still on its way.
  check(cu().cuCtxSynchronize(), "cuCtxSynchronize");
}

void DeviceMemory::download(void* to) const { download_part(to, 0, bytes_); }

void DeviceMemory::download_part(void* to, std::size_t first, std::size_t bytes) const {
  check(cu().cuMemcpyDtoH_v2(to, address_ + first, bytes), "cuMemcpyDtoH_v2");
}

PinnedMemory::PinnedMemory(std::size_t bytes) : bytes_(bytes) {
  void* memory = nullptr;
  check(cu().cuMemHostAlloc(&memory, bytes, kHostPortable | kHostMapped), "cuMemHostAlloc");
  memory_.reset(static_cast<std::byte*>(memory));
}

Address PinnedMemory::address() const {
  Address address = 0;
  check(cu().cuMemHostGetDevicePointer_v2(&address, memory_.get(), 0), "cuMemHostGetDevicePointer_v2");
  return address;
}

void PinnedMemory::Free::operator()(std::byte* memory) const noexcept {
  static_cast<void>(cu().cuMemFreeHost(memory));
}

}  // namespace pibench::cuda
