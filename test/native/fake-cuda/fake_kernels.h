// What the kernels for GPUs compute, on the CPU: by the symbol that the contract gives each.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

namespace pibench::fake {

// How a tensor map is remembered: it is opaque to all but the driver.
struct RememberedTensor {
  std::uint64_t address;
  std::uint64_t inner, outer, batch;
};

// The call of a kernel with a copy of its argument; nothing for a symbol that the contract does not have.
std::optional<std::function<void()>> kernel_call(std::string_view symbol, const void* argument,
                                                 unsigned blocks);

}  // namespace pibench::fake
