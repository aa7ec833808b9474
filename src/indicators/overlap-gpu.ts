/**
 * overlap on GPUs: each rank is a GPU, with a stream for its products, which are our own kernels', and one for the collective, which
 * NCCL executes. Both share the multiprocessors, and what hides is what is left of them.
 */
import { z } from 'zod';
import { UserError } from '../errors.js';
import { briefBytes, plural } from '../quantities/format.js';
import { parseCount } from '../quantities/parse.js';
import { collective, sizesOf } from './collective.js';
import { type Element, elementsNamed, fittingBytes, MOST_RANKS } from './collective-cases.js';
import { ranksBy } from './collective-ranks.js';
import { type DataType, dataTypeNamed, rateUnitOf } from './data-types.js';
import { GPU_PROCESS, gpuPlace } from './gpu.js';
import type { Parameters } from './indicator.js';
import { matmul } from './matmul.js';
import { exchangeBy, OVERLAPPING, overlappingNamed } from './overlap-operations.js';
import { refuseCpuFlags } from './threads.js';
import type { GpuSide } from './with-gpu.js';

const USUAL_SIZE = 4096;
const USUAL_BYTES = '64MiB';

/** What our kernels multiply and NCCL adds up. */
const DTYPES = [
  'float32',
  'float64',
  'bfloat16',
  'float16',
  'float8_e4m3',
  'int8',
] as const satisfies readonly (DataType & Element)[];

const schema = z.strictObject({
  operation: z.enum(OVERLAPPING),
  bytes: z.int().min(1),
  size: z.int().min(1),
  dtype: z.enum(DTYPES),
  ranks: z.int().min(2).max(MOST_RANKS),
  transport: z.literal('nccl'),
});
type Overlap = z.infer<typeof schema>;

/** @throws UserError */
function read(parameters: Parameters): Overlap {
  const parsed = schema.safeParse(parameters);
  if (!parsed.success) throw new UserError(`overlap: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
  collective.check(exchangeOf(parsed.data));
  return parsed.data;
}

/** The case of its collective. Its threads wait for GPUs, on no CPUs of their own. */
const exchangeOf = (asked: Overlap): Parameters => exchangeBy(asked.transport, asked, false);

/** The case of one rank's product: on a GPU it has no threads. */
const productOf = ({ size, dtype }: Overlap): Parameters => ({
  m: size,
  n: size,
  k: size,
  dtype,
  cache: 'hot',
});

/** @throws UserError */
function dtypeNamed(text: string): Overlap['dtype'] {
  const [dtype] = elementsNamed(dataTypeNamed(text, true));
  return z.enum(DTYPES).parse(dtype);
}

export const overlapOnGpus: GpuSide = {
  fromFlags(flags, machine) {
    refuseCpuFlags(flags, ['threads', 'pin']);
    const { ranks } = ranksBy.nccl(flags, machine);
    if (ranks < 2)
      throw new UserError(
        'one GPU has nobody to exchange data with: overlap takes two, such as --device cuda:all where there are',
      );
    const base = {
      operation: overlappingNamed(flags),
      size: parseCount(String(flags.size ?? USUAL_SIZE), '--size'),
      dtype: dtypeNamed(String(flags.dtype ?? 'float32')),
      ranks,
      transport: 'nccl',
    } as const;
    const fitting = sizesOf(String(flags.bytes ?? USUAL_BYTES)).map((bytes) => fittingBytes(bytes, base));
    return [...new Set(fitting)].map((bytes) => read({ ...base, bytes }));
  },
  check: (parameters) => void read(parameters),
  work(parameters) {
    const asked = read(parameters);
    return { flop: asked.ranks * matmul.work(productOf(asked)).flop, bytes: asked.bytes };
  },
  memory(parameters) {
    const asked = read(parameters);
    // Every rank's product is checked at the same time.
    return collective.memory(exchangeOf(asked)) + asked.ranks * matmul.memory(productOf(asked)) + GPU_PROCESS;
  },
  gpuMemory(parameters, l2) {
    const asked = read(parameters);
    const both =
      (collective.gpuMemory?.(exchangeOf(asked), l2) ?? 0) + (matmul.gpuMemory?.(productOf(asked), l2) ?? 0);
    // They are in one process.
    return both - GPU_PROCESS;
  },
  // Of each GPU one that exchanges data and one that computes; both wait most of the time.
  threads: (parameters) => 2 * read(parameters).ranks,
  dtype: (parameters) => read(parameters).dtype,
  title(parameters) {
    const { operation, bytes, size, dtype, ranks } = read(parameters);
    return `overlap matmul ${size} x ${size} x ${size} and ${operation} ${briefBytes(bytes)} ${dtype}, ${plural(ranks, 'GPU')}`;
  },
  rateUnit: (parameters) => rateUnitOf(read(parameters).dtype),
  nativeWorkload(parameters, placement, _, seed) {
    const asked = read(parameters);
    const exchange = collective.nativeWorkload(exchangeOf(asked), { ...placement, cpus: [] }, null, seed);
    const { size } = asked;
    return {
      workload: 'overlap',
      parameters: { ...exchange.parameters, ...gpuPlace(placement), m: size, n: size, k: size },
    };
  },
};
