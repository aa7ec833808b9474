// Micro-kernel for AMX-BF16: TDPBF16PS multiplies tiles of bfloat16 and adds to a tile of float32.
#include "amx_packing.h"
#include "amx_tiles.h"

namespace pibench::kernels {
namespace {

constexpr Packing kPackTiles = tile_packing<WordsOfPairs>();
constexpr MicroKernel kKernels[] = {
    amx_kernel<CpuTiles, Bfloat16Dot, PackWords<WordsOfPairs>>(kPackTiles, 16, &kThinBfloat16)};
constexpr PeakLoop kPeaks[] = {{DataType::bfloat16, peak<CpuTiles, Bfloat16Dot>}};

}  // namespace

constinit const InstructionSet kAmxBf16 = {
    "amx_bf16",
    kCpuAmxTile | kCpuAmxBf16 | kCpuAvx512F | kCpuAvx512Bw | kCpuAvx512Vl | kCpuAvx512Dq | kCpuFma,
    kKernels,
    sizeof(kKernels) / sizeof(kKernels[0]),
    kPeaks,
    sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
