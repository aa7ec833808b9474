#include "memory_hooks.h"

#include <cstdlib>
#include <system_error>

namespace pibench::collective {

bool registers_memory(const std::filesystem::path& root) {
  std::error_code none;
  const std::filesystem::directory_iterator devices(root / "sys/class/infiniband", none);
  if (!none && devices != std::filesystem::directory_iterator()) return true;
  return std::filesystem::exists(root / "dev/knem", none) ||
         std::filesystem::exists(root / "dev/xpmem", none);
}

void spare_libc() {
  if (!registers_memory()) setenv("UCX_MEM_EVENTS", "no", 0);
}

}  // namespace pibench::collective
