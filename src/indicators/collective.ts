/** collective: how fast ranks exchange data, each with a clock of its own, by the slowest of them. */
import { asksForGpu, CPU, isGpu, ordinalOf } from '../devices/device.js';
import { UserError } from '../errors.js';
import { usableCpus } from '../machine/capacity.js';
import { parseCpuList } from '../machine/linux/cpu-list.js';
import type { MachineDescription } from '../machine/types.js';
import { chooseMpiHere, mpiPlaceHere } from '../mpi/here.js';
import { expandValues } from '../quantities/expand.js';
import { parseBytes, parseCount, QuantityError } from '../quantities/parse.js';
import { parseNames } from '../quantities/parse-list.js';
import { collectiveCurves, collectiveKpis } from '../record/collective-kpis.js';
import type { Bytes } from '../units.js';
import {
  ALGORITHMS,
  type Collective,
  countOf,
  ELEMENT_NAMES,
  fittingBytes,
  INPUTS,
  isReducing,
  isRooted,
  MOST_RANKS,
  NO_ROOT,
  OPERATIONS,
  operandBytes,
  PATTERNS,
  REDOPS,
  readCollective,
  SYNCS,
  TRANSPORTS,
  titleOf,
  WORKERS,
} from './collective-cases.js';
import { GPU_PROCESS } from './gpu.js';
import type { Flags, Indicator } from './indicator.js';

/** The sizes that are measured unless told otherwise: from one that only latency decides to one past the caches. */
const USUAL_BYTES = '8..64MiB*2';
/** How long a rank waits for another before it is called lost. */
const PATIENCE_SECONDS = 10;
/** Flags and boards of a rank, and its memory rounded up to huge pages. */
const BESIDE_OPERANDS: Bytes = 10 * 2 ** 20;
/** The ceiling's arrays, all ranks together, are no larger. */
const MOST_OF_CEILING: Bytes = 2 ** 30;

const one = <T extends string>(flags: Flags, name: string, known: readonly T[], usual: T): T => {
  if (flags[name] === undefined) return usual;
  const [first = usual, ...others] = parseNames(String(flags[name]), `--${name}`, known);
  if (others.length > 0)
    throw new UserError(`--${name} takes one of ${known.join(', ')}; sweep takes several`);
  return first;
};

/** A rank for each GPU, from the one that is named on. */
function gpuRanksOf(
  flags: Flags,
  { gpus }: MachineDescription,
): { readonly ranks: number; readonly pin: boolean } {
  const first = ordinalOf(String(flags.device));
  const here = (gpus?.devices ?? []).filter(({ ordinal }) => ordinal >= first).length;
  const ranks = flags.ranks === undefined ? here : parseCount(String(flags.ranks), '--ranks', MOST_RANKS);
  if (ranks > here)
    throw new UserError(
      `--ranks ${ranks} takes a GPU for each from ${flags.device} on, and there ${here === 1 ? 'is' : 'are'} ${here}`,
    );
  return { ranks, pin: flags.pin === true };
}

/** Which transport is meant. @throws UserError where the device is not one of its */
function transportOf(flags: Flags): Collective['transport'] {
  const gpu = isGpu(String(flags.device ?? CPU));
  const transport = one(flags, 'transport', TRANSPORTS, gpu ? 'nccl' : 'shm');
  if (gpu && transport !== 'nccl')
    throw new UserError(`--transport ${transport} is of ranks on the CPU: leave --device out`);
  if (!gpu && transport === 'nccl')
    throw new UserError(
      '--transport nccl is of ranks on GPUs: add --device cuda:all, or cuda:0 for the first',
    );
  return transport;
}

const askedRanks = (flags: Flags): number | null =>
  flags.ranks === undefined ? null : parseCount(String(flags.ranks), '--ranks', MOST_RANKS);

/** What a case of MPI has beside the others: whose ranks, and by whom they are started. */
function mpiOf(flags: Flags, machine: MachineDescription) {
  const here = mpiPlaceHere();
  // One process that a launcher has started may start others.
  const place = here?.size === 1 && flags.launcher !== undefined ? null : here;
  const asked = askedRanks(flags);
  if (place !== null && asked !== null && asked !== place.size)
    throw new UserError(
      `--ranks ${asked}, but ${place.launcher} has started ${place.size}: leave --ranks out`,
    );
  const text = (name: string): string | undefined =>
    flags[name] === undefined ? undefined : String(flags[name]);
  const chosen = chooseMpiHere({ library: text('mpi-library'), launcher: text('launcher') }, place);
  const { ranks, pin } =
    place === null
      ? ranksOf(flags, machine)
      : { ...ranksOf({ ...flags, ranks: place.localSize }, machine), ranks: place.size };
  return { ...chosen, ranks, pin, perHost: place?.localSize ?? ranks };
}

function ranksOf(
  flags: Flags,
  machine: MachineDescription,
): { readonly ranks: number; readonly pin: boolean } {
  const available = usableCpus(machine);
  const ranks = askedRanks(flags) ?? Math.max(2, available);
  const cpus = parseCpuList(machine.limits.allowedCpus)?.length ?? available;
  if (flags.pin === true && ranks > cpus)
    throw new UserError(
      `--pin needs a CPU for each of ${ranks} ranks, and ${cpus} may be used here: leave it out`,
    );
  return { ranks, pin: typeof flags.pin === 'boolean' ? flags.pin : ranks <= available };
}

const ranksBy = { shm: ranksOf, mpi: mpiOf, nccl: gpuRanksOf } as const;

/** `8`, `4KiB`, `8..64MiB*2`: a number alone is bytes. */
export function sizesOf(text: string): readonly Bytes[] {
  return expandValues(text, '--bytes').map((value) => {
    const bytes = parseBytes(value) ?? parseBytes(`${value}B`);
    if (bytes === null || bytes < 1)
      throw new QuantityError(`--bytes takes sizes such as 8, 4KiB or 8..64MiB*2; got "${value}"`);
    return bytes;
  });
}

function rootOf(flags: Flags, operation: Collective['operation']): number {
  if (!isRooted(operation)) {
    if (flags.root !== undefined) throw new UserError(`${operation} has no root: leave --root out`);
    return NO_ROOT;
  }
  const given = String(flags.root ?? 0);
  if (!/^\d+$/.test(given)) throw new UserError(`--root takes the number of a rank; got "${given}"`);
  return Number(given);
}

export const collective: Indicator = {
  name: 'collective',
  summary: 'Collectives: all-reduce, all-gather ... between ranks on this machine, verified, over sizes',
  positional: 'operation',
  options: {
    operation: {
      type: 'string',
      group: 'Case:',
      describe: OPERATIONS.join(', '),
    },
    ranks: {
      type: 'string',
      group: 'Case:',
      describe: 'Ranks that take part',
      defaultDescription: 'the CPUs that a launch may use, at least 2',
    },
    bytes: {
      type: 'string',
      group: 'Case:',
      describe: 'What a rank gives or gets, whichever is more: 4KiB,1MiB or 8..64MiB*2',
      defaultDescription: USUAL_BYTES,
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
        'shm: memory that ranks here share; mpi: an MPI library, also over hosts; nccl: GPUs of this machine',
      defaultDescription: 'shm; on GPUs nccl',
    },
    'mpi-library': {
      type: 'string',
      group: 'Case:',
      describe: 'Of --transport mpi: the file of the library (libmpi.so.40, libmpich.so.12)',
      defaultDescription: 'the one that belongs to the launcher',
    },
    launcher: {
      type: 'string',
      group: 'Case:',
      describe:
        'Of --transport mpi: what starts the ranks, anew for each launch (mpirun.mpich, "srun --mpi=pmi2"); not under mpirun',
      defaultDescription: 'mpirun',
    },
    algorithm: {
      type: 'string',
      group: 'Case:',
      describe: 'lines, direct, blocks, streaming, or auto: the fastest of them by trial in each launch',
      defaultDescription: 'auto',
    },
  },
  examples: [
    ['$0 collective all-reduce', 'over sizes, on all CPUs, about a minute'],
    ['$0 collective all-to-all --ranks 4 --bytes 1KiB..16MiB', 'of four ranks'],
    ['$0 collective all-reduce --bytes 1MiB --dtype bfloat16 --in-place --workers processes', 'one case'],
    ['$0 collective all-reduce --device cuda:all', 'between all GPUs of this machine, with NCCL'],
    ['$0 sweep collective all-reduce --ranks 1,2,4 --bytes 1MiB', 'how it scales'],
    ['$0 collective all-reduce --transport mpi --ranks 2', 'of the MPI that mpirun belongs to'],
    ['mpirun -np 8 $0 collective all-to-all --transport mpi', 'of a job on any hosts'],
  ],
  measuring: { inspections: 3, seconds: 0.1 },
  fromFlags(flags, machine) {
    if (flags.operation === undefined) throw new UserError(`say which collective: ${OPERATIONS.join(', ')}`);
    const operation = OPERATIONS.find((name) => name === flags.operation);
    if (operation === undefined)
      throw new UserError(
        `there is no collective ${String(flags.operation)}; there is ${OPERATIONS.join(', ')}`,
      );
    const dtypes = parseNames(String(flags.dtype ?? 'float32'), '--dtype', ELEMENT_NAMES);
    if (flags.redop !== undefined && !isReducing(operation))
      throw new UserError(`${operation} reduces nothing: leave --redop out`);
    if (flags.pattern !== undefined && operation !== 'send-recv')
      throw new UserError(`${operation} has no pattern: leave --pattern out`);
    if (flags.bytes !== undefined && operation === 'barrier')
      throw new UserError('a barrier moves no data: leave --bytes out');
    const sync = one(flags, 'sync', SYNCS, 'barrier');
    const transport = transportOf(flags);
    if (transport !== 'mpi' && (flags['mpi-library'] ?? flags.launcher) !== undefined)
      throw new UserError('--mpi-library and --launcher belong to --transport mpi');
    const inPlace = flags['in-place'] ?? flags.inPlace;
    const base = {
      operation,
      redop: isReducing(operation) ? one(flags, 'redop', REDOPS, 'sum') : 'none',
      root: rootOf(flags, operation),
      // MPI's broadcast has one buffer.
      inPlace: transport === 'mpi' && operation === 'broadcast' ? inPlace !== false : inPlace === true,
      pattern: operation === 'send-recv' ? one(flags, 'pattern', PATTERNS, 'ring') : 'none',
      ...ranksBy[transport](flags, machine),
      workers: one(flags, 'workers', WORKERS, transport === 'mpi' ? 'processes' : 'threads'),
      sync,
      inputs: one(flags, 'inputs', INPUTS, sync === 'none' ? 'clean' : 'fresh'),
      transport,
      algorithm: one(flags, 'algorithm', ALGORITHMS, 'auto'),
    } as const;
    const sizes = operation === 'barrier' ? [0] : sizesOf(String(flags.bytes ?? USUAL_BYTES));
    return dtypes.flatMap((dtype) => {
      const of = { operation, dtype, ranks: base.ranks };
      // The usual sizes begin with what makes one element, and need not suit every operation.
      const asked =
        flags.bytes === undefined ? sizes.filter((bytes) => bytes >= 8 * base.ranks || bytes === 0) : sizes;
      const fitting = [...new Set(asked.map((bytes) => fittingBytes(bytes, of)))];
      return fitting.map((bytes) => readCollective({ ...base, dtype, bytes }));
    });
  },
  check: (parameters) => void readCollective(parameters),
  work: (parameters) => ({ flop: 0, bytes: readCollective(parameters).bytes }),
  rateCounts: 'bytes',
  kernels: 'collective',
  memory(parameters) {
    const asked = readCollective(parameters);
    // Of MPI's ranks, those on this host.
    const operands = Math.ceil((operandBytes(asked) * (asked.perHost ?? asked.ranks)) / asked.ranks);
    return operands + Math.min(MOST_OF_CEILING, 2 * operands) + asked.ranks * BESIDE_OPERANDS;
  },
  // Each GPU holds what its rank gives and gets.
  gpuMemory: (parameters) => 2 * readCollective(parameters).bytes + GPU_PROCESS,
  usualStack: ({ transport, device }) =>
    transport === 'nccl' || (transport === undefined && asksForGpu(String(device ?? CPU))) ? 'nccl' : null,
  spansDevices: true,
  // Of other hosts nothing is known here.
  threads(parameters) {
    const { ranks, perHost } = readCollective(parameters);
    return perHost ?? ranks;
  },
  dtype: (parameters) => readCollective(parameters).dtype,
  title: (parameters) => titleOf(readCollective(parameters)),
  rateUnit: () => 'B/s',
  nativeWorkload(parameters, { cpus, gpu }, variant, seed) {
    const asked = readCollective(parameters);
    const { operation, dtype, redop, pattern, ranks, root, inPlace, sync, inputs } = asked;
    return {
      workload: 'collective',
      parameters: {
        transport: asked.transport,
        ordinal: gpu?.ordinal ?? 0,
        operation,
        dtype,
        redop: redop === 'none' ? 'sum' : redop,
        pattern: pattern === 'none' ? 'ring' : pattern,
        ranks,
        root: Math.max(0, root),
        count: countOf(asked),
        inPlace: Number(inPlace),
        sync,
        fresh: Number(inputs === 'fresh'),
        workers: asked.workers,
        algorithm: asked.algorithm === 'auto' ? '' : asked.algorithm,
        patienceSeconds: PATIENCE_SECONDS,
        cpus,
        isa: variant ?? '',
        seed,
      },
    };
  },
  kpis: collectiveKpis,
  curves: collectiveCurves,
};
