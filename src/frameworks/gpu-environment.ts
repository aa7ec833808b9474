/**
 * The environment of a launch whose framework computes on a GPU. It has to be there before CUDA is loaded, and so before the
 * process starts. Pure.
 */

/** The one GPU that such a launch sees, whichever it is of the machine's. */
export const ONLY_GPU = 0;

/** What the variable has to say for one GPU to be seen, of those that it shows already. */
function visibleGpu(ordinal: number, shown: string | undefined): string {
  if (shown === undefined) return String(ordinal);
  // Ordinals count what the driver shows, and it takes the entries in their order.
  return shown.split(',')[ordinal]?.trim() ?? String(ordinal);
}

/**
 * Options of a framework ask for a GPU; that no other is there to be used, only the driver can promise.
 * @param ordinal as this process's driver counts
 * @param shown CUDA_VISIBLE_DEVICES of this process
 */
export const gpuEnvironment = (
  ordinal: number,
  shown: string | undefined,
): Readonly<Record<'CUDA_VISIBLE_DEVICES' | 'NVIDIA_TF32_OVERRIDE', string>> => ({
  CUDA_VISIBLE_DEVICES: visibleGpu(ordinal, shown),
  // Frameworks let cuBLAS round float32 to 19 bits, each in its own way; with 0 NVIDIA's libraries do not, whoever asks.
  NVIDIA_TF32_OVERRIDE: '0',
});
