/** What cuBLAS and cuBLASLt must not find in a launch's environment. Pure. */
import type { Environment } from './stack.js';

/**
 * These overrule the precision that the caller asks for, and with it the case's data type: tf32 becomes float32 or the other way round,
 * and float32 and float64 become sums of products of fewer bits.
 */
export const cublasEnvironment = (): Environment => ({
  NVIDIA_TF32_OVERRIDE: null,
  CUBLAS_EMULATE_SINGLE_PRECISION: null,
  CUBLAS_EMULATE_DOUBLE_PRECISION: null,
});
