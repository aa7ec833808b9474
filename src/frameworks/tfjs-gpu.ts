/** Whether libtensorflow computes on a GPU: it goes on without one, and says so only on the terminal. Pure. */

/** What its backend in JavaScript says of itself, as @tensorflow/tfjs-node-gpu has it. */
export interface NodeBackend {
  readonly isGPUPackage?: boolean;
  readonly isUsingGpuDevice?: boolean;
}

/** Why this backend would compute on the CPU; null: it says that it has a GPU. */
export function withoutGpu({ isGPUPackage, isUsingGpuDevice }: NodeBackend): string | null {
  if (isGPUPackage !== true)
    return 'the libtensorflow that answers is the one for CPUs: @tensorflow/tfjs-node is loaded in the place of tfjs-node-gpu';
  if (isUsingGpuDevice !== true)
    return 'libtensorflow found no GPU that it can use and would compute on the CPU: it takes an NVIDIA driver, and the CUDA toolkit and cuDNN that it was built for where the loader finds them (LD_LIBRARY_PATH)';
  return null;
}

/**
 * Why the products that were computed were not those of the GPU; null: nothing speaks against it.
 * @param cublas the cuBLAS that is in this process: libtensorflow has no other products on GPUs; null: none
 */
export function notOnGpu(backend: NodeBackend, cublas: string | null): string | null {
  const problem = withoutGpu(backend);
  if (problem !== null) return problem;
  return cublas === null
    ? 'no cuBLAS is in this process after the products of libtensorflow, so a GPU has not computed them'
    : null;
}
