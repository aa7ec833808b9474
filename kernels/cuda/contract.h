// What the kernels for NVIDIA GPUs promise to whoever launches them: where each is, what it computes, and how
// it has to be launched. Plain C++20, nothing of CUDA.
//
// scripts/lib/cuda-kernels.mjs compiles each <module>.cu to build/plugins/cuda/<module>.fatbin, which
// cuModuleLoadData takes as it is. A module holds machine code for some compute capabilities and, where the
// descriptor says so, PTX for later ones.
//
// How to launch, always: cuLaunchKernel with a grid of (blocks, 1, 1) and blocks of (threads, 1, 1),
// `shared_bytes` of dynamic shared memory (above 48 KiB after CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
// was set to it), and one parameter, the struct named. Clusters are compiled in (no launch attribute); the
// grid is a multiple of the cluster.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "arguments.h"
#include "contract_gemm.h"
#include "types.h"

namespace pibench::kernels::cuda {

// Loops whose arithmetic never waits for memory: the ceiling of the device for an element type.
struct Peak {
  const char* symbol;  // takes PeakArguments
  const char* module;
  Element element;
  Engine engine;
  Target target;
  std::uint32_t threads, blocks_per_multiprocessor, shared_bytes;
  double operations;  // of one block in one iteration, a multiply-add being two
};

inline constexpr std::array kPeaks{
    Peak{"pibench_peak_float64_scalar",
         "peak",
         Element::float64,
         Engine::scalar,
         {80, false},
         256,
         4,
         0,
         2.0 * 256 * 8 * 16},
    Peak{"pibench_peak_float32_scalar",
         "peak",
         Element::float32,
         Engine::scalar,
         {80, false},
         256,
         4,
         0,
         2.0 * 256 * 8 * 16},
    Peak{"pibench_peak_float64_mma",
         "peak",
         Element::float64,
         Engine::mma,
         {80, false},
         256,
         2,
         0,
         2.0 * 8 * 8 * (16 * 8 * 16)},
    Peak{"pibench_peak_tf32_mma",
         "peak",
         Element::tf32,
         Engine::mma,
         {80, false},
         256,
         2,
         0,
         2.0 * 8 * 8 * (16 * 8 * 8)},
    Peak{"pibench_peak_float16_mma",
         "peak",
         Element::float16,
         Engine::mma,
         {80, false},
         256,
         2,
         0,
         2.0 * 8 * 8 * (16 * 8 * 16)},
    Peak{"pibench_peak_bfloat16_mma",
         "peak",
         Element::bfloat16,
         Engine::mma,
         {80, false},
         256,
         2,
         0,
         2.0 * 8 * 8 * (16 * 8 * 16)},
    Peak{"pibench_peak_int8_mma",
         "peak",
         Element::int8,
         Engine::mma,
         {80, false},
         256,
         2,
         0,
         2.0 * 8 * 8 * (16 * 8 * 32)},
    Peak{"pibench_peak_float8_e4m3_mma",
         "peak_fp8",
         Element::float8_e4m3,
         Engine::mma,
         {89, false},
         256,
         2,
         0,
         2.0 * 8 * 8 * (16 * 8 * 32)},
    Peak{"pibench_peak_tf32_wgmma",
         "peak_wgmma",
         Element::tf32,
         Engine::wgmma,
         {90, true},
         256,
         1,
         49152 + 1024,
         2.0 * 2 * 4 * (64 * 256 * 8)},
    Peak{"pibench_peak_float16_wgmma",
         "peak_wgmma",
         Element::float16,
         Engine::wgmma,
         {90, true},
         256,
         1,
         49152 + 1024,
         2.0 * 2 * 4 * (64 * 256 * 16)},
    Peak{"pibench_peak_bfloat16_wgmma",
         "peak_wgmma",
         Element::bfloat16,
         Engine::wgmma,
         {90, true},
         256,
         1,
         49152 + 1024,
         2.0 * 2 * 4 * (64 * 256 * 16)},
    Peak{"pibench_peak_float8_e4m3_wgmma",
         "peak_wgmma",
         Element::float8_e4m3,
         Engine::wgmma,
         {90, true},
         256,
         1,
         49152 + 1024,
         2.0 * 2 * 4 * (64 * 256 * 32)},
    Peak{"pibench_peak_int8_wgmma",
         "peak_wgmma",
         Element::int8,
         Engine::wgmma,
         {90, true},
         256,
         1,
         49152 + 1024,
         2.0 * 2 * 4 * (64 * 256 * 32)},
};

// Passes over memory, as the memory indicator has them on the CPU: the same operations, data and expected
// results (native/memory/elements.h). Several for one operation: `auto` tries them.
enum class Operation : std::uint8_t { read, write, copy, scale, add, triad };

struct Memory {
  const char* symbol;  // takes MemoryArguments
  const char* module;
  Operation operation;
  const char* variant;  // "vector": 16 bytes a thread, in turns; "streaming": the same, marked for early
                        // eviction; "single": 16 bytes a thread, once, marked too; "single256": the same in
                        // smaller blocks; "double": 32 bytes a thread, once, not marked; "bulk": the bulk
                        // copy engine
  Target target;
  std::uint32_t threads, blocks_per_multiprocessor, shared_bytes;
  std::uint32_t pairs = 1;  // of float64 that a thread moves, where it moves some once
};

// The grid's blocks: for each multiprocessor so many; or where that is 0, as many as it takes for each thread
// to move its pairs once.
constexpr std::uint32_t blocks_of(const Memory& memory, std::uint64_t elements,
                                  std::uint64_t multiprocessors) {
  if (memory.blocks_per_multiprocessor != 0)
    return static_cast<std::uint32_t>(multiprocessors * memory.blocks_per_multiprocessor);
  const std::uint64_t of_block = std::uint64_t{2} * memory.pairs * memory.threads;
  return static_cast<std::uint32_t>(elements < of_block ? 1 : (elements + of_block - 1) / of_block);
}

inline constexpr std::uint32_t kBulkShared = 4 * 16 * 1024 + 64;

inline constexpr std::array kMemories{
    Memory{"pibench_memory_read_vector", "memory", Operation::read, "vector", {80, false}, 512, 2, 0},
    Memory{"pibench_memory_read_streaming", "memory", Operation::read, "streaming", {80, false}, 512, 2, 0},
    Memory{"pibench_memory_write_vector", "memory", Operation::write, "vector", {80, false}, 512, 2, 0},
    Memory{"pibench_memory_write_streaming", "memory", Operation::write, "streaming", {80, false}, 512, 2, 0},
    Memory{"pibench_memory_write_single", "memory", Operation::write, "single", {80, false}, 1024, 0, 0},
    Memory{"pibench_memory_write_single256", "memory", Operation::write, "single256", {80, false}, 256, 0, 0},
    Memory{"pibench_memory_copy_vector", "memory", Operation::copy, "vector", {80, false}, 512, 2, 0},
    Memory{"pibench_memory_copy_streaming", "memory", Operation::copy, "streaming", {80, false}, 512, 2, 0},
    Memory{"pibench_memory_copy_single", "memory", Operation::copy, "single", {80, false}, 1024, 0, 0},
    Memory{"pibench_memory_copy_single256", "memory", Operation::copy, "single256", {80, false}, 256, 0, 0},
    Memory{"pibench_memory_copy_double", "memory", Operation::copy, "double", {80, false}, 512, 0, 0, 2},
    Memory{
        "pibench_memory_copy_bulk", "memory_bulk", Operation::copy, "bulk", {90, false}, 32, 3, kBulkShared},
    Memory{"pibench_memory_scale_vector", "memory", Operation::scale, "vector", {80, false}, 512, 2, 0},
    Memory{"pibench_memory_scale_streaming", "memory", Operation::scale, "streaming", {80, false}, 512, 2, 0},
    Memory{"pibench_memory_scale_single", "memory", Operation::scale, "single", {80, false}, 1024, 0, 0},
    Memory{"pibench_memory_scale_single256", "memory", Operation::scale, "single256", {80, false}, 256, 0, 0},
    Memory{"pibench_memory_add_vector", "memory", Operation::add, "vector", {80, false}, 512, 2, 0},
    Memory{"pibench_memory_add_streaming", "memory", Operation::add, "streaming", {80, false}, 512, 2, 0},
    Memory{"pibench_memory_add_single", "memory", Operation::add, "single", {80, false}, 1024, 0, 0},
    Memory{"pibench_memory_add_single256", "memory", Operation::add, "single256", {80, false}, 256, 0, 0},
    Memory{"pibench_memory_triad_vector", "memory", Operation::triad, "vector", {80, false}, 512, 2, 0},
    Memory{"pibench_memory_triad_streaming", "memory", Operation::triad, "streaming", {80, false}, 512, 2, 0},
    Memory{"pibench_memory_triad_single", "memory", Operation::triad, "single", {80, false}, 1024, 0, 0},
    Memory{"pibench_memory_triad_single256", "memory", Operation::triad, "single256", {80, false}, 256, 0, 0},
};

// What measuring needs beside what is measured. `blocks` 0: multiprocessors times
// `blocks_per_multiprocessor`.
struct Support {
  const char* symbol;
  std::uint32_t threads, blocks, blocks_per_multiprocessor;
};

inline constexpr const char* kSupportModule = "support";
inline constexpr Support kEmpty{"pibench_empty", 32, 1, 0};               // EmptyArguments
inline constexpr Support kSpinGate{"pibench_spin_gate", 1, 1, 0};         // SpinGateArguments
inline constexpr Support kFill{"pibench_fill", 256, 0, 8};                // FillArguments
inline constexpr Support kPattern{"pibench_pattern", 256, 0, 8};          // PatternArguments
inline constexpr Support kFingerprint{"pibench_fingerprint", 256, 0, 8};  // FingerprintArguments
inline constexpr Support kCompare{"pibench_compare", 256, 0, 8};          // CompareArguments

// The modules, each the name of a source kernels/cuda/<name>.cu.
inline constexpr std::array<std::string_view, 10> kModules{
    "gemm_wgmma", "gemm_mma",   "gemm_mma_fp8", "gemm_scalar", "peak",
    "peak_fp8",   "peak_wgmma", "memory",       "memory_bulk", kSupportModule};

}  // namespace pibench::kernels::cuda
