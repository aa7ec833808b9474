// Makes kernels of the peak loops.
#pragma once

#define PIBENCH_PEAK(name, blocks, ...)                                                              \
  extern "C" __global__ void __launch_bounds__(256, blocks)                                          \
      pibench_peak_##name(const __grid_constant__ pibench::kernels::cuda::PeakArguments arguments) { \
    using pibench::kernels::cuda::Element;                                                           \
    pibench::kernels::cuda::__VA_ARGS__(arguments);                                                  \
  }
