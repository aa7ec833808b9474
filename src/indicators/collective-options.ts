/** The flags of `collective`, as its help shows them. */
import { ELEMENT_NAMES, MOST_RANKS, OPERATIONS, REDOPS } from './collective-cases.js';
import type { Indicator } from './indicator.js';

/**
 * The sizes that are measured unless told otherwise: from one that only latency decides to one past the caches. Where there is a
 * block for each rank, those that hold an element for each.
 */
export const USUAL_BYTES = '8..64MiB*2';

export const collectiveOptions: Indicator['options'] = {
  operation: {
    type: 'string',
    group: 'Case:',
    describe: OPERATIONS.join(', '),
  },
  ranks: {
    type: 'string',
    group: 'Case:',
    describe: 'Ranks that take part',
    defaultDescription: `the CPUs that a launch may use, at least 2, at most ${MOST_RANKS}`,
  },
  bytes: {
    type: 'string',
    group: 'Case:',
    describe: 'What a rank gives or gets, whichever is more: 4KiB,1MiB or 8..64MiB*2',
    defaultDescription: `${USUAL_BYTES}; where ranks have blocks, from an element for each on`,
  },
  dtype: {
    type: 'string',
    group: 'Case:',
    describe: `${ELEMENT_NAMES.join(', ')}, or several with commas`,
    defaultDescription: 'float32',
  },
  redop: {
    type: 'string',
    group: 'Case:',
    describe: `${REDOPS.join(', ')}, where it reduces`,
    defaultDescription: 'sum',
  },
  'in-place': { type: 'boolean', group: 'Case:', describe: 'Output where the input lies' },
  root: {
    type: 'string',
    group: 'Case:',
    describe: 'Of broadcast, reduce, gather, scatter',
    defaultDescription: '0',
  },
  pattern: {
    type: 'string',
    group: 'Case:',
    describe: 'Of send-recv: ring (to the next rank) or pairs (ranks 2i and 2i+1 exchange)',
    defaultDescription: 'ring',
  },
  workers: {
    type: 'string',
    group: 'Case:',
    describe: 'Ranks as threads of one process, or as processes that share memory',
    defaultDescription: 'threads',
  },
  pin: {
    type: 'boolean',
    group: 'Case:',
    describe: 'Bind each rank to a CPU of its own',
    defaultDescription: 'true where there is a CPU for each rank',
  },
  sync: {
    type: 'string',
    group: 'Case:',
    describe: 'Ranks begin: after a barrier, at one moment (window), or run calls into each other (none)',
    defaultDescription: 'barrier',
  },
  inputs: {
    type: 'string',
    group: 'Case:',
    describe: 'fresh: rewritten before each call; clean: never, so that they stay in everybody’s caches',
    defaultDescription: 'fresh; with --sync none clean',
  },
  transport: {
    type: 'string',
    group: 'Case:',
    describe:
      'shm: memory that ranks here share; mpi: an MPI library, also over hosts; nccl: GPUs of this machine; gloo: Gloo over TCP, here',
    defaultDescription: 'shm; on GPUs nccl',
  },
  'mpi-library': {
    type: 'string',
    group: 'Case:',
    describe: 'Of --transport mpi: the library, by its name (libmpi.so.40, libmpich.so.12) or its file',
    defaultDescription: 'the one that belongs to the launcher',
  },
  launcher: {
    type: 'string',
    group: 'Case:',
    describe:
      'Of --transport mpi: what starts the ranks, anew for each launch (mpirun.mpich, "srun --mpi=pmi2"); not under mpirun',
    defaultDescription: 'mpirun',
  },
  rendezvous: {
    type: 'string',
    group: 'Case:',
    describe:
      'Of --transport nccl: each rank is a process, started as this one; where they meet: tcp:HOST:PORT of rank 0, or file:PATH that all see',
  },
  rank: {
    type: 'string',
    group: 'Case:',
    describe: 'With --rendezvous: which of --ranks this process is',
    defaultDescription: 'as mpirun or srun says',
  },
  algorithm: {
    type: 'string',
    group: 'Case:',
    describe:
      'shm: lines, direct, blocks, streaming, or auto: the fastest of them by trial in each launch; gloo: ring, bcube, halving-doubling',
    defaultDescription: 'auto',
  },
};

export const collectiveExamples: Indicator['examples'] = [
  ['$0 collective all-reduce', 'over sizes, on all CPUs, about a minute'],
  ['$0 collective all-to-all --ranks 4 --bytes 1KiB..16MiB', 'of four ranks'],
  ['$0 collective all-reduce --bytes 1MiB --dtype bfloat16 --in-place --workers processes', 'one case'],
  ['$0 collective all-reduce --device cuda:all', 'between all GPUs of this machine, with NCCL'],
  ['$0 sweep collective all-reduce --ranks 1,2,4 --bytes 1MiB', 'how it scales'],
  ['$0 collective all-reduce --transport mpi --ranks 2', 'of the MPI that mpirun belongs to'],
  ['$0 collective all-reduce --transport gloo', 'of Gloo, where it is installed'],
  ['mpirun -np 8 $0 collective all-to-all --transport mpi', 'of a job on any hosts'],
];
