/** Which of the variables around a launch it may have read, as far as that follows from what it is. Pure. */
import { isGpu } from '../devices/device.js';
import type { BatchSpec } from '../record/schema.js';
import { isReadByMpi } from './environment.js';

type Variables = Readonly<Record<string, string>>;

/** That are what their name says, ours and those whose functions are called by it: of no GPU but the one they are on, and of no ranks. */
const KNOWN: readonly string[] = [
  ...['embedded', 'openblas', 'blis', 'mkl', 'onednn', 'libxsmm'],
  ...['cublas', 'cublaslt'],
];

/** What comes before a library is loaded may be anything, and call anything. */
const LOADED_BEFORE: readonly string[] = ['LD_PRELOAD', 'LD_AUDIT'];

/** Empty they are to the loader as if they were not there: ld.so(8). */
const OF_LOADER: readonly string[] = [...LOADED_BEFORE, 'LD_LIBRARY_PATH', 'LD_BIND_NOW'];

const OF_GPUS = /^(CUDA|CUBLAS|CUBLASLT)_|^(NVIDIA_TF32_OVERRIDE|PI_BENCH_CUDA_GROUPS)$/;
const OF_TRANSPORTS = /^(NCCL|GLOO)_/;

const isBetweenRanks = ({ transport }: BatchSpec['case']['parameters']): boolean =>
  transport !== undefined && transport !== 'shm';

type Launched = Pick<BatchSpec, 'case' | 'stack' | 'device'>;

const isEmptyOfLoader = (name: string, value: string): boolean => value === '' && OF_LOADER.includes(name);

/** Without those that the loader takes for not set. */
export const setVariables = (variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([name, value]) => !isEmptyOfLoader(name, value)));

/**
 * Whether a launch among these variables may have read the one of a name, also where it is not set. Where a stack may load what nobody
 * here knows (any library with CBLAS, a framework, what carries data between ranks), all of them. How much a library logs is left to it,
 * too: a log takes time, perhaps of what is measured.
 */
export function mayRead(
  { case: { parameters }, stack: { provider }, device }: Launched,
  variables: Variables,
): (name: string) => boolean {
  const known =
    KNOWN.includes(provider) &&
    !isBetweenRanks(parameters) &&
    LOADED_BEFORE.every((name) => (variables[name] ?? '') === '');
  return (name) =>
    !(known && (OF_TRANSPORTS.test(name) || isReadByMpi(name) || (OF_GPUS.test(name) && !isGpu(device))));
}

export function readVariables(launched: Launched, variables: Variables): Variables {
  const isRead = mayRead(launched, variables);
  return Object.fromEntries(Object.entries(setVariables(variables)).filter(([name]) => isRead(name)));
}
