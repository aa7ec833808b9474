// Micro-kernel for AMX-INT8: TDPBSSD multiplies tiles of signed bytes and adds to a tile of int32.
#include "amx_packing.h"
#include "amx_tiles.h"

namespace pibench::kernels {
namespace {

constexpr Packing kPackTiles = tile_packing<WordsOfQuads>();
constexpr MicroKernel kKernels[] = {
    amx_kernel<CpuTiles, Int8Dot, PackWords<WordsOfQuads>>(kPackTiles, 32, &kThinInt8)};
constexpr PeakLoop kPeaks[] = {{DataType::int8, peak<CpuTiles, Int8Dot>}};

}  // namespace

constinit const InstructionSet kAmxInt8 = {
    "amx_int8",
    kCpuAmxTile | kCpuAmxInt8 | kCpuAvx512F | kCpuAvx512Bw | kCpuAvx512Vl | kCpuAvx512Dq | kCpuAvx512Vnni,
    kKernels,
    sizeof(kKernels) / sizeof(kKernels[0]),
    kPeaks,
    sizeof(kPeaks) / sizeof(kPeaks[0])};

}  // namespace pibench::kernels
