// What the kernels for GPUs compute, on the CPU: by the symbol that the contract gives each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace pibench::fake {

// Where an address of the fake device lies: its memory is this process's.
template <typename T>
T* pointer(std::uint64_t address) noexcept {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

// How a tensor map is remembered: it is opaque to all but the driver.
struct RememberedTensor {
  std::uint64_t address;
  std::uint64_t inner, outer, batch, row_bytes;
  std::uint32_t box_inner, box_outer;
};

// Of the fake device.
inline constexpr int kMultiprocessors = 4;

// How a kernel is launched: what a real one computes depends on it.
struct Grid {
  unsigned blocks, threads, shared_bytes;
};

// The call of a kernel with a copy of its argument; nothing for a symbol that the contract does not have, and
// where it is launched in another way, or with maps of other matrices, than the contract says.
std::optional<std::function<void()>> kernel_call(std::string_view symbol, const void* argument,
                                                 const Grid& grid);

}  // namespace pibench::fake
