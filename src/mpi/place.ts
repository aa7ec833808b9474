/**
 * Which rank of an MPI job this process is, as its launcher says in the environment before MPI is there: only then can
 * rank 0 alone speak, and can a library be caught that does not belong to its launcher. Pure.
 */

const LAUNCHERS = ['openmpi', 'mvapich', 'hydra', 'flux', 'slurm', 'pmix', 'rank'] as const;
/** Who started the processes; `hydra` is MPICH's and Intel MPI's, `rank` whoever gave each its number by --rank. */
export type LauncherKind = (typeof LAUNCHERS)[number];

export interface MpiPlace {
  readonly launcher: LauncherKind;
  readonly rank: number;
  readonly size: number;
  /** Among the ranks on this host; null: its launcher does not say. */
  readonly localRank: number | null;
  readonly localSize: number | null;
}

interface Names {
  readonly launcher: LauncherKind;
  readonly rank: string;
  readonly size: string;
  readonly localRank?: string;
  readonly localSize?: string;
  /** How many hosts they are on. */
  readonly hosts?: string;
  /** Variables that must be there too. */
  readonly also?: readonly string[];
}

/** In which --rank and --ranks reach the processes below this one. */
export const RANK = 'PIBENCH_RANK';
export const RANKS = 'PIBENCH_RANKS';

/** Those that name their own launcher come first: Slurm's variables are also there for a launcher that runs under it. */
const NAMES: readonly Names[] = [
  { launcher: 'rank', rank: RANK, size: RANKS },
  {
    launcher: 'openmpi',
    rank: 'OMPI_COMM_WORLD_RANK',
    size: 'OMPI_COMM_WORLD_SIZE',
    localRank: 'OMPI_COMM_WORLD_LOCAL_RANK',
    localSize: 'OMPI_COMM_WORLD_LOCAL_SIZE',
  },
  {
    launcher: 'mvapich',
    rank: 'MV2_COMM_WORLD_RANK',
    size: 'MV2_COMM_WORLD_SIZE',
    localRank: 'MV2_COMM_WORLD_LOCAL_RANK',
    localSize: 'MV2_COMM_WORLD_LOCAL_SIZE',
  },
  {
    launcher: 'hydra',
    rank: 'PMI_RANK',
    size: 'PMI_SIZE',
    localRank: 'MPI_LOCALRANKID',
    localSize: 'MPI_LOCALNRANKS',
    also: ['MPI_LOCALRANKID'],
  },
  {
    launcher: 'flux',
    rank: 'FLUX_TASK_RANK',
    size: 'FLUX_JOB_SIZE',
    localRank: 'FLUX_TASK_LOCAL_ID',
    hosts: 'FLUX_JOB_NNODES',
  },
  {
    // A batch script has a rank, too, but is no step.
    launcher: 'slurm',
    rank: 'SLURM_PROCID',
    size: 'SLURM_STEP_NUM_TASKS',
    localRank: 'SLURM_LOCALID',
    also: ['SLURM_STEP_ID'],
  },
  { launcher: 'hydra', rank: 'PMI_RANK', size: 'PMI_SIZE' },
];

/** Of a scheduler's step, which need not have been begun for ranks: one of a single task is a shell, too, into which somebody types. */
export const isOfScheduler = ({ launcher }: Pick<MpiPlace, 'launcher'>): boolean =>
  launcher === 'slurm' || launcher === 'flux';

const numberOf = (environment: NodeJS.ProcessEnv, name: string | undefined): number | null => {
  const text = name === undefined ? undefined : environment[name];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
};

/** Of `4(x2),3`, what Slurm says of a step's hosts, the tasks of this one, whose place among them it says, too. */
function tasksOfHost(environment: NodeJS.ProcessEnv): number | null {
  const host = numberOf(environment, 'SLURM_NODEID') ?? 0;
  let hosts = 0;
  for (const part of (environment.SLURM_STEP_TASKS_PER_NODE ?? '').split(',')) {
    const [, tasks, times = '1'] = /^(\d+)(?:\(x(\d+)\))?$/.exec(part) ?? [];
    if (tasks === undefined) return null;
    hosts += Number(times);
    if (host < hosts) return Number(tasks);
  }
  return null;
}

/** null: this process is none. */
export function mpiPlace(environment: NodeJS.ProcessEnv): MpiPlace | null {
  for (const { launcher, also = [], ...names } of NAMES) {
    const [rank, size] = [numberOf(environment, names.rank), numberOf(environment, names.size)];
    if (rank === null || size === null || size < 1 || rank >= size) continue;
    if (also.some((name) => environment[name] === undefined)) continue;
    const hosts = numberOf(environment, names.hosts);
    // On one host there are all of them.
    const onOneHost = size === 1 || hosts === 1;
    return {
      launcher,
      rank,
      size,
      localRank: numberOf(environment, names.localRank) ?? (onOneHost ? rank : null),
      localSize:
        numberOf(environment, names.localSize) ??
        (onOneHost ? size : launcher === 'slurm' ? tasksOfHost(environment) : null),
    };
  }
  return null;
}
