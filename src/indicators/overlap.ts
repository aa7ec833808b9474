/**
 * overlap: a matrix product and a collective on every rank, alone and at once. On CPUs each rank has a thread that communicates
 * and others that compute; with a CPU for each of them the communication may hide behind the products, and without it takes
 * turns with them, which is measured and said.
 */
import { z } from 'zod';
import { asksForGpu, CPU } from '../devices/device.js';
import { UserError } from '../errors.js';
import { usableCpus } from '../machine/capacity.js';
import { parseCpuList } from '../machine/linux/cpu-list.js';
import type { MachineDescription } from '../machine/types.js';
import { briefBytes, plural } from '../quantities/format.js';
import { parseCount } from '../quantities/parse.js';
import { overlapCurves, overlapKpis } from '../record/overlap-kpis.js';
import { collective, sizesOf } from './collective.js';
import { fittingBytes, MOST_RANKS } from './collective-cases.js';
import { DATA_TYPES, dataTypeNamed, rateUnitOf } from './data-types.js';
import type { Flags, Indicator, Parameters } from './indicator.js';
import { matmul } from './matmul.js';
import { overlapOnGpus } from './overlap-gpu.js';
import { exchangeBy, OVERLAPPING, overlappingNamed } from './overlap-operations.js';
import { MOST_THREADS } from './threads.js';
import { withGpu } from './with-gpu.js';

const USUAL_SIZE = 512;
const USUAL_BYTES = '4MiB';
const USUAL_RANKS = 2;

const schema = z.strictObject({
  operation: z.enum(OVERLAPPING),
  bytes: z.int().min(1),
  size: z.int().min(1),
  dtype: z.enum(DATA_TYPES),
  ranks: z.int().min(2).max(MOST_RANKS),
  /** Of each rank, beside the one that communicates. */
  threads: z.int().min(1).max(MOST_THREADS),
  pin: z.boolean(),
});
type Overlap = z.infer<typeof schema>;

/** @throws UserError */
function read(parameters: Parameters): Overlap {
  const parsed = schema.safeParse(parameters);
  if (!parsed.success) throw new UserError(`overlap: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
  collective.check(exchangeOf(parsed.data));
  return parsed.data;
}

const threadsOfAll = ({ ranks, threads }: Pick<Overlap, 'ranks' | 'threads'>): number =>
  ranks * (threads + 1);

/** The case of its collective. */
const exchangeOf = (asked: Overlap): Parameters => exchangeBy('shm', asked, asked.pin);

/** The case of one rank's product. */
const productOf = ({ size, dtype, threads, pin }: Overlap): Parameters => ({
  m: size,
  n: size,
  k: size,
  dtype,
  threads,
  pin,
  cache: 'hot',
});

/** Of a rank's CPUs the last is that of the thread which communicates. */
export function shareCpus(
  cpus: readonly number[],
  threads: number,
): { readonly computing: readonly number[]; readonly communicating: readonly number[] } {
  const communicates = (at: number): boolean => at % (threads + 1) === threads;
  return {
    computing: cpus.filter((_, at) => !communicates(at)),
    communicating: cpus.filter((_, at) => communicates(at)),
  };
}

function participants(flags: Flags, machine: MachineDescription): Pick<Overlap, 'ranks' | 'threads' | 'pin'> {
  const available = usableCpus(machine);
  const ranks =
    flags.ranks === undefined ? USUAL_RANKS : parseCount(String(flags.ranks), '--ranks', MOST_RANKS);
  if (ranks < 2) throw new UserError('one rank has nobody to exchange data with: use --ranks 2 or more');
  const threads =
    flags.threads === undefined
      ? Math.max(1, Math.floor(available / ranks) - 1)
      : parseCount(String(flags.threads), '--threads', MOST_THREADS);
  const all = threadsOfAll({ ranks, threads });
  const cpus = parseCpuList(machine.limits.allowedCpus)?.length ?? available;
  if (flags.pin === true && all > cpus)
    throw new UserError(
      `--pin needs a CPU for each of ${all} threads (${ranks} ranks of ${threads} + 1), and ${cpus} may be used here: leave it out`,
    );
  return { ranks, threads, pin: typeof flags.pin === 'boolean' ? flags.pin : all <= available };
}

const overlapOnCpus: Indicator = {
  name: 'overlap',
  summary: 'How much of a collective hides behind matrix products on the same ranks, verified',
  options: {
    size: {
      type: 'string',
      group: 'Case:',
      describe: 'Rows and columns of the square matrices of each rank',
      defaultDescription: `${USUAL_SIZE}; on GPUs 4096`,
    },
    bytes: {
      type: 'string',
      group: 'Case:',
      describe: 'Of the collective: 4MiB, 1MiB,16MiB or 64KiB..16MiB*4',
      defaultDescription: `${USUAL_BYTES}; on GPUs 64MiB`,
    },
    operation: {
      type: 'string',
      group: 'Case:',
      choices: OVERLAPPING,
      describe: 'The collective',
      default: 'all-reduce',
    },
    dtype: {
      type: 'string',
      group: 'Case:',
      describe: `Of both: ${DATA_TYPES.join(', ')}; on GPUs also float16, float8_e4m3`,
      default: 'float32',
    },
    ranks: {
      type: 'string',
      group: 'Case:',
      describe: 'Ranks that compute and exchange data',
      defaultDescription: `${USUAL_RANKS}; all GPUs`,
    },
    threads: {
      type: 'string',
      group: 'Case:',
      describe: 'Threads of each rank that compute; one more communicates',
      defaultDescription: 'CPUs / ranks - 1, at least 1',
    },
    pin: {
      type: 'boolean',
      group: 'Case:',
      describe: 'Bind each thread to a CPU of its own',
      defaultDescription: 'true where there is a CPU for each thread',
    },
  },
  examples: [
    ['$0 overlap', 'a 512 x 512 product on each of two ranks beside an all-reduce of 4 MiB'],
    ['$0 overlap --ranks 4 --threads 7 --size 2048 --bytes 64MiB', 'four ranks of eight CPUs each'],
    ["$0 overlap --bytes '64KiB..64MiB*4'", 'over sizes'],
    ['$0 overlap --device cuda:all --dtype bfloat16', 'between all GPUs of this machine, with NCCL'],
  ],
  measuring: { inspections: 6, seconds: 0.5 },
  fromFlags(flags, machine) {
    const dtype = z.enum(DATA_TYPES).parse(dataTypeNamed(String(flags.dtype ?? 'float32')));
    const operation = overlappingNamed(flags);
    const base = {
      operation,
      size: parseCount(String(flags.size ?? USUAL_SIZE), '--size'),
      dtype,
      ...participants(flags, machine),
    };
    const fitting = sizesOf(String(flags.bytes ?? USUAL_BYTES)).map((bytes) =>
      fittingBytes(bytes, { operation, dtype, ranks: base.ranks }),
    );
    return [...new Set(fitting)].map((bytes) => read({ ...base, bytes }));
  },
  check: (parameters) => void read(parameters),
  work(parameters) {
    const asked = read(parameters);
    return { flop: asked.ranks * matmul.work(productOf(asked)).flop, bytes: asked.bytes };
  },
  rateCounts: 'flop',
  kernels: 'arithmetic',
  memory(parameters) {
    const asked = read(parameters);
    return asked.ranks * matmul.memory(productOf(asked)) + collective.memory(exchangeOf(asked));
  },
  threads: (parameters) => threadsOfAll(read(parameters)),
  dtype: (parameters) => read(parameters).dtype,
  title(parameters) {
    const { operation, bytes, size, dtype, ranks, threads, pin } = read(parameters);
    const how = [`${plural(ranks, 'rank')} of ${threads} + 1 threads`, ...(pin ? ['pinned'] : [])];
    return `overlap matmul ${size} x ${size} x ${size} and ${operation} ${briefBytes(bytes)} ${dtype}, ${how.join(', ')}`;
  },
  rateUnit: (parameters) => rateUnitOf(read(parameters).dtype),
  nativeWorkload(parameters, { cpus, gpu }, variant, seed) {
    const asked = read(parameters);
    const { computing, communicating } = shareCpus(cpus, asked.threads);
    const exchange = collective.nativeWorkload(exchangeOf(asked), { cpus: communicating, gpu }, null, seed);
    const { size, threads, ranks } = asked;
    return {
      workload: 'overlap',
      parameters: {
        ...exchange.parameters,
        m: size,
        n: size,
        k: size,
        threads,
        computeCpus: computing,
        computeIsa: variant ?? '',
        beside: ranks * threads,
      },
    };
  },
  kpis: overlapKpis,
  curves: overlapCurves,
};

export const overlap: Indicator = {
  ...withGpu(overlapOnCpus, overlapOnGpus),
  usualStack: ({ device }) => (asksForGpu(String(device ?? CPU)) ? 'nccl' : null),
  spansDevices: true,
};
