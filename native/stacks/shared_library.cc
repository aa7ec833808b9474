#include "shared_library.h"

#include <dlfcn.h>
#include <elf.h>

#include <array>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace pibench::stacks {
namespace {

#if defined(__x86_64__)
constexpr unsigned kMachineHere = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachineHere = EM_AARCH64;
#else
constexpr unsigned kMachineHere = EM_NONE;
#endif

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "arm64";
    case EM_ARM:
      return "32-bit arm";
    case EM_PPC64:
      return "POWER";
    case EM_S390:
      return "s390";
    case EM_RISCV:
      return "RISC-V";
    default:
      return "machine number " + std::to_string(machine);
  }
}

// The linker says of a library for another machine that it cannot be opened, or that there is no such file.
std::string wrong_machine(const std::string& path) {
  std::array<char, sizeof(Elf64_Ehdr)> bytes{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), bytes.size())) return {};
  if (std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) return path + " is no shared library; ";
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.e_machine == kMachineHere) return {};
  return path + " was built for " + machine_name(header.e_machine) + ", this is " +
         machine_name(kMachineHere) + "; ";
}

}  // namespace

SharedLibrary::SharedLibrary(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ != nullptr) return;
  const std::string reason = dlerror();
  throw std::runtime_error("the library could not be loaded: " + wrong_machine(path) + reason);
}

void* SharedLibrary::address(const std::string& name) const noexcept { return dlsym(handle_, name.c_str()); }

void SharedLibrary::refuse(const std::string& name) {
  throw std::runtime_error("the library has no " + name);
}

}  // namespace pibench::stacks
