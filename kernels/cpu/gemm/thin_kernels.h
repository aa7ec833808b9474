// Products of a matrix with one to four vectors, which are bound by reading the matrix: it is read once,
// where it lies, and nothing is packed. Written once for every instruction set, over the template's
// Arithmetic. In the loops `vectors`, and `rows` or `groups` of them, are constants of the callers, into
// which they are put: as parameters of the template they would have the compiler make all that is in them
// once more for each.
#pragma once

#include "instruction_set.h"
#include "thin_across_rows.h"
#include "thin_along_rows.h"

namespace pibench::kernels {
namespace {

template <typename Arithmetic>
constexpr ThinKernel kThin = {{multiply_along_rows<Arithmetic, 1>, multiply_along_rows<Arithmetic, 2>,
                               multiply_along_rows<Arithmetic, 3>, multiply_along_rows<Arithmetic, 4>},
                              {multiply_across_rows<Arithmetic, 1>, multiply_across_rows<Arithmetic, 2>,
                               multiply_across_rows<Arithmetic, 3>, multiply_across_rows<Arithmetic, 4>}};

}  // namespace
}  // namespace pibench::kernels
