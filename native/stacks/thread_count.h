// How many threads a library uses: told through each interface for it that the library has, and asked back.
#pragma once

#include "shared_library.h"

namespace pibench::stacks {

// Tells OpenBLAS, BLIS, MKL, and the OpenMP that the library brought. Throws std::runtime_error where one of
// them says afterwards that it uses another number.
void set_library_threads(const SharedLibrary& library, int threads);

}  // namespace pibench::stacks
