export const CUDA_FOLDER: string;
export const CUDA_MODULES: Readonly<Record<string, readonly string[]>>;
export function findNvcc(environment?: Readonly<Record<string, string | undefined>>): string | undefined;
export function nvccArguments(module: string, targets: readonly string[], output: string): string[];
export function cudaKernelsThere(): boolean;
export function buildCudaKernels(options?: {
  nvcc?: string | undefined;
  onModule?: (module: string, failure: string | null, seconds: number) => void;
}): { folder: string; built: string[]; failed: string[]; warned: string[] };
