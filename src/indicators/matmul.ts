/** matmul: C = A B with dense row-major operands. The work of one repetition is 2 m n k operations. */
import { z } from 'zod';
import { UserError } from '../errors.js';
import { usableCpus } from '../machine/capacity.js';
import { parseCpuList } from '../machine/linux/cpu-list.js';
import { formatBytes, plural } from '../quantities/format.js';
import { parseBytes, parseCount } from '../quantities/parse.js';
import { rateKpis } from '../record/rate-kpis.js';
import type { Bytes } from '../units.js';
import type { Flags, Indicator, Parameters } from './indicator.js';

/** Bytes of an operand's and of the result's element. */
const ELEMENT = {
  float32: { operand: 4, result: 4 },
  float64: { operand: 8, result: 8 },
  bfloat16: { operand: 2, result: 4 },
  int8: { operand: 1, result: 4 },
} as const;

const DATA_TYPES = Object.keys(ELEMENT) as (keyof typeof ELEMENT)[];

/** Sums of products of -127..127 stay within int32 up to this k. */
const MOST_INT8_K = 133_152;
const MOST_THREADS = 4096;

const schema = z.strictObject({
  m: z.int().min(1),
  n: z.int().min(1),
  k: z.int().min(1),
  dtype: z.enum(DATA_TYPES as [keyof typeof ELEMENT, ...(keyof typeof ELEMENT)[]]),
  threads: z.int().min(1).max(MOST_THREADS),
  pin: z.boolean(),
  cache: z.enum(['hot', 'cold']),
});
type Matmul = z.infer<typeof schema>;

/** @throws UserError */
function read(parameters: Parameters): Matmul {
  const parsed = schema.safeParse(parameters);
  if (!parsed.success) throw new UserError(`matmul: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
  const { k, dtype } = parsed.data;
  if (dtype === 'int8' && k > MOST_INT8_K) {
    throw new UserError(`int8 with k = ${k} can overflow its int32 sums; k may be at most ${MOST_INT8_K}`);
  }
  return parsed.data;
}

/** The largest square whose three matrices fit into so many bytes. */
function sizeFitting(bytes: Bytes, dtype: keyof typeof ELEMENT): number {
  const { operand, result } = ELEMENT[dtype];
  const n = Math.floor(Math.sqrt(bytes / (2 * operand + result)));
  if (n < 1) throw new UserError(`--size ${formatBytes(bytes)} holds not even a 1 x 1 product of ${dtype}`);
  return n;
}

function dataType(text: string): keyof typeof ELEMENT {
  const found = DATA_TYPES.find((name) => name === text);
  if (found === undefined)
    throw new UserError(`--dtype ${text} is unknown; there is ${DATA_TYPES.join(', ')}`);
  return found;
}

function shape(flags: Flags, dtype: keyof typeof ELEMENT): Pick<Matmul, 'm' | 'n' | 'k'> {
  const given = (['m', 'n', 'k'] as const).filter((name) => flags[name] !== undefined);
  if (given.length > 0 && flags.size !== undefined) {
    throw new UserError('--size makes a square; give either --size or --m, --n and --k');
  }
  if (given.length > 0) {
    if (given.length < 3) throw new UserError('--m, --n and --k belong together: give all three, or --size');
    const [m, n, k] = (['m', 'n', 'k'] as const).map((name) => parseCount(String(flags[name]), `--${name}`));
    return { m: m ?? 0, n: n ?? 0, k: k ?? 0 };
  }
  const text = String(flags.size ?? 512);
  const bytes = parseBytes(text);
  const size = bytes === null ? parseCount(text, '--size') : sizeFitting(bytes, dtype);
  return { m: size, n: size, k: size };
}

export const matmul: Indicator = {
  name: 'matmul',
  summary: 'Matrix multiplication: rate, elapsed, spread, verified',
  options: {
    size: {
      type: 'string',
      group: 'Case:',
      describe:
        'Rows and columns of square matrices; with a unit (64MiB) as large as fits into that much memory',
      defaultDescription: '512',
    },
    m: { type: 'string', group: 'Case:', describe: 'Rows of A and C' },
    n: { type: 'string', group: 'Case:', describe: 'Columns of B and C' },
    k: { type: 'string', group: 'Case:', describe: 'Columns of A, rows of B' },
    dtype: {
      type: 'string',
      group: 'Case:',
      describe: `${DATA_TYPES.join(', ')}; bfloat16 accumulates in float32, int8 in int32`,
      default: 'float32',
    },
    threads: {
      type: 'string',
      group: 'Case:',
      describe: 'Threads of the multiplication',
      defaultDescription: 'the CPUs that a launch may use',
    },
    pin: {
      type: 'boolean',
      group: 'Case:',
      describe: 'Bind each thread to a CPU of its own',
      defaultDescription: 'true where there is a CPU for each thread',
    },
    cache: {
      type: 'string',
      choices: ['hot', 'cold'],
      group: 'Case:',
      describe: 'cold: bring the operands out of the caches before each repetition',
      default: 'hot',
    },
  },
  examples: [
    ['$0 matmul', '512 x 512 float32 on all CPUs, six launches, about ten seconds'],
    ['$0 matmul --size 512 --reps 2000', 'exactly 2,000 repetitions in each launch'],
    [
      '$0 matmul --m 64 --n 4096 --k 1024 --dtype bfloat16 --threads 1',
      'a rectangular product on one thread',
    ],
    ['$0 matmul --stack embedded:avx2 --json > record.json', 'a chosen kernel, the record on stdout'],
  ],
  measuring: { inspections: 6, seconds: 1 },
  fromFlags(flags, machine) {
    const dtype = dataType(String(flags.dtype ?? 'float32'));
    const available = usableCpus(machine);
    const threads =
      flags.threads === undefined ? available : parseCount(String(flags.threads), '--threads', MOST_THREADS);
    const cpus = parseCpuList(machine.limits.allowedCpus)?.length ?? available;
    if (flags.pin === true && threads > cpus) {
      throw new UserError(
        `--pin needs a CPU for each of ${threads} threads, and ${cpus} may be used here: leave it out`,
      );
    }
    const pin = typeof flags.pin === 'boolean' ? flags.pin : threads <= available;
    const parameters = { ...shape(flags, dtype), dtype, threads, pin, cache: String(flags.cache ?? 'hot') };
    return [read(parameters)];
  },
  check: (parameters) => void read(parameters),
  work(parameters) {
    const { m, n, k, dtype } = read(parameters);
    const { operand, result } = ELEMENT[dtype];
    return { flop: 2 * m * n * k, bytes: (m * k + k * n) * operand + m * n * result };
  },
  rateCounts: 'flop',
  memory(parameters) {
    const { m, n, k, dtype, threads } = read(parameters);
    const { operand, result } = ELEMENT[dtype];
    // Packed panels are bounded by the block sizes; the result's check keeps some vectors.
    const packing = 32 * 2 ** 20 + threads * 4 * 2 ** 20;
    return (m * k + k * n) * operand + m * n * result + packing + 16 * (m + n + k);
  },
  threads: (parameters) => read(parameters).threads,
  dtype: (parameters) => read(parameters).dtype,
  title(parameters) {
    const { m, n, k, dtype, threads, pin, cache } = read(parameters);
    const how = [
      plural(threads, 'thread'),
      ...(pin ? ['pinned'] : []),
      ...(cache === 'cold' ? ['cold cache'] : []),
    ];
    return `matmul ${m} x ${n} x ${k} ${dtype}, ${how.join(', ')}`;
  },
  rateUnit: (parameters) => (read(parameters).dtype === 'int8' ? 'OP/s' : 'FLOP/s'),
  nativeWorkload(parameters, { cpus }, variant, seed) {
    const { m, n, k, dtype, threads } = read(parameters);
    return { workload: 'matmul', parameters: { m, n, k, dtype, threads, cpus, isa: variant ?? '', seed } };
  },
  kpis: rateKpis('matmul', 'matrix multiplication', 'flops'),
  curves: [],
};
