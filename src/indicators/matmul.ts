/** matmul: C = A B with dense row-major operands. The work of one repetition is 2 m n k operations. */
import { z } from 'zod';
import { asksForGpu } from '../devices/device.js';
import { UserError } from '../errors.js';
import { formatBytes, plural } from '../quantities/format.js';
import { parseBytes, parseCount } from '../quantities/parse.js';
import type { KpiDeclaration } from '../record/kpi.js';
import { ciOf, rateCurve, rateKpis } from '../record/rate-kpis.js';
import { flop2mnkLessMn, rate2mnkLessMn } from '../record/work.js';
import type { Bytes } from '../units.js';
import {
  ALL_DATA_TYPES,
  DATA_TYPES,
  type DataType,
  dataTypeNamed,
  ELEMENT,
  ONLY_ON_GPUS,
  rateUnitOf,
} from './data-types.js';
import { GPU_PROCESS, gpuPlace } from './gpu.js';
import type { Flags, Indicator, Parameters } from './indicator.js';
import { MOST_THREADS, refuseCpuFlags, threadOptions, threadsOf } from './threads.js';

/** Sums of products of -127..127 stay within int32 up to this k. */
const MOST_INT8_K = 133_144;
const MOST_BATCH = 2 ** 20;
/** What one launch reads, at most, to learn the memory's rate. */
const MOST_READ: Bytes = 2 ** 31;
const TRANSPOSES = ['NN', 'NT', 'TN', 'TT'] as const;

const schema = z.strictObject({
  m: z.int().min(1),
  n: z.int().min(1),
  k: z.int().min(1),
  // Absent in campaigns from before they existed.
  transpose: z.enum(TRANSPOSES).default('NN'),
  batch: z.int().min(1).max(MOST_BATCH).default(1),
  prepack: z.boolean().default(false),
  dtype: z.enum(ALL_DATA_TYPES),
  // A case without threads is one of a GPU.
  threads: z.int().min(1).max(MOST_THREADS).optional(),
  pin: z.boolean().optional(),
  cache: z.enum(['hot', 'cold']),
});
type Matmul = z.infer<typeof schema>;

/** @throws UserError */
function read(parameters: Parameters): Matmul {
  const parsed = schema.safeParse(parameters);
  if (!parsed.success) throw new UserError(`matmul: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
  const { k, dtype, prepack, cache, threads, transpose } = parsed.data;
  if (threads === undefined && (prepack || transpose !== 'NN'))
    throw new UserError('matmul on a GPU has neither --prepack nor --transpose: its kernels say how B lies');
  if (threads !== undefined) dataTypeNamed(dtype);
  if (dtype === 'int8' && k > MOST_INT8_K) {
    throw new UserError(`int8 with k = ${k} can overflow its int32 sums; k may be at most ${MOST_INT8_K}`);
  }
  if (prepack && cache === 'cold') {
    throw new UserError(
      'a prepacked B lies with the kernel, where --cache cold cannot evict it: leave one of the two out',
    );
  }
  return parsed.data;
}

/** The largest square of which a batch, three matrices each, fits into so many bytes. */
function sizeFitting(bytes: Bytes, dtype: DataType, batch: number): number {
  const { operand, result } = ELEMENT[dtype];
  const n = Math.floor(Math.sqrt(bytes / batch / (2 * operand + result)));
  if (n < 1) {
    const products = batch === 1 ? 'a 1 x 1 product' : `a batch of ${batch} 1 x 1 products`;
    throw new UserError(`--size ${formatBytes(bytes)} holds not even ${products} of ${dtype}`);
  }
  return n;
}

function shape(flags: Flags, dtype: DataType, batch: number): Pick<Matmul, 'm' | 'n' | 'k'> {
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
  const size =
    bytes === null
      ? parseCount(text, '--size', undefined, ', or memory with its unit, such as 64MiB')
      : sizeFitting(bytes, dtype, batch);
  return { m: size, n: size, k: size };
}

/** Bytes of an operand's element as the check of a GPU's product holds it, twice over. */
const checkedAs = (dtype: DataType): Bytes => (dtype === 'float64' ? 8 : 4);

/** Products of a larger batch are checked several at once, a thread each (`verify_all` in native/matmul/verify.h). */
const MOST_SHARED_CHECKS = 15;
/** Threads that check a GPU's products on the host, at most. */
const GPU_CHECKERS = 16;

/** Of how many rows of A and columns of B a check takes one to itself (`kSampled` there). */
const SAMPLED = 64;

/**
 * What the check of a result keeps beside it, at most: sums of the rows of A, B and C, of float64 in twice as many bits
 * (`RowSum` there), then some rows of A and columns of B, and where those meet.
 */
function checkBytes({ m, n, k, batch }: Matmul, threads: number, operand: Bytes, result: Bytes): Bytes {
  const atOnce = batch > MOST_SHARED_CHECKS ? Math.min(batch, threads) : 1;
  const rows = Math.ceil(m / SAMPLED);
  const columns = Math.ceil(n / SAMPLED);
  return atOnce * (48 * k + 48 * m + 16 * n + (rows + columns) * k * operand + rows * columns * result);
}

/** Of A, B and C, once each. */
function operandBytes({ m, n, k, batch, dtype }: Matmul): Bytes {
  const { operand, result } = ELEMENT[dtype];
  return batch * ((m * k + k * n) * operand + m * n * result);
}

const efficiencyKpi: KpiDeclaration = {
  name: 'pibench_matmul_efficiency_ratio',
  unit: () => '1',
  direction: 'higher',
  help: 'Rate / peak of multiply-adds in registers only, measured in the same launches on the same threads',
  statistic: 'median',
  display: () => ({ divisor: 0.01, unit: '%', digits: 3 }),
  regression: true,
  value: ({ roofline }) =>
    roofline == null
      ? null
      : { value: roofline.efficiency, ci: null, launches: roofline.measuredBy?.launches },
};

/** Beside ours, and never in its place: its name says how it counts. */
const otherCountKpi: KpiDeclaration = {
  name: 'pibench_matmul_rate_counted_2mnk_less_mn_flops_per_second',
  unit: ({ rateUnit }) => rateUnit,
  direction: 'higher',
  help: 'Not the rate of pi-bench, which counts 2mnk: the same launches counted as 2mnk - mn (2n^3 - n^2), to be held against older figures that count so',
  statistic: 'median',
  display: ({ rateUnit }) => ({ divisor: 1e9, unit: `G${rateUnit}`, digits: 4 }),
  regression: false,
  value(batch) {
    const value = rate2mnkLessMn(batch);
    const { rate, work } = batch;
    if (value === null || rate === null || work === null) return null;
    return { value, ci: ciOf(rate.interval, (work.flop2mnkLessMn ?? 0) / work.flop) };
  },
};

export const matmul: Indicator = {
  name: 'matmul',
  summary: 'Matrix multiplication: rate, elapsed, spread, verified',
  options: {
    size: {
      type: 'string',
      group: 'Case:',
      describe:
        'Rows and columns of square matrices; with a unit (64MiB) as large as fits, with all of its batch, into that much memory',
      defaultDescription: '512',
    },
    m: { type: 'string', group: 'Case:', describe: 'Rows of A and C' },
    n: { type: 'string', group: 'Case:', describe: 'Columns of B and C' },
    k: { type: 'string', group: 'Case:', describe: 'Columns of A, rows of B' },
    dtype: {
      type: 'string',
      group: 'Case:',
      describe: `${DATA_TYPES.join(', ')}; on GPUs also ${ONLY_ON_GPUS.join(', ')}. 8 and 16 bits accumulate in 32`,
      default: 'float32',
    },
    transpose: {
      type: 'string',
      choices: TRANSPOSES,
      group: 'Case:',
      describe: 'How A and B lie in memory: N by rows, T transposed',
      default: 'NN',
    },
    batch: {
      type: 'string',
      group: 'Case:',
      describe: 'Independent products of this shape in one repetition',
      default: '1',
    },
    prepack: {
      type: 'boolean',
      group: 'Case:',
      describe: 'Bring B into the kernel’s own layout once, before the repetitions',
      default: false,
    },
    ...threadOptions('Threads of the multiplication'),
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
    ['$0 matmul --size 64 --batch 100 --transpose NT', 'a hundred small products with B transposed'],
    ['$0 matmul --stack embedded:avx2 --json > record.json', 'a chosen kernel, the record on stdout'],
    ['$0 matmul --device cuda:0 --size 8192 --dtype bfloat16 --stack embedded,cublaslt', 'on a GPU'],
  ],
  measuring: { inspections: 6, seconds: 1 },
  fromFlags(flags, machine) {
    const gpu = asksForGpu(String(flags.device ?? 'cpu'));
    const dtype = dataTypeNamed(String(flags.dtype ?? 'float32'), gpu);
    if (gpu) refuseCpuFlags(flags, ['threads', 'pin']);
    const batch = parseCount(String(flags.batch ?? 1), '--batch', MOST_BATCH);
    const parameters: Parameters = {
      ...shape(flags, dtype, batch),
      transpose: String(flags.transpose ?? 'NN'),
      batch,
      prepack: flags.prepack === true,
      dtype,
      ...(gpu ? {} : threadsOf(flags, machine)),
      cache: String(flags.cache ?? 'hot'),
    };
    read(parameters);
    return [parameters];
  },
  check: (parameters) => void read(parameters),
  work(parameters) {
    const matmul = read(parameters);
    const { m, n, k, batch } = matmul;
    return {
      flop: 2 * m * n * k * batch,
      bytes: operandBytes(matmul),
      flop2mnkLessMn: flop2mnkLessMn(m, n, k) * batch,
    };
  },
  rateCounts: 'flop',
  kernels: 'arithmetic',
  memory(parameters) {
    const matmul = read(parameters);
    const { m, n, k, dtype, threads, prepack, batch } = matmul;
    const operands = operandBytes(matmul);
    // Of a GPU's product the host has the operands once as numbers, to check the result, and the result twice.
    if (threads === undefined) {
      const element = checkedAs(dtype);
      const checking = checkBytes(matmul, GPU_CHECKERS, element, element);
      return batch * ((m * k + k * n) * element + m * n * 16) + checking + GPU_PROCESS;
    }
    const checking = checkBytes(matmul, threads, ELEMENT[dtype].operand, ELEMENT[dtype].result);
    // Packed panels are bounded by the block sizes. A packed element is as wide as a result.
    const packing = 32 * 2 ** 20 + threads * 4 * 2 ** 20;
    const prepacked = prepack ? batch * k * (n + 64) * ELEMENT[dtype].result : 0;
    return operands + packing + prepacked + checking + Math.min(operands, MOST_READ);
  },
  gpuMemory(parameters, l2) {
    const matmul = read(parameters);
    const operands = operandBytes(matmul);
    // Cold, sets of operands take turns that fill twice the L2, and two more.
    const rotating = matmul.cache === 'cold' ? 2 * l2 + operands : 0;
    return operands + Math.min(operands, MOST_READ) + rotating + GPU_PROCESS;
  },
  threads: (parameters) => read(parameters).threads ?? 1,
  dtype: (parameters) => read(parameters).dtype,
  title(parameters) {
    const { m, n, k, transpose, batch, prepack, dtype, threads, pin, cache } = read(parameters);
    const how = [
      ...(transpose === 'NN' ? [] : [`transposed ${transpose}`]),
      ...(batch === 1 ? [] : [`batch of ${batch}`]),
      ...(prepack ? ['B prepacked'] : []),
      ...(threads === undefined ? [] : [plural(threads, 'thread')]),
      ...(pin === true ? ['pinned'] : []),
      ...(cache === 'cold' ? ['cold cache'] : []),
    ];
    return [`matmul ${m} x ${n} x ${k} ${dtype}`, ...how].join(', ');
  },
  rateUnit: (parameters) => rateUnitOf(read(parameters).dtype),
  nativeWorkload(parameters, placement, variant, seed) {
    const { m, n, k, transpose, batch, prepack, dtype, threads, cache } = read(parameters);
    const isa = variant ?? '';
    if (threads === undefined && placement.gpu !== null) {
      const cold = Number(cache === 'cold');
      return {
        workload: 'cuda-matmul',
        parameters: { m, n, k, batch, dtype, isa, seed, cold, ...gpuPlace(placement) },
      };
    }
    const [transposeA = 'N', transposeB = 'N'] = transpose;
    const shape = { m, n, k, transposeA, transposeB, batch, prepack: Number(prepack) };
    return {
      workload: 'matmul',
      // A framework that computes on a GPU is called by one thread.
      parameters: { ...shape, dtype, threads: threads ?? 1, cpus: placement.cpus, isa, seed },
    };
  },
  kpis: [...rateKpis('matmul', 'matrix multiplication', 'flops'), efficiencyKpi, otherCountKpi],
  curves: [
    rateCurve('matmul', 'square matrix multiplications over their size', 'flops', {
      along: ['m', 'n', 'k'],
      x: ({ m, n, k }) => (m === n && n === k ? Number(m) : null),
      xUnit: 'rows',
    }),
  ],
};
