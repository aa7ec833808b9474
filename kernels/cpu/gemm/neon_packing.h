// Packing for the arm64 instruction sets that sum products of several neighbours of the depth. It needs no
// more than the baseline and is compiled once, with its flags.
#pragma once

#include "packing.h"

namespace pibench::kernels {

extern const Packing kPackInt8Quads;      // SDOT
extern const Packing kPackInt8Octets;     // SMMLA
extern const Packing kPackBfloat16Quads;  // BFMMLA

}  // namespace pibench::kernels
