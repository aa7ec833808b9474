/**
 * The environment of a launch that loads a library. OpenMP runtimes and libraries read theirs once, when they are loaded,
 * so it has to be there before the process starts. Pure.
 */
import type { Environment } from './stack.js';

const alternatives = (...names: readonly string[]): string => names.join('|');

/** What the names begin with that libraries read, up to an underscore. */
const PREFIXES = alternatives(
  ...[
    'OMP',
    'GOMP',
    'KMP',
    'OPENBLAS',
    'GOTO',
    'BLIS',
    'AOCL',
    'FLEXIBLAS',
    'MKL',
    'DNNL',
    'ONEDNN',
    'LIBXSMM',
  ],
  ...['ORT', 'GLOO', 'CUBLAS', 'CUBLASLT', 'TF_(NUM|ENABLE|DISABLE|FORCE|CPP|XLA|GPU)'],
  // Of the C library's allocator: which pages operands lie on.
  'MALLOC',
);
/** Of CUDA what changes how kernels are launched and made; where it is installed changes nothing. */
const OF_CUDA = alternatives(
  ...['VISIBLE_DEVICES', 'DEVICE_ORDER', 'DEVICE_MAX_CONNECTIONS', 'LAUNCH_BLOCKING', 'AUTO_BOOST'],
  ...[
    'MODULE_LOADING',
    'MODULE_DATA_LOADING',
    'FORCE_PTX_JIT',
    'DISABLE_PTX_JIT',
    'FORCE_JIT',
    'DISABLE_JIT',
  ],
  ...['SCALE_LAUNCH_QUEUES', 'GRAPHS_USE_NODE_PRIORITY', 'MANAGED_FORCE_DEVICE_ALLOC'],
  ...['DEVICE_DEFAULT_PERSISTING_L2_CACHE_PERCENTAGE_LIMIT', 'MPS_[A-Z0-9_]+'],
);
const NAMES = alternatives(
  ...[
    'FLEXIBLAS',
    'PI_BENCH_CUDA_GROUPS',
    'NODE_OPTIONS',
    'GLIBC_TUNABLES',
    'NVIDIA_TF32_OVERRIDE',
    `CUDA_(${OF_CUDA})`,
  ],
  // Which file a library is, and what stands between it and who calls it.
  ...['LD_LIBRARY_PATH', 'LD_PRELOAD', 'LD_AUDIT', 'LD_BIND_NOW'],
);
/** Variables that change what is measured: a record without them would not say what that was. */
const RELEVANT = new RegExp(`^(${PREFIXES})_|^NCCL_(?!COMM_ID$)|^(${NAMES})$`);
/** Of MPI and what it is built on; what launchers tell each rank of its job is not among them, for it differs each time. */
const RELEVANT_TO_MPI =
  /^(UCX|UCC|FI(?!_CXI_DEFAULT_VNI$)|HCOLL|MPICH|MPIR_CVAR|MV2_(?!COMM_WORLD)[A-Z0-9]+|I_MPI_(ADJUST|FABRICS|SHM|PIN|COLL|OFI)|OMPI_MCA_(btl|coll|mpi|mtl|op|opal|osc|pml|smsc))(_|$)/;

export const isReadByMpi = (name: string): boolean => RELEVANT_TO_MPI.test(name);

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

/**
 * Of workers, which speak to nobody: Node reads and checks these certificates whenever it starts, which may take longer than
 * the start itself.
 */
export const NO_CERTIFICATES: Environment = { NODE_EXTRA_CA_CERTS: null };

/** `from` with the variables of `changes` set or left out. */
export function changedEnvironment(from: NodeJS.ProcessEnv, changes: Environment): NodeJS.ProcessEnv {
  const kept = Object.entries(from).filter(([name]) => changes[name] === undefined);
  const set = Object.entries(changes).filter(([, value]) => value !== null);
  return Object.fromEntries([...kept, ...set]) as NodeJS.ProcessEnv;
}

/** Of an environment, what a library may have read, or the C library that all of them stand on. */
export function relevantEnvironment(environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment)
      .filter(
        (entry): entry is [string, string] =>
          (RELEVANT.test(entry[0]) || isReadByMpi(entry[0])) && entry[1] !== undefined,
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
