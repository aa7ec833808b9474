// Times one product of ours with CUDA's runtime and its events, in the plainest way there is: an event, the kernel, an event,
// many times on one stream. It shares nothing with pi-bench but the kernel's file and its contract, so that pi-bench's
// clock (events behind a gate, driver interface) can be compared with it.
//
//   events FOLDER SIZE REPETITIONS    prints the median seconds of a float32 product of SIZE x SIZE
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../../kernels/cuda/contract.h"

namespace {

using namespace pibench::kernels::cuda;

void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(code));
  std::exit(1);
}

const Gemm& plain_product() {
  for (const Gemm& gemm : kGemms) {
    if (gemm.operand == Element::float32 && gemm.engine == Engine::scalar) return gemm;
  }
  std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 64;
  const std::string folder = arguments[1];
  const int size = std::atoi(arguments[2]);
  const int repetitions = std::atoi(arguments[3]);
  const Gemm& gemm = plain_product();

  cudaLibrary_t library;
  const std::string path = folder + "/" + gemm.module + ".fatbin";
  check(cudaLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "cudaLibraryLoadFromFile");
  cudaKernel_t kernel;
  check(cudaLibraryGetKernel(&kernel, library, gemm.symbol), "cudaLibraryGetKernel");
  const auto* function = reinterpret_cast<const void*>(kernel);
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(gemm.shared_bytes)),
        "cudaFuncSetAttribute");

  const std::size_t elements = static_cast<std::size_t>(size) * size;
  std::vector<float> host(elements);
  // Not zeros: they draw less power.
  for (std::size_t i = 0; i < elements; ++i) host[i] = static_cast<float>(drand48() * 2 - 1);
  float *a, *b, *c;
  check(cudaMalloc(&a, elements * sizeof(float)), "cudaMalloc");
  check(cudaMalloc(&b, elements * sizeof(float)), "cudaMalloc");
  check(cudaMalloc(&c, elements * sizeof(float)), "cudaMalloc");
  check(cudaMemcpy(a, host.data(), elements * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaMemcpy(b, host.data(), elements * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");

  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  const auto blocks = static_cast<unsigned>(blocks_of(gemm, {size, size, size, 1}, multiprocessors));
  GemmArguments product{a, b, c, size, size, size, 1};
  void* parameters[] = {&product};
  const auto launch = [&] {
    check(cudaLaunchKernel(function, dim3(blocks), dim3(gemm.threads), parameters, gemm.shared_bytes, nullptr),
          "cudaLaunchKernel");
  };

  std::vector<cudaEvent_t> begins(repetitions), ends(repetitions);
  for (int i = 0; i < repetitions; ++i) {
    check(cudaEventCreate(&begins[i]), "cudaEventCreate");
    check(cudaEventCreate(&ends[i]), "cudaEventCreate");
  }
  // The same warm-up as it measures, and as much again.
  for (int i = 0; i < 2 * repetitions; ++i) launch();
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  for (int i = 0; i < repetitions; ++i) {
    check(cudaEventRecord(begins[i]), "cudaEventRecord");
    launch();
    check(cudaEventRecord(ends[i]), "cudaEventRecord");
  }
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::vector<float> milliseconds(repetitions);
  for (int i = 0; i < repetitions; ++i)
    check(cudaEventElapsedTime(&milliseconds[i], begins[i], ends[i]), "cudaEventElapsedTime");
  std::sort(milliseconds.begin(), milliseconds.end());
  std::printf("%.9g\n", milliseconds[repetitions / 2] * 1e-3);
  return 0;
}
