/**
 * peak on a GPU: multiply-adds in registers (of matrix units: from shared memory) on every multiprocessor at once. No ceiling where the
 * GPU has instructions that the loop does not use, which each launch names.
 */
import { z } from 'zod';
import { UserError } from '../errors.js';
import { parseNames } from '../quantities/parse-list.js';
import type { Flop } from '../units.js';
import { ALL_DATA_TYPES, type DataType, GPU_DATA_TYPES, rateUnitOf } from './data-types.js';
import { GPU_PROCESS, gpuOf, gpuPlace } from './gpu.js';
import type { Parameters } from './indicator.js';
import { refuseCpuFlags } from './threads.js';
import type { GpuSide } from './with-gpu.js';

/**
 * Of each multiprocessor in one repetition, about a millisecond of a GPU of today. Powers of two, because every loop does
 * a power of two in one round.
 */
const OPERATIONS: Readonly<Record<DataType, Flop>> = {
  float64: 2 ** 29,
  float32: 2 ** 29,
  tf32: 2 ** 32,
  float16: 2 ** 33,
  bfloat16: 2 ** 33,
  float8_e4m3: 2 ** 34,
  int8: 2 ** 34,
};

const schema = z.strictObject({ dtype: z.enum(ALL_DATA_TYPES), multiprocessors: z.int().min(1).max(4096) });

/** @throws UserError */
function read(parameters: Parameters): z.infer<typeof schema> {
  const parsed = schema.safeParse(parameters);
  if (!parsed.success) throw new UserError(`peak: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
  return parsed.data;
}

const operationsOf = (parameters: Parameters): Flop => {
  const { dtype, multiprocessors } = read(parameters);
  return OPERATIONS[dtype] * multiprocessors;
};

/** float8 came with compute capability 8.9. */
export const typesOf = (computeCapability: string): readonly DataType[] =>
  Number(computeCapability) >= 8.9
    ? GPU_DATA_TYPES
    : GPU_DATA_TYPES.filter((dtype) => dtype !== 'float8_e4m3');

export const peakOnGpu: GpuSide = {
  fromFlags(flags, machine) {
    refuseCpuFlags(flags, ['threads', 'pin']);
    const { multiprocessors, computeCapability } = gpuOf(flags, machine);
    const dtypes =
      flags.dtype === undefined
        ? typesOf(computeCapability)
        : parseNames(String(flags.dtype), '--dtype', GPU_DATA_TYPES);
    return dtypes.map((dtype) => read({ dtype, multiprocessors }));
  },
  check: (parameters) => void read(parameters),
  work: (parameters) => ({ flop: operationsOf(parameters), bytes: 0 }),
  memory: () => GPU_PROCESS,
  gpuMemory: () => GPU_PROCESS,
  dtype: (parameters) => read(parameters).dtype,
  title(parameters) {
    const { dtype, multiprocessors } = read(parameters);
    return `peak ${dtype}, ${multiprocessors} multiprocessors`;
  },
  rateUnit: (parameters) => rateUnitOf(read(parameters).dtype),
  nativeWorkload(parameters, placement, variant) {
    const { dtype } = read(parameters);
    return {
      workload: 'cuda-peak',
      parameters: {
        dtype,
        isa: variant ?? '',
        operations: operationsOf(parameters),
        ...gpuPlace(placement),
      },
    };
  },
};
