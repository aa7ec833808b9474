// The element types of a GEMM. A header of its own, without any include that could emit code, because the
// files that are compiled for one instruction set may include nothing else (see gemm/instruction_set.h).
#pragma once

#include <cstdint>

namespace pibench::kernels {

enum class DataType : std::uint8_t { float32, float64, bfloat16, int8 };

}  // namespace pibench::kernels
