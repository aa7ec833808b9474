// Types of what the tests use of cuda-check.mjs.

/** Builds the program that checks the CUDA kernels on a GPU. Its path, relative to the package. */
export function buildCudaCheck(): Promise<string>;
