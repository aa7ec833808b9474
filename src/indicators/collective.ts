/** collective: how fast ranks exchange data, each with a clock of its own, by the slowest of them. */
import { asksForGpu, CPU, isGpu } from '../devices/device.js';
import { UserError } from '../errors.js';
import { thereIs } from '../nearest.js';
import { expandValues } from '../quantities/expand.js';
import { parseBytes, QuantityError } from '../quantities/parse.js';
import { parseNames } from '../quantities/parse-list.js';
import { collectiveCurves, collectiveKpis } from '../record/collective-kpis.js';
import type { Bytes } from '../units.js';
import {
  ALGORITHMS,
  type Collective,
  countOf,
  elementsNamed,
  fittingBytes,
  INPUTS,
  isAlwaysInPlace,
  isReducing,
  isRooted,
  leastBytes,
  movesNothing,
  NO_ROOT,
  OPERATIONS,
  operandBytes,
  PATTERNS,
  patienceOf,
  REDOPS,
  readCollective,
  SYNCS,
  TRANSPORTS,
  titleOf,
  WORKERS,
} from './collective-cases.js';
import { collectiveExamples, collectiveOptions, USUAL_BYTES } from './collective-options.js';
import { ranksBy } from './collective-ranks.js';
import { GPU_PROCESS } from './gpu.js';
import type { Flags, Indicator } from './indicator.js';

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

const USUAL_WORKERS = { shm: 'threads', mpi: 'processes', nccl: 'threads', gloo: 'processes' } as const;

/** Why they are told nowhere to meet. */
const RANKS_OF = {
  shm: 'ranks of --transport shm share the memory of this machine',
  mpi: 'ranks of --transport mpi find each other by their launcher',
  gloo: 'ranks of --transport gloo are processes of this machine',
} as const;

/** `8`, `4KiB`, `8..64MiB*2`: a number alone is bytes. @throws QuantityError for what is no size */
export function sizesOf(text: string): readonly Bytes[] {
  return expandValues(text, '--bytes').map((value) => {
    const bytes = parseBytes(value) ?? parseBytes(`${value}B`);
    if (bytes === null || bytes < 1)
      throw new QuantityError(`--bytes takes sizes such as 8, 4KiB or 8..64MiB*2; got "${value}"`);
    return bytes;
  });
}

/** Those of MPI are not counted on where no one knows their hosts before they have met: then 0. */
const ranksHere = ({ transport, rendezvous, perHost, ranks }: Collective): number =>
  perHost ?? (transport === 'mpi' || rendezvous !== undefined ? 0 : ranks);

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
  options: collectiveOptions,
  examples: collectiveExamples,
  measuring: { inspections: 3, seconds: 0.1 },
  fromFlags(flags, machine) {
    if (flags.operation === undefined) throw new UserError(`say which collective: ${OPERATIONS.join(', ')}`);
    const operation = OPERATIONS.find((name) => name === flags.operation);
    if (operation === undefined)
      throw new UserError(
        `there is no collective ${String(flags.operation)}; ${thereIs(String(flags.operation), OPERATIONS)}`,
      );
    const dtypes = elementsNamed(String(flags.dtype ?? 'float32'));
    if (flags.redop !== undefined && !isReducing(operation))
      throw new UserError(`${operation} reduces nothing: leave --redop out`);
    if (flags.pattern !== undefined && operation !== 'send-recv')
      throw new UserError(`${operation} has no pattern: leave --pattern out`);
    for (const name of operation === 'barrier' ? ['bytes', 'dtype'] : [])
      if (flags[name] !== undefined) throw new UserError(`a barrier moves no data: leave --${name} out`);
    const sync = one(flags, 'sync', SYNCS, 'barrier');
    const transport = transportOf(flags);
    if (transport !== 'mpi' && (flags['mpi-library'] ?? flags.launcher) !== undefined)
      throw new UserError('--mpi-library and --launcher belong to --transport mpi');
    if (transport !== 'nccl' && (flags.rendezvous ?? flags.rank) !== undefined)
      throw new UserError(
        `${RANKS_OF[transport]}: leave out --rendezvous and --rank, which belong to --transport nccl`,
      );
    if (flags.rendezvous === undefined && flags.rank !== undefined)
      throw new UserError('--rank is of ranks that meet somewhere: add --rendezvous');
    const inPlace = flags['in-place'] ?? flags.inPlace;
    const base = {
      operation,
      redop: isReducing(operation) ? one(flags, 'redop', REDOPS, 'sum') : 'none',
      root: rootOf(flags, operation),
      inPlace: isAlwaysInPlace({ transport, operation }) ? inPlace !== false : inPlace === true,
      pattern: operation === 'send-recv' ? one(flags, 'pattern', PATTERNS, 'ring') : 'none',
      ...ranksBy[transport](flags, machine),
      workers: one(
        flags,
        'workers',
        WORKERS,
        flags.rendezvous === undefined ? USUAL_WORKERS[transport] : 'processes',
      ),
      sync,
      inputs: one(flags, 'inputs', INPUTS, sync === 'none' ? 'clean' : 'fresh'),
      transport,
      algorithm: one(flags, 'algorithm', ALGORITHMS, 'auto'),
    } as const;
    const sizes = operation === 'barrier' ? [0] : sizesOf(String(flags.bytes ?? USUAL_BYTES));
    return dtypes.flatMap((dtype) => {
      const of = { operation, dtype, ranks: base.ranks };
      // The usual sizes begin with what holds one element, and need not hold one for each rank.
      const asked = flags.bytes === undefined ? sizes.filter((bytes) => bytes >= leastBytes(of)) : sizes;
      const fitting = [...new Set(asked.map((bytes) => fittingBytes(bytes, of)))];
      return fitting.map((bytes) => readCollective({ ...base, dtype, bytes }));
    });
  },
  check: (parameters) => void readCollective(parameters),
  work(parameters) {
    const asked = readCollective(parameters);
    return { flop: 0, bytes: movesNothing(asked) ? 0 : asked.bytes };
  },
  rateCounts: 'bytes',
  kernels: 'collective',
  memory(parameters) {
    const asked = readCollective(parameters);
    const here = ranksHere(asked);
    const operands = operandBytes(asked, here);
    // Where Gloo keeps what has come: no more than it got.
    const buffers = asked.transport === 'gloo' ? asked.ranks * asked.bytes : 0;
    return operands + buffers + Math.min(MOST_OF_CEILING, 2 * operands) + here * BESIDE_OPERANDS;
  },
  // Each GPU holds what its rank gives and gets.
  gpuMemory: (parameters) => 2 * readCollective(parameters).bytes + GPU_PROCESS,
  usualStack({ transport, device }) {
    if (transport === 'gloo') return 'gloo';
    return transport === 'nccl' || (transport === undefined && asksForGpu(String(device ?? CPU)))
      ? 'nccl'
      : null;
  },
  spansDevices: true,
  // Of other hosts nothing is known here.
  threads: (parameters) => Math.max(1, ranksHere(readCollective(parameters))),
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
        patienceSeconds: patienceOf(asked),
        cpus,
        isa: variant ?? '',
        seed,
      },
    };
  },
  kpis: collectiveKpis,
  curves: collectiveCurves,
};
