// What MKL's single library, libmkl_rt.so, needs and tells beside the C interface of BLAS: it loads others by
// itself.
#pragma once

#include <string>

#include "shared_library.h"

namespace pibench::stacks {

[[nodiscard]] bool is_mkl(const SharedLibrary& library);

// Where MKL was told to make its threads with GNU's OpenMP (MKL_THREADING_LAYER) that is opened for
// everybody: some builds of that layer were linked without it and end the process at their first call. Where
// it is not found the loader says what is missing, as for any library. Before the first call into MKL.
void lend_openmp_to_mkl() noexcept;

// The kernels that MKL has loaded in this process, as their file names them: avx512, avx2, mc3, def. Empty
// before its first product.
[[nodiscard]] std::string mkl_kernels();

}  // namespace pibench::stacks
