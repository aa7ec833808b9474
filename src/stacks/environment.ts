/**
 * The environment of a launch that loads a library. OpenMP runtimes and libraries read theirs once, when they are loaded,
 * so it has to be there before the process starts. Pure.
 */
import type { Environment } from './stack.js';

/** Variables that change what a library does: a record without them would not say what was measured. */
const RELEVANT =
  /^(OMP|GOMP|KMP|OPENBLAS|GOTO|BLIS|FLEXIBLAS|MKL|DNNL|ONEDNN|LIBXSMM|ORT|GLOO|CUBLAS|CUBLASLT|TF_(NUM|ENABLE|DISABLE|FORCE|CPP|XLA|GPU))_|^NCCL_(?!COMM_ID$)|^(FLEXIBLAS|NODE_OPTIONS|LD_PRELOAD|GLIBC_TUNABLES|CUDA_VISIBLE_DEVICES|CUDA_DEVICE_MAX_CONNECTIONS|NVIDIA_TF32_OVERRIDE)$/;
/** Of MPI and what it is built on; what launchers tell each rank of its job is not among them, for it differs each time. */
const RELEVANT_TO_MPI =
  /^(UCX|UCC|FI|HCOLL|MPICH|MPIR_CVAR|MV2_(?!COMM_WORLD)[A-Z0-9]+|I_MPI_(ADJUST|FABRICS|SHM|PIN|COLL|OFI)|OMPI_MCA_(btl|coll|mpi|mtl|op|opal|osc|pml|smsc))(_|$)/;

/**
 * What every library gets. Binding by OpenMP would bind the process's first thread as soon as the library is loaded, and
 * every thread that is made afterwards with it, to one CPU: pi-bench binds threads itself.
 */
export const threadEnvironment = (threads: number): Environment => ({
  OMP_NUM_THREADS: String(threads),
  OMP_DYNAMIC: 'FALSE',
  OMP_THREAD_LIMIT: null,
  OMP_PROC_BIND: null,
  OMP_PLACES: null,
  GOMP_CPU_AFFINITY: null,
  KMP_AFFINITY: null,
});

/** `from` with the variables of `changes` set or left out. */
export function changedEnvironment(from: NodeJS.ProcessEnv, changes: Environment): NodeJS.ProcessEnv {
  const kept = Object.entries(from).filter(([name]) => changes[name] === undefined);
  const set = Object.entries(changes).filter(([, value]) => value !== null);
  return Object.fromEntries([...kept, ...set]) as NodeJS.ProcessEnv;
}

/** Of an environment, what a library may have read. */
export function relevantEnvironment(environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment)
      .filter(
        (entry): entry is [string, string] =>
          (RELEVANT.test(entry[0]) || RELEVANT_TO_MPI.test(entry[0])) && entry[1] !== undefined,
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
